import { hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { readPdf } from '../../support/pdf.ts';
import { type Picture, readPicture } from '../../support/pixels.ts';
import { type RunningService, startService } from '../../support/service.ts';

const TOKEN = 'token-of-shop';
const sha256 = (token: string): string => hash('sha256', token, 'hex');
const KEYS = {
  keys: [
    { id: 'shop', token_sha256: [sha256(TOKEN)] },
    { id: 'mail', token_sha256: [sha256('token-of-mail')], scopes: ['jobs'] },
  ],
};
const RED = [255, 0, 0];
const BLUE = [0, 0, 255];
const SMALL = { viewport: { width: 200, height: 100 } };
const BOX = '<div id="box" style="width:60px;height:40px;background:#f00"></div>';
const LATER = "<script>setTimeout(() => { document.body.innerHTML = '<p id=d>later' }, 50)</script>";

const html = (markup: string): string => `<!doctype html><body style="margin:0">${markup}`;
const media = (query: string): string => html(`<style>@media ${query} { body { background: #00f } }</style>`);
type Body = Readonly<Record<string, unknown>>;

describe('clients of browserless', () => {
  let site: FixtureSite;
  let service: RunningService;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'browserless-test-'));
    await writeFile(join(folder, 'keys.json'), JSON.stringify(KEYS));
    [site, service] = await Promise.all([
      createFixtureSite({
        moreRoutes: {
          '/echo': ({ request, response }) => {
            const { 'user-agent': agent, 'x-sample': sample, authorization, cookie, referer } = request.headers;
            response.end(
              `<p>${agent}<p>sample ${String(sample)}<p>auth ${authorization}<p>cookie ${cookie}<p>from ${referer}`,
            );
          },
          '/private': ({ request, response }) => {
            const isKnown = request.headers.authorization === `Basic ${btoa('user:pass')}`;
            response.writeHead(isKnown ? 200 : 401, { 'www-authenticate': 'Basic' }).end('<p>private');
          },
          '/blue.css': ({ response }) =>
            void response.writeHead(200, { 'content-type': 'text/css' }).end('body { background: #00f }'),
          '/blue.js': ({ response }) =>
            void response
              .writeHead(200, { 'content-type': 'text/javascript' })
              .end("function paint(colour) { document.body.style.background = colour } paint('#00f')"),
        },
      }),
      startService({ COMPAT: 'browserless', KEYS_FILE: join(folder, 'keys.json'), MAX_WAIT_MS: '2500' }),
    ]);
  });
  afterAll(async () => {
    await Promise.all([service[Symbol.asyncDispose](), site.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const post = async (path: string, body: Body | string, query = `token=${TOKEN}`): Promise<Response> =>
    await fetch(`${service.url}/${path}?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const bytesOf = async (path: string, body: Body, query?: string): Promise<Buffer> => {
    const answer = await post(path, body, query);
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (!answer.ok) throw new Error(`${answer.status}: ${bytes.toString()}`);
    return bytes;
  };
  const pictureOf = async (body: Body, query?: string): Promise<Picture> =>
    readPicture(await bytesOf('screenshot', { ...SMALL, ...body }, query));
  const colourOf = async (body: Body): Promise<readonly number[]> => (await pictureOf(body)).pixel(9, 9).slice(0, 3);
  const contentOf = async (body: Body, query?: string): Promise<string> =>
    (await bytesOf('content', body, query)).toString();
  const pdfOf = async (body: Body) => (await readPdf(await bytesOf('pdf', body))).pages;

  describe('get a result for', () => {
    const calls: Readonly<Record<string, () => Promise<void>>> = {
      'a screenshot: a png of 800 x 600': async () => {
        const answer = await post('screenshot', { url: site.url('/plain') });
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
        expect(answer.headers.get('x-response-code')).toBe('200');
        expect(answer.headers.get('x-response-url')).toBe(site.url('/plain'));
        expect(await readPicture(Buffer.from(await answer.arrayBuffer()))).toMatchObject({ width: 800, height: 600 });
      },
      'a picture as base64': async () => {
        const answer = await post('screenshot', { html: 'a', options: { encoding: 'base64' } });
        const text = await answer.text();
        expect([answer.headers.get('content-type'), text.slice(0, 8)]).toEqual([
          'text/plain; charset=utf-8',
          'iVBORw0K',
        ]);
        expect(await readPicture(Buffer.from(text, 'base64'))).toMatchObject({ format: 'png', width: 800 });
      },
      'paths that name the browser': async () => {
        const answers = await Promise.all(
          ['chromium/screenshot', 'chrome/pdf', 'chromium/content'].map((path) => post(path, { html: 'a' })),
        );
        const types = ['image/png', 'application/pdf', 'text/html; charset=utf-8'];
        expect(answers.map(({ headers }) => headers.get('content-type'))).toEqual(types);
      },
      'a jpeg of a quality': async () =>
        expect(await pictureOf({ html: 'a', options: { type: 'jpeg', quality: 40 } })).toMatchObject({
          format: 'jpeg',
        }),
      'a webp': async () =>
        expect(await pictureOf({ html: 'a', options: { type: 'webp' } })).toMatchObject({ format: 'webp' }),
      'the whole page, scrolled through': async () =>
        expect(
          await pictureOf({ html: html('<div style="height:700px">'), scrollPage: true, options: { fullPage: true } }),
        ).toMatchObject({ height: 700 }),
      'a rectangle': async () =>
        expect(
          await pictureOf({ html: html(BOX), options: { clip: { x: 10, y: 10, width: 30, height: 20, scale: 1 } } }),
        ).toMatchObject({ width: 30, height: 20 }),
      'a transparent background': async () =>
        expect((await pictureOf({ html: html(''), options: { omitBackground: true } })).pixel(9, 9)).toEqual([
          0, 0, 0, 0,
        ]),
      'an element': async () =>
        expect(await pictureOf({ html: html(BOX), selector: '#box' })).toMatchObject({ width: 60, height: 40 }),
      'options that change nothing here': async () => {
        const options = {
          captureBeyondViewport: true,
          fromSurface: true,
          optimizeForSpeed: true,
          encoding: 'binary',
          unknown: 1,
        };
        const body = { html: 'a', options, requestInterceptors: [], launch: {}, other: { a: 1 }, gotoOptions: null };
        expect(await pictureOf(body)).toMatchObject({ width: 200 });
      },
      'a density': async () =>
        expect(
          await pictureOf({ html: 'a', viewport: { width: 200, height: 100, deviceScaleFactor: 2 } }),
        ).toMatchObject({
          width: 400,
        }),
      'a phone': async () => {
        const page =
          '<meta name=viewport content="width=400"><script>document.write(innerWidth, navigator.maxTouchPoints)</script>';
        const viewport = { width: 200, height: 100, isMobile: true, hasTouch: true, isLandscape: false };
        expect(await contentOf({ html: page, viewport })).toMatch(/400[1-9]/);
      },
      'the media type print': async () =>
        expect(await colourOf({ html: media('print'), emulateMediaType: 'print' })).toEqual(BLUE),
      'a user agent, in both forms': async () => {
        const url = site.url('/echo');
        expect(await contentOf({ url, userAgent: 'Sample/1.0' })).toContain('Sample/1.0');
        expect(await contentOf({ url, userAgent: { userAgent: 'Sample/2.0' } })).toContain('Sample/2.0');
      },
      headers: async () =>
        expect(await contentOf({ url: site.url('/echo'), setExtraHTTPHeaders: { 'X-Sample': 'yes' } })).toContain(
          'sample yes',
        ),
      'a referrer': async () =>
        expect(await contentOf({ url: site.url('/echo'), gotoOptions: { referer: 'https://example.com/' } })).toContain(
          'from https://example.com/',
        ),
      'cookies, as page.cookies() returns them': async () => {
        const own = { name: 'a', value: '1', path: '/', httpOnly: true, secure: false, sameSite: 'Lax', expires: -1 };
        const cookies = [
          { ...own, size: 2, session: true },
          { name: 'b', value: '2', url: site.url('/') },
        ];
        expect(await contentOf({ url: site.url('/echo'), cookies })).toContain('cookie a=1; b=2');
      },
      'a page behind a password': async () =>
        expect(
          await contentOf({ url: site.url('/private'), authenticate: { username: 'user', password: 'pass' } }),
        ).toContain('private'),
      'a page without scripts': async () =>
        expect(
          await contentOf({ html: '<script>document.write("ran")</script>', setJavaScriptEnabled: false }),
        ).not.toContain('>ran'),
      'styles as text': async () =>
        expect(await colourOf({ html: html(''), addStyleTag: [{ content: 'body { background: #f00 }' }] })).toEqual(
          RED,
        ),
      'styles as a file': async () =>
        expect(await colourOf({ url: site.url('/plain'), addStyleTag: [{ url: site.url('/blue.css') }] })).toEqual(
          BLUE,
        ),
      'scripts as text, after a file that they use': async () =>
        expect(
          await colourOf({
            url: site.url('/plain'),
            addScriptTag: [
              { url: site.url('/blue.js') },
              { content: "paint('#f00')", id: 'own', type: 'text/javascript' },
            ],
          }),
        ).toEqual(RED),
      'after an element': async () =>
        expect(await contentOf({ html: LATER, waitForSelector: { selector: '#d', timeout: 2_000 } })).toContain(
          'later',
        ),
      'after an element is visible': async () =>
        expect(await contentOf({ html: LATER, waitForSelector: { selector: '#d', visible: true } })).toContain('later'),
      'after an element is hidden': async () => {
        const page = "<p id=d>soon<script>setTimeout(() => { d.textContent = 'gone'; d.hidden = true }, 50)</script>";
        expect(await contentOf({ html: page, waitForSelector: { selector: '#d', hidden: true } })).toContain('>gone');
      },
      'after a function': async () =>
        expect(
          await contentOf({
            html: LATER,
            waitForFunction: { fn: "() => document.querySelector('#d')", polling: 'raf' },
          }),
        ).toContain('later'),
      'after an expression': async () =>
        expect(await contentOf({ html: LATER, waitForFunction: { fn: "document.querySelector('#d')" } })).toContain(
          'later',
        ),
      'after an asynchronous function, which returns nothing': async () =>
        expect(
          await contentOf({
            html: 'a',
            waitForFunction: {
              fn: "async () => { await new Promise((end) => setTimeout(end, 50)); document.title = 'ended' }",
            },
          }),
        ).toContain('<title>ended'),
      'after a pause': async () => {
        const startedAt = performance.now();
        await contentOf({ html: 'a', waitForTimeout: 400 });
        expect(performance.now() - startedAt).toBeGreaterThan(400);
      },
      'after an idle network': async () =>
        expect(
          await contentOf({
            url: site.url('/document'),
            gotoOptions: { waitUntil: ['load', 'networkidle2'], timeout: 2_500 },
          }),
        ).toContain('Outlook'),
      'a best attempt, although an element stays away': async () =>
        expect(
          await pictureOf({ html: html(BOX), bestAttempt: true, waitForSelector: { selector: '#none', timeout: 200 } }),
        ).toMatchObject({ width: 200 }),
      'a best attempt without waits': async () =>
        expect(await pictureOf({ html: 'a', bestAttempt: true })).toMatchObject({ width: 200 }),
      'no limit by a timeout of 0': async () =>
        expect(await contentOf({ html: LATER, waitForSelector: { selector: '#d', timeout: 0 } })).toContain('later'),
      'without requests and resources': async () => {
        const before = site.requests.length;
        await pictureOf({
          url: site.url('/colours'),
          rejectRequestPattern: ['/picture', '^http://.*\\.png$'],
          rejectResourceTypes: ['image', 'eventsource', 'ping', 'fedcm'],
        });
        expect(site.requests.slice(before).filter(({ path }) => /picture|png/.test(path))).toEqual([]);
      },
      'without ads and banners, by flags of the query': async () =>
        expect(
          await contentOf(
            { url: site.url('/document') },
            `token=${TOKEN}&blockAds&blockConsentModals=true&timeout=2000&stealth`,
          ),
        ).toContain('Outlook'),
      'an error page, with its status': async () => {
        const answer = await post('content', { url: site.url('/status/404') });
        expect([answer.status, answer.headers.get('x-response-code')]).toEqual([200, '404']);
      },
      'the HTML of a page': async () => {
        const answer = await post('content', { html: LATER });
        expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(await answer.text()).toContain('<p id="d">later');
      },
      'a pdf: Letter without margins and backgrounds': async () => {
        const [page] = await pdfOf({ html: html('<p style="margin:0">Text') });
        expect([page?.text, Math.round(page?.widthPt ?? 0), Math.round(page?.heightPt ?? 0)]).toEqual([
          'Text',
          612,
          792,
        ]);
        expect(page?.runs[0]?.leftPt).toBeLessThan(1);
      },
      'a pdf in a format, which wins over a size': async () => {
        const options = {
          format: 'a5',
          width: 100,
          landscape: true,
          scale: 0.5,
          pageRanges: '1',
          printBackground: true,
        };
        const [page] = await pdfOf({
          html: 'a',
          options: { ...options, tagged: false, waitForFonts: true, omitBackground: true },
        });
        expect([Math.round(page?.widthPt ?? 0), page?.tags]).toEqual([595, []]);
      },
      'a pdf of a size in pixels and inches': async () => {
        const [page] = await pdfOf({ html: 'a', options: { width: 400, height: '5in' } });
        expect([Math.round(page?.widthPt ?? 0), Math.round(page?.heightPt ?? 0)]).toEqual([300, 360]);
      },
      'a pdf of a width alone': async () => {
        const [page] = await pdfOf({ html: 'a', options: { width: '400px' } });
        expect([Math.round(page?.widthPt ?? 0), Math.round(page?.heightPt ?? 0)]).toEqual([300, 792]);
      },
      'a pdf with a margin on one side': async () => {
        const [page] = await pdfOf({ html: html('Text'), options: { margin: { left: '1in', top: 0 } } });
        expect(Math.round(page?.runs[0]?.leftPt ?? 0)).toBe(72);
      },
      'a pdf of one page': async () =>
        expect(
          await pdfOf({ html: html('<div style="height:3000px">Text'), options: { fullPage: true } }),
        ).toHaveLength(1),
      'a pdf with a header, only if it is displayed': async () => {
        const options = {
          headerTemplate: '<b>Head</b>',
          footerTemplate: '<i class=pageNumber></i>',
          margin: { top: 60, bottom: 60 },
        };
        const [shown] = await pdfOf({ html: 'Text', options: { ...options, displayHeaderFooter: true } });
        const [hidden] = await pdfOf({ html: 'Text', options });
        expect([shown?.text, hidden?.text]).toEqual([expect.stringMatching(/Head/), 'Text']);
      },
      'a pdf with the page size of the page': async () => {
        const [page] = await pdfOf({
          html: '<style>@page { size: 4in 4in }</style>a',
          options: { preferCSSPageSize: true },
        });
        expect(Math.round(page?.widthPt ?? 0)).toBe(288);
      },
      'a pdf with an outline': async () => {
        const { outline } = await readPdf(
          await bytesOf('pdf', { html: '<h1>First</h1>', options: { outline: true, tagged: false } }),
        );
        expect(outline).toEqual(['First']);
      },
    };

    it.each(Object.keys(calls))('%s', async (name) => {
      expect.hasAssertions();
      await calls[name]?.();
    });
  });

  describe('get an error for', () => {
    const cases: Readonly<Record<string, readonly [path: string, body: Body | string, status: number, error: RegExp]>> =
      {
        'no page': ['screenshot', {}, 400, /url/],
        'a body that is no object': ['content', '[]', 400, /JSON object/],
        'JSON that is broken': ['content', '{', 400, /JSON/],
        'an object that is a text': ['screenshot', { html: 'a', options: 'png' }, 400, /options: must be an object/],
        'a wrong number': [
          'screenshot',
          { html: 'a', viewport: { width: 0 } },
          400,
          /viewport\.width: must be a whole number/,
        ],
        'another type': [
          'screenshot',
          { html: 'a', options: { type: 'pdf' } },
          400,
          /options\.type: must be one of png/,
        ],
        'a quality out of range': [
          'screenshot',
          { html: 'a', options: { quality: 101 } },
          400,
          /options\.quality: must be/,
        ],
        'an unknown encoding': [
          'screenshot',
          { html: 'a', options: { encoding: 'hex' } },
          400,
          /options\.encoding: must be binary or base64/,
        ],
        'a path': [
          'screenshot',
          { html: 'a', options: { path: '/tmp/a.png' } },
          400,
          /options\.path: is not supported/,
        ],
        'a scaled rectangle': [
          'screenshot',
          { html: 'a', options: { clip: { x: 0, y: 0, width: 9, height: 9, scale: 2 } } },
          400,
          /options\.clip: scale/,
        ],
        'request interceptors': [
          'content',
          { html: 'a', requestInterceptors: [{ pattern: 'a', response: {} }] },
          400,
          /requestInterceptors: is not supported/,
        ],
        'an event': [
          'content',
          { html: 'a', waitForEvent: { event: 'a' } },
          400,
          /waitForEvent: is not supported; waitForFunction/,
        ],
        'an unknown wait': [
          'content',
          { html: 'a', gotoOptions: { waitUntil: 'idle' } },
          400,
          /gotoOptions\.waitUntil: must be one of load/,
        ],
        'a limit that is no number': [
          'content',
          { html: 'a', waitForSelector: { selector: 'a', timeout: '1s' } },
          400,
          /waitForSelector\.timeout: must be a number/,
        ],
        'metadata of the user agent': [
          'content',
          { html: 'a', userAgent: { userAgent: 'a', platform: 'b' } },
          400,
          /userAgent: only userAgent/,
        ],
        'a tag by a path': [
          'content',
          { html: 'a', addScriptTag: [{ path: 'a.js' }] },
          400,
          /addScriptTag: path is not supported/,
        ],
        'a tag without anything': [
          'content',
          { html: 'a', addStyleTag: [{}] },
          400,
          /addStyleTag: must have content or url/,
        ],
        'a tag that does not load': [
          'content',
          { html: 'a', addScriptTag: [{ url: 'http://127.0.0.1:9/none.js' }] },
          400,
          /addScriptTag: .*could not be loaded/,
        ],
        'a pattern with a choice': [
          'content',
          { html: 'a', rejectRequestPattern: ['(a|b)'] },
          400,
          /rejectRequestPattern: must have text/,
        ],
        'a document type': [
          'content',
          { html: 'a', rejectResourceTypes: ['document'] },
          400,
          /rejectResourceTypes: document/,
        ],
        'a best attempt with a function': [
          'content',
          { html: 'a', bestAttempt: true, waitForFunction: { fn: '1' } },
          400,
          /bestAttempt: is not supported with/,
        ],
        'a whole page of a height': [
          'pdf',
          { html: 'a', options: { fullPage: true, height: 100 } },
          400,
          /options\.height: can't/,
        ],
        'a paper that does not exist': [
          'pdf',
          { html: 'a', options: { format: 'B9' } },
          400,
          /options\.format: must be/,
        ],
        'a missing element': ['screenshot', { html: 'a', selector: '#none' }, 400, /#none/],
        'a private address': ['screenshot', { url: 'http://10.0.0.1/' }, 403, /not allowed/],
        'an element that never comes': [
          'content',
          { html: 'a', waitForSelector: { selector: '#none', timeout: 200 } },
          408,
          /#none within 200 ms/,
        ],
        'several limits, of which the longest counts': [
          'content',
          { html: 'a', waitForSelector: { selector: '#none', timeout: 100 }, gotoOptions: { timeout: 250 } },
          408,
          /within 250 ms/,
        ],
      };

    it.each(Object.keys(cases))('%s', async (name) => {
      const [path, body, status, error] = cases[name] ?? ['', {}, 0, /./];

      const answer = await post(path, body);

      expect([answer.status, await answer.json()]).toEqual([status, { error: expect.stringMatching(error) }]);
    });

    it('a whole request that takes longer than its timeout', async () => {
      const answer = await post(
        'content',
        { html: 'a', waitForSelector: { selector: '#none' } },
        `token=${TOKEN}&timeout=150`,
      );

      expect([answer.status, await answer.text()]).toEqual([408, expect.stringContaining('within 150 ms')]);
    });

    it('a page that cannot be reached, as text', async () => {
      const answer = await post('content', { url: 'http://127.0.0.1:9/' });

      expect([answer.status, answer.headers.get('content-type')]).toEqual([500, 'text/plain; charset=utf-8']);
    });
  });

  it.each([
    ['the token of a key in the query', 200, `token=${TOKEN}`, undefined],
    ['a bearer token', 200, '', `Bearer ${TOKEN}`],
    ['no credentials', 401, '', undefined],
    ['a wrong token', 401, 'token=wrong', undefined],
    ['an empty token', 401, 'token=', undefined],
    ['a wrong bearer token beside a right token', 401, `token=${TOKEN}`, 'Bearer wrong'],
    ['a key without the scope', 403, 'token=token-of-mail', undefined],
  ])('answers %s with %d', async (_case, status, query, authorization) => {
    const answer = await fetch(`${service.url}/content?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
      body: JSON.stringify({ html: 'a' }),
    });

    expect(answer.status).toBe(status);
    expect(service.output()).not.toContain(TOKEN);
  });

  it('refuses private addresses by every route, in every spelling', async () => {
    await using inner = await startService({ COMPAT: 'browserless', EGRESS_ALLOW: '' });
    const addresses = [
      'http://127.0.0.1:1/',
      'http://localhost/',
      'http://10.0.0.1/',
      'http://169.254.169.254/latest/meta-data/',
      'http://[::1]/',
      'http://[::ffff:10.0.0.1]/',
      'http://redis.internal/',
      inner.url,
    ];
    const statuses = await Promise.all(
      addresses.flatMap((url) =>
        ['screenshot', 'pdf', 'content'].map(async (path) => {
          const answer = await fetch(`${inner.url}/${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ url }),
          });
          return answer.status;
        }),
      ),
    );

    expect(statuses).toEqual(addresses.flatMap(() => [403, 403, 403]));
  });
});
