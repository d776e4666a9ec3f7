import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invalid, readError } from '../../support/errors.ts';
import { eventually } from '../../support/eventually.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture, type CaptureAnswer } from '../../support/http.ts';
import { send } from '../../support/pages/exchange.ts';
import { createOutgoingProxy, type OutgoingProxy } from '../../support/outgoing-proxy.ts';
import { readPdf } from '../../support/pdf.ts';
import { type RunningService, startService } from '../../support/service.ts';

const TOKEN = 'token-of-the-test';
const MARKER = 'marker-of-a-file-0f1e2d3c';
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="5"></svg>';

type Fields = Readonly<Record<string, unknown>>;
type Part = readonly [name: string, content: string | Uint8Array<ArrayBuffer>, fileName?: string];

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Markup that loads two files, and says in its title what it found. */
const PAGE = `<!doctype html><link rel="stylesheet" href="style.css"><h1>Hello</h1><img src="img/a%20b.svg?v=1">
<script>addEventListener('load', () => { document.title = [location.href, isSecureContext,
  getComputedStyle(document.querySelector('h1')).color, document.images[0].naturalWidth].join(' '); })</script>`;
const FILES = {
  'style.css': base64(`/* ${MARKER} */ h1 { color: rgb(1, 2, 3) }`),
  'img/a b.svg': base64(SVG),
};
const PARTS: readonly Part[] = [
  ['style.css', 'h1 { color: rgb(1, 2, 3) }'],
  ['picture', SVG, 'img/a b.svg'],
];

const part = (name: string, text: string): string =>
  `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;

const titleIn = (body: Buffer | string): string | undefined => /<title>([^<]*)/.exec(body.toString())?.[1];
const get = async (address: string | URL): Promise<string> => {
  const headers = { authorization: `Bearer ${TOKEN}` };
  return await (await fetch(address, { headers })).text();
};

describe('supplied pages', () => {
  let site: FixtureSite;
  let service: RunningService;
  let proxy: OutgoingProxy;
  beforeAll(async () => {
    proxy = await createOutgoingProxy();
    [site, service] = await Promise.all([
      createFixtureSite({
        moreRoutes: {
          '/base/real.css': ({ response }) => send(response, { type: 'text/css', body: 'h1 { color: rgb(4, 5, 6) }' }),
        },
      }),
      startService(
        {
          AUTH_TOKEN: TOKEN,
          URL_SIGNING_SECRET: 'a-secret-for-links',
          PROXIES: `office=${proxy.url('http')}`,
        },
        { stores: true },
      ),
    ]);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await Promise.all([site.close(), proxy[Symbol.asyncDispose]()]);
  });

  const post = (path: string, body: BodyInit, type?: string): Promise<Response> =>
    fetch(new URL(path, service.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, ...(type !== undefined && { 'content-type': type }) },
      body,
    });
  const postJson = async (path: string, fields: Fields) => {
    const answer = await post(path, JSON.stringify(fields), 'application/json');
    return Object(await answer.json());
  };
  const postParts = async (request: Fields | string, parts: readonly Part[], path = '/capture') => {
    const form = new FormData();
    form.append('request', typeof request === 'string' ? request : JSON.stringify(request));
    for (const [name, content, fileName] of parts) {
      if (fileName === undefined && typeof content === 'string') form.append(name, content);
      else form.append(name, new Blob([content]), fileName ?? name);
    }
    const answer = await post(path, form);
    return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) };
  };
  const captureOf = (fields: Fields): Promise<CaptureAnswer> =>
    capture(service.url, { format: 'html', ...fields }, { token: TOKEN });
  const titleOf = async (fields: Fields): Promise<string | undefined> => titleIn((await captureOf(fields)).body);
  const resultOf = async (id: string): Promise<string> =>
    await eventually(async () => {
      const answer = await fetch(new URL(`/jobs/${id}/result`, service.url), {
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      expect(answer.status).toBe(200);
      return await answer.text();
    });

  /** Returns the results of a capture by POST, GET, signed link, job and batch. */
  const everyWay = async (fields: Fields): Promise<readonly string[]> => {
    const texts = Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    const query = new URLSearchParams(Object.fromEntries(texts));
    const { format, ...defaults } = fields;
    const [{ signed_url: link }, { id }, { jobs }] = await Promise.all([
      postJson('/sign', { params: fields }),
      postJson('/jobs', { capture: fields }),
      postJson('/jobs/batch', { defaults, captures: [{ format }] }),
    ]);
    return await Promise.all([
      captureOf(fields).then(({ body }) => body.toString()),
      get(new URL(`/capture?${query.toString()}`, service.url)),
      fetch(String(link)).then(async (answer) => await answer.text()),
      resultOf(id),
      resultOf(jobs[0].id),
    ]);
  };

  it('and the other fields of pages work in every way', async () => {
    const html_content = `<!doctype html><h1>Hello</h1><p style="opacity:0">${MARKER}</p><a href="a">a</a>`;
    const text = { format: 'markdown', main_content: false };

    const results = await Promise.all([
      everyWay({ html_content, base_url: 'https://name.example/b/', visible_text: true, ...text }),
      everyWay({ markdown_content: '# Hello\n\n[a](a)', base_url: 'https://name.example/b/', ...text }),
      everyWay({ url: site.url('/plain'), proxy: 'office', ...text }),
    ]);

    const page = '# Hello\n\n[a](https://name.example/b/a)\n';
    const [[plain = '']] = [results[2]];
    expect(results).toEqual([page, page, plain].map((each) => Array.from({ length: 5 }, () => each)));
    expect(plain).not.toBe('');
    expect(proxy.targets.length).toBeGreaterThanOrEqual(5);
  });

  describe('with files', () => {
    const OWN = 'http://template.invalid/ false rgb(1, 2, 3) 7';
    const fields = { html_content: PAGE, files: FILES, format: 'html' };

    it('load them in every way, and from multipart bodies', async () => {
      const { html_content, format } = fields;
      const ofParts = await postParts({ capture: { html_content, format } }, PARTS, '/jobs');

      const texts = [
        ...(await everyWay(fields)),
        await resultOf(JSON.parse(ofParts.body.toString()).id),
        (await postParts({ html_content, format }, PARTS)).body.toString(),
      ];

      expect(texts.map(titleIn)).toEqual(texts.map(() => OWN));
    });

    it('keep their relative links in markdown', async () => {
      const html_content = '<p>Read <a href="/next">more</a> <img src="logo.png" alt="logo"></p>';

      const { body } = await captureOf({ html_content, format: 'markdown' });

      expect(body.toString()).toBe('Read [more](/next) ![logo](logo.png)\n');
    });

    it.each([
      ['<img src="img/logo.svg">', 'file_missing'],
      ['<link rel="stylesheet" href=/style.css><p>x', 'file_missing'],
      ['<script src=app.js></script>', 'file_missing'],
      ['<img alt="a picture"\n src = "file:///C:/Users/me/logo.png">', 'file_missing'],
      ['<img src="cid:logo@mail">', 'file_missing'],
      ['<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><a href="/next">next</a>', null],
      ['<p>img src="logo.png"</p><link rel=canonical href="/page">', null],
    ])('warn of a file that they name and do not send: %s', async (html_content, warning) => {
      const { status, headers } = await captureOf({ html_content });

      expect([status, headers.get('x-capture-warnings')]).toEqual([200, warning]);
    });

    it.each([
      ['<img src="img/logo.svg">', 'logo.svg', 'file_missing'], // curl leaves the folder out
      ['<style>@import "theme.css"</style>', 'style.css', 'file_missing'],
      ['<img src="img/logo.svg"><a href="next.html">next</a>', 'img/logo.svg', null],
    ])('warn of a file that the page lacks: %s with %s', async (html_content, name, warning) => {
      const file = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>').toString('base64');
      const { status, headers } = await captureOf({ html_content, files: { [name]: file } });

      expect([status, headers.get('x-capture-warnings')]).toEqual([200, warning]);
    });

    it('share them with no other capture, while it runs and after', async () => {
      const spy = `<script>Promise.allSettled(['http://template.invalid/style.css', '${site.url('/base/secret.css')}'].map((url) =>
        fetch(url).then(async (answer) => await answer.text(), (error) => 'no'))).then((found) => {
          document.title = found.map(({ value }) => value.includes('${MARKER}')).join(); })</script>`;
      const running = captureOf({ ...fields, delay_capture: 1_500 });
      const based = captureOf({
        html_content: PAGE,
        files: { 'secret.css': FILES['style.css'] },
        base_url: site.url('/base/'),
        delay_capture: 1_500,
      });
      const spies = { html_content: spy, base_url: site.url('/other/'), wait_for_function: 'document.title' };

      expect(await titleOf(spies)).toBe('false,false');
      expect([(await running).status, (await based).status]).toEqual([200, 200]);
      expect(await titleOf(spies)).toBe('false,false');
    });

    it('obey the egress rules for everything else', async () => {
      const html_content = `${PAGE}<img src="http://10.0.0.1/a.png"><img src="http://template.invalid:81/">`;

      const { headers } = await captureOf({ html_content, files: FILES });

      expect(headers.get('X-Blocked-Requests')).toBe('2');
    });

    it('leave nothing on disk', async () => {
      await captureOf(fields);
      await postParts({ html_content: PAGE }, [['style.css', `/* ${MARKER} */`]]);

      const found: string[] = [];
      for (const entry of await readdir(service.temporaryFolder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || entry.name.startsWith('jobs.')) continue; // jobs keep the files that they need
        const content = await readFile(join(entry.parentPath, entry.name)).catch(() => '');
        if (content.includes(MARKER)) found.push(entry.name);
      }
      expect(found).toEqual([]);
    });

    it.each([
      ['a name with ..', { '../a': '' }, 'files: "../a" must be a relative path'],
      ['an absolute name', { '/a': '' }, 'files: "/a" must be a relative path'],
      ['a name with a backslash', { 'a\\b': '' }, String.raw`files: "a\\b" must be a relative path`],
      ['a name with a NUL', { 'a\0': '' }, String.raw`files: "a\u0000" must be a relative path`],
      ['an empty name', { '': '' }, 'files: "" must be a relative path'],
      ['a long name', { ['a'.repeat(201)]: '' }, `files: "${'a'.repeat(64)}" must be a relative path`],
      ['other text', { a: '<b>' }, 'files: "a" must be base64 without line breaks'],
      ['a content that is no text', { a: 1 }, 'files.a: must be base64'],
      ['a list', ['a'], 'files: must be an object with file names'],
      [
        '101 files',
        Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, ''])),
        'files: may have at most 100 files',
      ],
    ])('are refused with %s', async (_name, files, details) => {
      const problem = expect.stringContaining(details);

      expect(readError(await captureOf({ html_content: PAGE, files }))).toEqual(invalid(problem));
      for (const [path, body] of [
        ['/sign', { params: { html_content: PAGE, files } }],
        ['/jobs', { capture: { html_content: PAGE, files } }],
        ['/jobs/batch', { captures: [{ html_content: PAGE, files }] }],
      ] as const) {
        expect(await postJson(path, body)).toMatchObject({ error_details: problem });
      }
    });

    it('are refused beside url', async () => {
      const answer = await captureOf({ url: site.url('/plain'), files: FILES });

      expect(readError(answer)).toEqual(
        invalid("files: can't be combined with url, it is for html_content and markdown_content"),
      );
    });
  });

  describe('as a multipart body', () => {
    const request = { html_content: PAGE, format: 'html' };

    it.each<[string, Fields | string, readonly Part[], string]>([
      [
        'two files of one name',
        request,
        [
          ['a', '1'],
          ['a', '2'],
        ],
        'files: a is there twice',
      ],
      ['two requests', request, [['request', '{}']], 'request: is there twice'],
      [
        'files in both places',
        { ...request, files: {} },
        [['a', '1']],
        'files: must not be in the part request if other parts have files',
      ],
      ['a name that leads out', request, [['a', '1', '../a']], 'files: "../a" must be a relative path'],
      ['a backslash', request, [['a\\b', '1']], String.raw`files: "a\\b" must be a relative path`],
      [
        '101 files',
        request,
        Array.from({ length: 101 }, (_, index) => [`f${index}`, '1']),
        'files: may have at most 100 files',
      ],
      ['no JSON', '{', [], 'The body must be valid JSON'],
      ['no object', '[]', [['a', '1']], 'The request must be a JSON object'],
    ])('is refused with %s', async (_name, json, parts, details) => {
      const answer = await postParts(json, parts);

      expect(readError(answer)).toEqual(invalid(expect.stringContaining(details)));
    });

    it('takes 20 MB of files, and no more', async () => {
      const [most, more] = [
        await postParts(request, [['a', new Uint8Array(20_000_000)]]),
        await postParts(request, [
          ['a', new Uint8Array(10_500_000)],
          ['b', new Uint8Array(10_500_000)],
        ]),
      ];

      expect(most.status).toBe(200);
      expect(readError(more)).toMatchObject({
        status: 413,
        error_type: 'PayloadTooLargeError',
        error_details: 'files: may have at most 20971520 bytes in total',
      });
    });

    it.each([
      ['no boundary', 'multipart/form-data; a=b', 'x', 'The multipart body has no boundary'],
      ['no part', 'multipart/form-data; boundary=B', 'x', 'The multipart body is not complete or not valid'],
      [
        'no part request',
        'multipart/form-data; boundary=B',
        `${part('a', 'b')}--B--\r\n`,
        'The multipart body must have a part named request with JSON',
      ],
      [
        'no end',
        'multipart/form-data; boundary=B',
        part('request', '{}'),
        'The multipart body is not complete or not valid',
      ],
      [
        'a NUL in a name',
        'multipart/form-data; boundary=B',
        `${part('a\0', 'b')}${part('request', '{}')}--B--\r\n`,
        String.raw`files: "a\u0000" must be a relative path`,
      ],
      [
        'a header without a name',
        'multipart/form-data; boundary=B',
        `--B\r\n x: y\r\n\r\n\r\n--B--\r\n`,
        'The multipart body must have a part named request with JSON',
      ],
    ])('is refused with %s', async (_name, type, body, details) => {
      const answer = await post('/capture', body, type);

      expect(await answer.json()).toMatchObject({
        error_type: 'ValidationError',
        error_details: expect.stringContaining(details),
      });
    });

    it('is for /capture and /jobs only', async () => {
      for (const path of ['/sign', '/jobs/batch']) expect((await postParts({}, [], path)).status).toBe(415);
    });
  });

  describe('with a base URL', () => {
    it('load as if they came from it, without a request to it', async () => {
      const base = site.url('/base/page?x=1');
      const from = site.requests.length;
      const html_content = `<!doctype html><link rel="stylesheet" href="real.css"><h1>Hello</h1><script>addEventListener('load', async () => {
        const again = await (await fetch('')).text();
        document.title = [location.href, origin, getComputedStyle(document.querySelector('h1')).color, again.length > 9].join(' ');
      })</script>`;

      const answer = await captureOf({ html_content, base_url: base, wait_for_function: 'document.title' });

      expect(titleIn(answer.body)).toBe(`${base} ${site.origin} rgb(4, 5, 6) true`);
      expect(site.requests.slice(from).map(({ path }) => path)).toEqual(['/base/real.css']);
      expect([answer.headers.get('X-Target-Url'), answer.headers.get('X-Target-Status')]).toEqual([null, null]);
    });

    it('resolve a base of the page against it', async () => {
      const html_content = '<base href="../base/"><link rel="stylesheet" href="real.css"><h1>Hello';
      const from = site.requests.length;

      await captureOf({ html_content, base_url: site.url('/other/page') });

      expect(site.requests.slice(from).map(({ path }) => path)).toEqual(['/base/real.css']);
    });

    it.each(['https://name.example/a/b.html?x=y#z', 'http://name.example', 'https://reader:secret@name.example/'])(
      'need no name that resolves: %s',
      async (base) => {
        const { protocol, pathname, search, hash } = new URL(base);
        const shown = `${protocol}//name.example${pathname}${search}${hash}`;

        const title = await titleOf({ html_content: PAGE, files: FILES, base_url: base });

        expect(title).toBe(`${shown} ${protocol === 'https:'} rgb(1, 2, 3) 7`);
      },
    );

    it('prefer files to what is there', async () => {
      const html_content =
        '<link rel="stylesheet" href="real.css"><h1>Hello</h1><script>onload = () => { document.title = getComputedStyle(document.querySelector("h1")).color }</script>';
      const base_url = site.url('/base/');

      expect(await titleOf({ html_content, base_url })).toBe('rgb(4, 5, 6)');
      expect(await titleOf({ html_content, base_url, files: { 'real.css': FILES['style.css'] } })).toBe('rgb(1, 2, 3)');
    });

    it.each([
      ['http://10.0.0.1/', { status: 400, error_type: 'DestinationNotAllowedError' }],
      ['file:///etc/', invalid(expect.stringMatching(/^base_url: must be an absolute http/))],
      [7, invalid(expect.stringMatching(/^base_url: must be an absolute http/))],
    ])('are refused if it is %s', async (base_url, expected) => {
      const fields = { html_content: PAGE, base_url };

      expect(readError(await captureOf(fields))).toMatchObject(expected);
      for (const [path, body] of [
        ['/sign', { params: fields }],
        ['/jobs', { capture: fields }],
        ['/jobs/batch', { captures: [fields] }],
      ] as const) {
        expect(await postJson(path, body)).toMatchObject({ error_type: expected.error_type });
      }
    });

    it('are refused beside url', async () => {
      const answer = await captureOf({ url: site.url('/plain'), base_url: site.origin });

      expect(readError(answer)).toEqual(
        invalid("base_url: can't be combined with url, it is for html_content and markdown_content"),
      );
    });
  });

  describe('as Markdown', () => {
    const markdown_content =
      '# A & <b>\n\n| a | b |\n|--:|---|\n| 1 | ~~2~~ |\n\n![p](img/a%20b.svg)\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1))';

    it('are shown as a page, with escaped HTML', async () => {
      const { body } = await captureOf({
        markdown_content,
        files: FILES,
        custom_js: "document.querySelector('img').alt = document.images[0].naturalWidth",
      });

      const html = body.toString();
      expect(titleIn(html)).toBe('A &amp; &lt;b&gt;');
      for (const piece of [
        '<h1 id="a--b">A &amp; &lt;b&gt;</h1>',
        '<th style="text-align:right">a</th>',
        '<s>2</s>',
        'alt="7"',
        '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>',
        '<p>[x](javascript:alert(1))</p>',
      ])
        expect(html).toContain(piece);
    });

    it('take base_url, custom_css and any format', async () => {
      const fields = {
        markdown_content: '# Report\n\n[next](next.html)',
        base_url: 'https://name.example/docs/',
      };

      const text = await captureOf({ ...fields, format: 'markdown', main_content: false });
      const styled = await captureOf({
        ...fields,
        custom_css: 'h1 { color: rgb(1, 2, 3) }',
        custom_js: 'document.title = getComputedStyle(document.querySelector("h1")).color',
      });
      const pdf = await captureOf({ ...fields, format: 'pdf' });

      expect(text.body.toString()).toBe('# Report\n\n[next](https://name.example/docs/next.html)\n');
      expect(titleIn(styled.body)).toBe('rgb(1, 2, 3)');
      expect((await readPdf(pdf.body)).facts).toMatchObject({ Title: 'Report' });
    });

    it.each([
      [{ markdown_content: '' }, 'markdown_content: must be Markdown as text'],
      [{ markdown_content: 7 }, 'markdown_content: must be Markdown as text'],
      [{ markdown_content: 'a', html_content: 'b' }, "markdown_content: can't be combined with url or html_content"],
      [
        { markdown_content: 'a', url: 'https://example.com/' },
        "markdown_content: can't be combined with url or html_content",
      ],
    ])('are refused: %j', async (fields, details) => {
      expect(readError(await captureOf(fields))).toEqual(invalid(details));
    });

    it.each([
      ['nested quotes', `${'>'.repeat(100_000)}a`],
      ['open brackets', '['.repeat(100_000)],
      ['open emphasis', '*a_'.repeat(50_000)],
    ])('convert hostile text in time: %s', async (_name, text) => {
      expect((await captureOf({ markdown_content: text })).status).toBe(200);
    });
  });
});
