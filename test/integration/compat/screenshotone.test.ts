import { createHmac, hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APIError, Client, TakeOptions } from 'screenshotone-api-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringToSign } from '../../../src/core/access/signed-text.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { readPdf } from '../../support/pdf.ts';
import { type Picture, readPicture } from '../../support/pixels.ts';
import { type RunningService, startService } from '../../support/service.ts';

const TOKEN = 'token-of-shop';
const SECRET = 's'.repeat(40);
const KEYS = {
  keys: [
    { id: 'shop', token_sha256: [hash('sha256', TOKEN, 'hex')], signing_secrets: [`${SECRET}-new`, SECRET] },
    { id: 'mail', signing_secrets: [`${SECRET}-of-mail`], scopes: ['jobs'] },
    { id: 'old', signing_secrets: [`${SECRET}-of-old`], disabled: true },
  ],
};
const RED = [255, 0, 0];
const BLUE = [0, 0, 255];

const sign = (text: string, encoding: 'hex' | 'base64url'): string =>
  createHmac('sha256', SECRET).update(text).digest(encoding);

const ofHtml = (html: string): TakeOptions =>
  TakeOptions.html(`<!doctype html><body style="margin:0">${html}`).viewportWidth(200).viewportHeight(100);
const media = (query: string): string => `<style>@media ${query} { body { background: #00f } }</style>`;

describe('clients of ScreenshotOne', () => {
  let site: FixtureSite;
  let service: RunningService;
  let folder: string;
  let client: Client;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'screenshotone-test-'));
    await writeFile(join(folder, 'keys.json'), JSON.stringify(KEYS));
    [site, service] = await Promise.all([
      createFixtureSite({
        moreRoutes: {
          '/echo': ({ request, response }) =>
            void response.end(
              `<p>${request.headers['user-agent']}<p>sample ${String(request.headers['x-sample'])}<p>auth ${request.headers.authorization}<p>cookie ${request.headers.cookie}`,
            ),
        },
      }),
      startService(
        {
          COMPAT: 'screenshotone',
          KEYS_FILE: join(folder, 'keys.json'),
          SIGNED_URL_ALLOW: 'custom_js,cookies,custom_headers,actions,store,store_path',
          MAX_WAIT_MS: '2500',
        },
        { stores: true },
      ),
    ]);
    client = new Client('shop', SECRET, service.url);
  });
  afterAll(async () => {
    await Promise.all([service[Symbol.asyncDispose](), site.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const bytesOf = async (options: TakeOptions): Promise<Buffer> =>
    Buffer.from(await (await client.take(options)).arrayBuffer());
  const pictureOf = async (options: TakeOptions): Promise<Picture> => readPicture(await bytesOf(options));
  const textOf = async (options: TakeOptions): Promise<string> =>
    (await bytesOf(options.format('markdown'))).toString().trim();
  const colourOf = async (options: TakeOptions): Promise<readonly number[]> =>
    (await pictureOf(options.format('png'))).pixel(9, 9).slice(0, 3);
  const pdfOf = async (options: TakeOptions) => readPdf(await bytesOf(options.format('pdf')));
  const box = '<div id="box" style="width:60px;height:40px;background:#f00"></div>';

  describe('take', () => {
    const calls: Readonly<Record<string, () => Promise<void>>> = {
      'a jpeg of 1280 x 1024 by default': async () =>
        expect(await pictureOf(TakeOptions.html('a'))).toMatchObject({
          format: 'jpeg',
          width: 1280,
          height: 1024,
        }),
      'a window of a size': async () => expect(await pictureOf(ofHtml('a'))).toMatchObject({ width: 200, height: 100 }),
      png: async () => expect(await pictureOf(ofHtml('a').format('png'))).toMatchObject({ format: 'png' }),
      jpg: async () =>
        expect(await pictureOf(ofHtml('a').format('jpg').imageQuality(40))).toMatchObject({ format: 'jpeg' }),
      webp: async () => expect(await pictureOf(ofHtml('a').format('webp'))).toMatchObject({ format: 'webp' }),
      avif: async () => expect(await pictureOf(ofHtml('a').format('avif'))).toMatchObject({ format: 'avif' }),
      html: async () => expect((await bytesOf(ofHtml('<b>Hi</b>').format('html'))).toString()).toContain('<b>Hi</b>'),
      markdown: async () => expect(await textOf(ofHtml('<h1>Hi</h1>'))).toBe('# Hi'),
      'a page of Markdown': async () => expect(await textOf(TakeOptions.markdown('# Hi\n\nText'))).toBe('# Hi\n\nText'),
      'a URL': async () => expect(await textOf(TakeOptions.url(site.url('/document')))).toContain('## Outlook'),
      'the whole page': async () =>
        expect(await pictureOf(ofHtml('<div style="height:700px">').fullPage(true))).toMatchObject({
          height: 700,
        }),
      'a whole page of a maximum height': async () =>
        expect(
          await pictureOf(ofHtml('<div style="height:700px">').fullPage(true).fullPageMaxHeight(300)),
        ).toMatchObject({ height: 300 }),
      'a whole page without scrolling, in any algorithm': async () =>
        expect(
          await pictureOf(
            ofHtml('<div style="height:700px">')
              .fullPage(true)
              .fullPageScroll(false)
              .fullPageAlgorithm('by_sections')
              .fullPageScrollDelay(1),
          ),
        ).toMatchObject({ height: 700 }),
      'an element': async () =>
        expect(await pictureOf(ofHtml(box).selector('#box'))).toMatchObject({ width: 60, height: 40 }),
      'a rectangle': async () =>
        expect(await pictureOf(ofHtml(box).clipX(10).clipY(10).clipWidth(30).clipHeight(20))).toMatchObject({
          width: 30,
          height: 20,
        }),
      'a density': async () => expect(await pictureOf(ofHtml('a').deviceScaleFactor(2))).toMatchObject({ width: 400 }),
      'a smaller picture': async () =>
        expect(await pictureOf(ofHtml('a').imageWidth(100))).toMatchObject({ width: 100, height: 50 }),
      'a device': async () =>
        expect(await pictureOf(TakeOptions.html('a').viewportDevice('iphone_8'))).toMatchObject({
          width: 750,
        }),
      'a device in landscape': async () =>
        expect(await pictureOf(TakeOptions.html('a').viewportDevice('iphone_8').viewportLandscape(true))).toMatchObject(
          { width: 1334 },
        ),
      'a phone': async () => {
        const html =
          '<meta name=viewport content="width=400"><script>document.write("<p>" + innerWidth + navigator.maxTouchPoints)</script>';
        expect(await textOf(ofHtml(html).viewportMobile(true).viewportHasTouch(true))).toMatch(/^400[1-9]/);
      },
      'a transparent background': async () =>
        expect((await pictureOf(ofHtml('').format('png').omitBackground(true))).pixel(9, 9)).toEqual([0, 0, 0, 0]),
      'dark mode': async () =>
        expect(await colourOf(ofHtml(media('(prefers-color-scheme: dark)')).darkMode(true))).toEqual(BLUE),
      'reduced motion': async () =>
        expect(await colourOf(ofHtml(media('(prefers-reduced-motion: reduce)')).reducedMotion(true))).toEqual(BLUE),
      'the media type print': async () =>
        expect(await colourOf(ofHtml(media('print')).mediaType('print'))).toEqual(BLUE),
      styles: async () => expect(await colourOf(ofHtml('').styles('body { background: #f00 }'))).toEqual(RED),
      scripts: async () =>
        expect(await colourOf(ofHtml('').scripts("document.body.style.background = '#f00'"))).toEqual(RED),
      'hidden elements': async () =>
        expect(await textOf(ofHtml('<p>a</p><p class=x>b</p><p id=y>c</p>').hideSelectors('.x', '#y'))).toBe('a'),
      'a click': async () =>
        expect(
          await textOf(ofHtml('<button onclick="document.body.innerText = \'clicked\'">b</button>').click('button')),
        ).toBe('clicked'),
      'a click on an element that may be missing': async () =>
        expect(await textOf(ofHtml('<p>a</p>').click('#none').errorOnClickSelectorNotFound(false).timeout(0.2))).toBe(
          'a',
        ),
      'a hover': async () =>
        expect(
          await colourOf(
            ofHtml('<style>body:has(#box:hover) { background: #00f } #box { margin: 30px }</style>' + box).hover(
              '#box',
            ),
          ),
        ).toEqual(BLUE),
      'a scroll into view': async () =>
        expect(
          await colourOf(
            ofHtml(
              `<div style="height:3000px"></div><div id=end style="height:300px;background:#f00"></div>`,
            ).scrollIntoView('#end'),
          ),
        ).toEqual(RED),
      'a user agent': async () =>
        expect(await textOf(TakeOptions.url(site.url('/echo')).userAgent('Sample/1.0'))).toContain('Sample/1.0'),
      headers: async () =>
        expect(await textOf(TakeOptions.url(site.url('/echo')).headers('X-Sample: yes', 'X-Other: no'))).toContain(
          'sample yes',
        ),
      authorization: async () =>
        expect(await textOf(TakeOptions.url(site.url('/echo')).authorization('Bearer abc'))).toContain(
          'auth Bearer abc',
        ),
      cookies: async () =>
        expect(
          await textOf(TakeOptions.url(site.url('/echo')).cookies('a=1; Path=/; HttpOnly; SameSite=Lax', 'b=2')),
        ).toContain('cookie a=1; b=2'),
      'a time zone': async () => {
        const html = '<script>document.write("<p>" + Intl.DateTimeFormat().resolvedOptions().timeZone)</script>';
        expect(await textOf(ofHtml(html).timeZone('Asia/Tokyo'))).toBe('Asia/Tokyo');
      },
      'a position': async () => {
        const script =
          "navigator.geolocation.getCurrentPosition(({ coords }) => { document.body.innerText = coords.latitude; document.body.id = 'done' })";
        const options = TakeOptions.url(site.url('/plain')).scripts(script).waitForSelector('#done');
        expect(await textOf(options.geolocationLatitude(47.5).geolocationLongitude(8).geolocationAccuracy(5))).toBe(
          '47.5',
        );
      },
      'without ads, trackers, chats, social media and banners': async () =>
        expect(
          await textOf(
            TakeOptions.url(site.url('/document'))
              .blockAds(true)
              .blockTrackers(true)
              .blockChats(true)
              .blockSocials(true)
              .blockCookieBanners(true)
              .blockBannersByHeuristics(true),
          ),
        ).toContain('Outlook'),
      'without requests and resources': async () => {
        const before = site.requests.length;
        await bytesOf(
          TakeOptions.url(site.url('/colours'))
            .blockRequests('*/picture*', 'other')
            .blockResources('image', 'eventsource'),
        );
        expect(site.requests.slice(before).filter(({ path }) => /picture|png/.test(path))).toEqual([]);
      },
      'after a selector': async () => {
        const html = "<script>setTimeout(() => { document.body.innerHTML = '<p id=d>later' }, 50)</script>";
        expect(await textOf(ofHtml(html).waitForSelector('#d'))).toBe('later');
      },
      'after an idle network and a delay': async () =>
        expect(
          await textOf(TakeOptions.url(site.url('/document')).waitUntil('load', 'networkidle0').delay(0.1)),
        ).toContain('Outlook'),
      'an error page, if errors are ignored': async () =>
        expect(await pictureOf(TakeOptions.url(site.url('/status/404')).ignoreHostErrors(true))).toMatchObject({
          format: 'jpeg',
        }),
      'from the cache': async () => {
        const link = await client.generateSignedTakeURL(ofHtml('cached').cache(true).cacheTtl(60));
        const answers = [await fetch(link), await fetch(link)];
        expect(answers.map(({ headers }) => headers.get('x-cache'))).toEqual(['MISS', 'HIT']);
      },
      'a pdf': async () => {
        const { pages } = await pdfOf(ofHtml('<p>Text').pdfPaperFormat('letter').pdfLandscape(true).pdfMargin('10mm'));
        expect([pages[0]?.text, Math.round(pages[0]?.widthPt ?? 0)]).toEqual(['Text', 792]);
      },
      'a pdf on one page, with a margin': async () => {
        const { pages } = await pdfOf(
          ofHtml('<div style="height:3000px">Text').pdfFitOnePage(true).pdfMarginLeft('1in').pdfPrintBackground(true),
        );
        expect([pages.length, Math.round(pages[0]?.runs[0]?.leftPt ?? 0)]).toEqual([1, 72]);
      },
      'a stored picture': async () => {
        const { key } = await client.store(ofHtml('a'), 'shots/a');
        expect(key).toBe('shots/a.jpeg');
      },
      'a name for the file': async () => {
        const answer = await fetch(await client.generateSignedTakeURL(ofHtml('a').attachmentName('shot')));
        expect(answer.headers.get('content-disposition')).toBe('attachment; filename=shot.jpeg');
      },
      'with options that change nothing here': async () =>
        expect(
          await pictureOf(
            ofHtml(box)
              .selector('#box')
              .selectorAlgorithm('clip')
              .captureBeyondViewport(true)
              .bypassCsp(true)
              .requestGpuRendering(false)
              .externalIdentifier('a1')
              .serversRegion('us-east')
              .includeShadowDom(true),
          ),
        ).toMatchObject({ width: 60 }),
      'with refusable options that are off': async () =>
        expect(await pictureOf(ofHtml('a').async(false).fullPageSlices(false).metadataFonts(false))).toMatchObject({
          width: 200,
        }),
    };

    it.each(Object.keys(calls))('%s', async (name) => {
      expect.hasAssertions();
      await calls[name]?.();
    });
  });

  describe('get errors in the form of ScreenshotOne', () => {
    const cases: Readonly<
      Record<string, readonly [status: number, code: string, message: RegExp, options: () => TakeOptions]>
    > = {
      'no page': [400, 'request_not_valid', /url or html_content|url/, () => TakeOptions.url('')],
      'a wrong number': [
        400,
        'request_not_valid',
        /viewport_width: must be a whole number/,
        () => ofHtml('a').viewportWidth(0),
      ],
      'a gif': [400, 'request_not_valid', /format: gif is not supported/, () => ofHtml('a').format('gif')],
      'an unknown format': [400, 'request_not_valid', /format: must be/, () => ofHtml('a').format('bmp')],
      'a proxy': [400, 'request_not_valid', /proxy: is not supported/, () => ofHtml('a').proxy('http://p.example')],
      'a country': [
        400,
        'request_not_valid',
        /ip_country_code: is not supported/,
        () => ofHtml('a').ipCountryCode('de'),
      ],
      slices: [400, 'request_not_valid', /full_page_slices: is not supported/, () => ofHtml('a').fullPageSlices(true)],
      'a webhook': [400, 'request_not_valid', /POST \/jobs/, () => ofHtml('a').async(true)],
      metadata: [
        400,
        'request_not_valid',
        /metadata_page_title: is not supported/,
        () => ofHtml('a').metadataPageTitle(true),
      ],
      'a bucket': [400, 'request_not_valid', /storage_bucket: is not supported/, () => ofHtml('a').storageBucket('b')],
      'two texts': [400, 'request_not_valid', /only one text/, () => ofHtml('a').failIfContentContains('a', 'b')],
      'a missing element': [400, 'selector_not_found', /./, () => ofHtml('a').selector('#none')],
      'a text that must not be there': [
        400,
        'content_contains_specified_string',
        /./,
        () => ofHtml('Error').failIfContentContains('Error'),
      ],
      'an error page': [500, 'host_returned_error', /404/, () => TakeOptions.url(site.url('/status/404'))],
      'a selector that never comes': [
        500,
        'timeout_error',
        /./,
        () => ofHtml('a').waitForSelector('#none').timeout(0.2),
      ],
      'a private address': [400, 'invalid_url', /not allowed/, () => TakeOptions.url('http://10.0.0.1/')],
    };

    it.each(Object.keys(cases))('%s', async (name) => {
      const [status, code, message, options] = cases[name] ?? [0, '', /./, () => ofHtml('')];

      const error: unknown = await client.take(options()).catch((failure: unknown) => failure);

      if (!(error instanceof APIError)) throw error;
      expect(error).toMatchObject({ httpStatusCode: status, errorCode: code });
      expect(error.message).toMatch(message);
    });
  });

  const takeUrl = (params: Readonly<Record<string, string>>, secret?: string): string => {
    const query = new URLSearchParams({ html: 'a', ...params }).toString();
    const signature =
      secret === undefined ? '' : `&signature=${createHmac('sha256', secret).update(query).digest('hex')}`;
    return `${service.url}/take?${query}${signature}`;
  };

  const post = (authorization: string, body: object) =>
    fetch(`${service.url}/take`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  describe('credentials', () => {
    it.each([
      ['a link by the first secret', 200, () => takeUrl({ access_key: 'shop' }, `${SECRET}-new`)],
      ['a link by another secret of the key', 200, () => takeUrl({ access_key: 'shop' }, SECRET)],
      ['a link without a signature', 401, () => takeUrl({ access_key: 'shop' })],
      ['no credentials', 401, () => takeUrl({})],
      ['a wrong signature', 403, () => takeUrl({ access_key: 'shop' }, 'wrong')],
      ['an empty signature', 403, () => `${takeUrl({ access_key: 'shop' })}&signature=`],
      ['a changed link', 403, () => `${takeUrl({ access_key: 'shop' }, SECRET)}&full_page=true`],
      ['a link of an unknown key', 403, () => takeUrl({ access_key: 'none' }, SECRET)],
      ['a link of a disabled key', 403, () => takeUrl({ access_key: 'old' }, `${SECRET}-of-old`)],
      ['a link by the secret of another key', 403, () => takeUrl({ access_key: 'shop' }, `${SECRET}-of-mail`)],
      ['a link of a key without the scope', 403, () => takeUrl({ access_key: 'mail' }, `${SECRET}-of-mail`)],
    ])('%s gets %d', async (_case, status, url) => {
      expect((await fetch(url())).status).toBe(status);
    });

    it.each([
      ['with an end', 'expires=9999999999&url=http://a.test/?x=1&access_key=shop'],
      ['of another key', 'key=shop&html=a&access_key=shop'],
      ['with a second page', 'selector=x&access_key=shop&url=http://b.test/&url=http://a.test/'],
      ['with a second source', 'html_content=x&access_key=shop&html=b'],
      ['of a template', 'data={"x":"&access_key=shop&html=b"}&template=card'],
      ['whose key has an encoded name', 'access%5Fkey=shop&html=a'],
    ])('a signed text of our links %s is worth nothing here', async (_which, text) => {
      const answer = await fetch(`${service.url}/take?${text}&signature=${sign(text, 'hex')}`);

      expect(answer.status).toBe(403);
    });

    it.each<Readonly<Record<string, string>>>([
      { access_key: 'shop', html_content: 'a' },
      { block_media: 'true&access_key=shop', html_content: 'a' },
      { html_content: 'a&access_key=shop' },
    ])('a signature of a link of theirs is worth nothing on /capture: %o', async (given) => {
      const params = { ...given, key: 'shop' };
      const query = new URLSearchParams(params).toString();
      const signature = sign(stringToSign(new Map(Object.entries(params))), 'base64url');

      expect((await fetch(`${service.url}/capture?${query}&signature=${signature}`)).status).toBe(400);
    });

    it('a bearer token may post JSON, with lists', async () => {
      const body = {
        html: '<p>a</p><p class=x>b',
        format: 'markdown',
        hide_selectors: ['.x'],
        selector: null,
      };

      const [right, wrong] = await Promise.all([post(`Bearer ${TOKEN}`, body), post('Bearer wrong', body)]);

      expect([right.status, (await right.text()).trim(), wrong.status]).toEqual([200, 'a', 403]);
    });

    it('a signed link takes no body, which its holder could change', async () => {
      const answer = await fetch(takeUrl({ access_key: 'shop' }, SECRET), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"full_page": true}',
      });

      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({ error_code: 'request_not_valid' }),
      ]);
    });
  });

  it('refuses private addresses in every spelling, and what links may not contain', async () => {
    await using inner = await startService({
      COMPAT: 'screenshotone',
      EGRESS_ALLOW: '',
      URL_SIGNING_SECRET: SECRET,
      AUTH_TOKEN: TOKEN,
    });
    const strict = new Client('default', SECRET, inner.url);
    const failureOf = async (options: TakeOptions): Promise<unknown> =>
      await strict.take(options).catch((failure: unknown) => failure);
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

    const refusals = await Promise.all(addresses.map((url) => failureOf(TakeOptions.url(url))));
    const sensitive = await Promise.all(
      [
        ofHtml('a').scripts('1'),
        ofHtml('a').click('a'),
        TakeOptions.url('http://a.test/').cookies('a=b'),
        ofHtml('a').store(true),
      ].map(failureOf),
    );

    expect(refusals).toMatchObject(addresses.map(() => ({ errorCode: 'invalid_url' })));
    expect(sensitive).toMatchObject(
      ['scripts', 'click', 'cookies', 'store'].map(() => ({
        errorCode: 'request_not_valid',
        message: expect.stringContaining('SIGNED_URL_ALLOW'),
      })),
    );
  });
});
