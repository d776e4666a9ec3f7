import { hash } from 'node:crypto';
import { globSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BatchScrapeOptions, type Document, Firecrawl, type ScrapeOptions, SdkError } from 'firecrawl';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { createJobId } from '../../../src/parts/jobs/job-id.ts';
import { type Picture, readPicture } from '../../support/pixels.ts';
import { type RunningService, startService } from '../../support/service.ts';

const TOKENS = ['shop', 'reader', 'other'];
const KEYS = {
  keys: TOKENS.map((id) => ({
    id,
    token_sha256: [hash('sha256', `token-of-${id}`, 'hex')],
    scopes: id === 'reader' ? ['capture'] : ['capture', 'jobs'],
    deny_fields: id === 'reader' ? ['store'] : [],
  })),
};
const HEAD =
  '<title>Sample</title><meta name=description content="About it"><meta property="og:image:width" content="640"><link rel=icon href="/i.png">';
const ARTICLE = `<nav>Menu</nav><main><h1>Head</h1><p>${'A sentence of the article. '.repeat(20)}<a href="/a">one</a> <a href="/a">again</a></main>`;

describe('clients of Firecrawl', () => {
  let site: FixtureSite;
  let service: RunningService;
  let folder: string;
  let client: Firecrawl;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firecrawl-test-'));
    await writeFile(join(folder, 'keys.json'), JSON.stringify(KEYS));
    [site, service] = await Promise.all([
      createFixtureSite({
        moreRoutes: {
          '/article': ({ response }) => void response.end(`<!doctype html><html lang=en>${HEAD}${ARTICLE}`),
          '/echo': ({ request, response }) => {
            const { 'user-agent': agent, 'x-sample': sample, 'accept-language': language } = request.headers;
            response.end(`<p>${agent}<p>sample ${String(sample)}<p>language ${language}`);
          },
          '/noise': ({ response }) =>
            void response.end(`<!doctype html><body style="margin:0"><canvas width=1500 height=1400></canvas><script>
              const context = document.querySelector('canvas').getContext('2d');
              const image = context.createImageData(1500, 1400);
              for (let at = 0; at < image.data.length; at += 65536) crypto.getRandomValues(image.data.subarray(at, at + 65536));
              context.putImageData(image, 0, 0);</script>`),
          '/files-in-data': ({ response }) =>
            void response.end(
              `<!doctype html><meta name="og:x" property="base64" content='a"b'><meta name="og:y" property="og:file" content='"file":{"base64":"x"'><p>a`,
            ),
          '/posts': ({ response }) =>
            void response.end(
              '<title>P</title><h1>Posts</h1><p class=post>One <b>bold</b></p><p class=ad>Buy</p><p class=post>Two</p><p class=tag>Tag</p>',
            ),
          '/links': ({ response }) =>
            void response.end(
              '<a href="/b?x=1#y">Prices</a> <a href="/a">One</a> <a href="https://example.com/">Else</a>',
            ),
          '/sitemap.xml': ({ request, response }) =>
            void response
              .setHeader('Content-Type', 'application/xml')
              .end(
                `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://${request.headers.host}/listed</loc></url></urlset>`,
              ),
          '/away': ({ response }) => void response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
          '/form': ({ response }) =>
            void response.end(
              `<!doctype html><input id=name><button onclick="out.textContent = 'Hello ' + document.querySelector('#name').value">Go</button>
              <div style="height:3000px"></div><p id=out></p><script>addEventListener('scroll', () => { out.title = scrollY })</script>`,
            ),
          '/dark': ({ response }) =>
            void response.end('<body style="margin:0;background:#00f"><div style="height:1500px">'),
        },
      }),
      startService(
        {
          COMPAT: 'firecrawl',
          KEYS_FILE: join(folder, 'keys.json'),
          MAX_WAIT_MS: '2500',
          STORAGE: `file:${join(folder, 'stored')}`,
          URL_SIGNING_SECRET: 's'.repeat(40),
        },
        { stores: true },
      ),
    ]);
    client = clientOf('shop');
  });
  afterAll(async () => {
    await Promise.all([service[Symbol.asyncDispose](), site.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const clientOf = (id: string): Firecrawl => new Firecrawl({ apiKey: `token-of-${id}`, apiUrl: service.url });
  const scrape = async (path: string, options?: ScrapeOptions): Promise<Document> =>
    await client.scrape(site.url(path), options);
  const screenshotOf = async (options: ScrapeOptions): Promise<Picture> => {
    const { screenshot = '' } = await scrape('/dark', options);
    return await readPicture(Buffer.from(await (await fetch(screenshot)).arrayBuffer()));
  };

  const get = async (path: string, body?: object): Promise<object> => {
    const headers = { Authorization: 'Bearer token-of-shop', 'Content-Type': 'application/json' };
    const answer = await fetch(`${service.url}${path}`, {
      headers,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: answer.status, ...(await answer.json()) };
  };

  describe('other routes', () => {
    it('lists the links of a page and the sitemap of its site', async () => {
      const { links } = await client.map(site.url('/links'));
      const listed = await get('/v1/map', { url: site.url('/links'), sitemapOnly: true });
      const found = await client.map(site.url('/links'), { search: 'PRICES', sitemap: 'skip', limit: 1 });

      expect(links).toEqual([
        { url: site.url('/listed') },
        { url: site.url('/b'), title: 'Prices' },
        { url: site.url('/a'), title: 'One' },
      ]);
      expect(listed).toMatchObject({ success: true, links: [site.url('/listed')] });
      expect(found.links).toEqual([{ url: site.url('/b'), title: 'Prices' }]);
      await expect(client.map(site.url('/without-sitemap/'))).resolves.toBeDefined();
      await expect(client.map('http://10.0.0.1/')).rejects.toMatchObject({ status: 400 });
      expect(await get('/v2/map', { url: 7 })).toMatchObject({ status: 400, success: false });
    });

    it('has the quota of the key as credits', async () => {
      expect(await client.getCreditUsage()).toMatchObject({ remainingCredits: 1_000_000_000 });
      expect(await get('/v1/team/credit-usage')).toMatchObject({ success: true });
    });

    it.each(['crawl', 'search', 'extract', 'deep-research', 'llmstxt'])(
      'says that /%s is not offered',
      async (name) => {
        const refusal = { status: 404, success: false, code: 'NotFoundError' };
        expect(await get(`/v1/${name}`, {})).toMatchObject(refusal);
        expect(await get(`/v2/${name}`, {})).toMatchObject({
          ...refusal,
          error: expect.stringMatching(/^The service does not have this part of Firecrawl: ./),
        });
      },
    );
  });

  describe('scrape', () => {
    const calls: Readonly<Record<string, () => Promise<void>>> = {
      'markdown of the main content, and metadata': async () => {
        const { markdown, metadata, html } = await scrape('/article');
        expect(markdown).toMatch(/^# Sample\n\n## Head\n\nA sentence/);
        expect(markdown).not.toContain('Menu');
        expect(html).toBeUndefined();
        expect(metadata).toEqual({
          title: 'Sample',
          description: 'About it',
          language: 'en',
          ogImageWidth: '640',
          favicon: site.url('/i.png'),
          sourceURL: site.url('/article'),
          url: site.url('/article'),
          statusCode: 200,
        });
      },
      'the whole page': async () =>
        expect((await scrape('/article', { onlyMainContent: false })).markdown).toContain('Menu'),
      'html, raw HTML and links': async () => {
        const { markdown, html, rawHtml, links } = await scrape('/article', {
          formats: ['html', 'rawHtml', { type: 'links' }],
        });
        expect([markdown, links]).toEqual([undefined, [site.url('/a')]]);
        expect([html, rawHtml]).toEqual([expect.stringContaining('<nav>Menu'), html]);
      },
      'a screenshot, as a stored link': async () => {
        const { screenshot, markdown } = await scrape('/dark', { formats: ['screenshot', 'markdown'] });
        expect(screenshot).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/stored\/.*\.png\?/);
        expect(markdown).toBe('');
      },
      'a screenshot of 1280 x 800': async () =>
        expect(await screenshotOf({ formats: ['screenshot'] })).toMatchObject({
          format: 'png',
          width: 1280,
          height: 800,
        }),
      'a screenshot of the whole page, of a quality and a width': async () =>
        expect(
          await screenshotOf({
            formats: [{ type: 'screenshot', fullPage: true, quality: 50, viewport: { width: 300, height: 200 } }],
          }),
        ).toMatchObject({ format: 'jpeg', width: 300, height: 1500 }),
      'tags that are included and excluded': async () => {
        const { markdown } = await scrape('/article', { includeTags: ['h1', 'main'], excludeTags: ['p'] });
        expect(markdown).toBe('# Head\n');
      },
      'all matches of the included tags, in HTML, too': async () => {
        const tags = await scrape('/posts', {
          formats: ['markdown', 'html'],
          includeTags: ['.post', '.post b', '.tag'],
        });
        expect(tags.markdown).toBe('One **bold**\n\nTwo\n\nTag\n');
        expect(tags.html?.match(/<p[^>]*>/g)).toHaveLength(3);
        await expect(scrape('/posts', { includeTags: ['.none'] })).rejects.toThrow('.none');
      },
      'HTML without the excluded tags': async () => {
        const { html } = await scrape('/posts', { formats: ['html'], excludeTags: ['.ad', '.post b'] });
        expect([html?.includes('Buy'), html?.includes('bold'), html?.includes('Two')]).toEqual([false, false, true]);
      },
      headers: async () =>
        expect((await scrape('/echo', { headers: { 'X-Sample': 'yes' } })).markdown).toContain('sample yes'),
      'a phone': async () => expect((await scrape('/echo', { mobile: true })).markdown).toContain('iPhone'),
      'a language': async () =>
        expect((await scrape('/echo', { location: { languages: ['de-DE', 'en'] } })).markdown).toContain(
          'language de-DE',
        ),
      'after actions': async () => {
        const { markdown } = await scrape('/form', {
          onlyMainContent: false,
          actions: [
            { type: 'wait', selector: '#name' },
            { type: 'click', selector: '#name' },
            { type: 'write', text: 'you' },
            { type: 'press', key: 'Tab' },
            { type: 'click', selector: 'button' },
            { type: 'scroll', direction: 'down' },
            { type: 'wait', milliseconds: 10 },
          ],
        });
        expect(markdown).toContain('Hello you');
      },
      'after a pause': async () => {
        const startedAt = performance.now();
        await scrape('/dark', { waitFor: 300, timeout: 2_000 });
        expect(performance.now() - startedAt).toBeGreaterThan(300);
      },
      'with options that change nothing here': async () => {
        const options = {
          parsers: ['pdf'],
          proxy: 'auto',
          removeBase64Images: true,
          storeInCache: false,
          fastMode: true,
        };
        const { markdown } = await scrape('/article', {
          ...options,
          blockAds: false,
          skipTlsVerification: true,
          maxAge: 500,
        });
        expect(markdown).toContain('# Head');
      },
      'an error page, with its status': async () =>
        expect((await scrape('/status/404')).metadata?.statusCode).toBe(404),
      'a page whose requests do not end, with a warning': async () =>
        expect((await scrape('/article', { formats: ['markdown'], timeout: 2_000 })).warning).toBeUndefined(),
      'by version 1': async () => {
        const answer = await client.v1.scrapeUrl(site.url('/dark'), { formats: ['markdown', 'screenshot@fullPage'] });
        if (!answer.success) throw new Error(answer.error);
        expect(answer.screenshot).toMatch(/\/stored\//);
      },
    };

    it.each(Object.keys(calls))('%s', async (name) => {
      expect.hasAssertions();
      await calls[name]?.();
    });

    it.each(['shop', 'reader'])('a page whose own data looks like a file, for the key %s', async (id) => {
      const found = await clientOf(id).scrape(site.url('/files-in-data'), { formats: ['screenshot', 'markdown'] });

      expect(found.screenshot).toMatch(id === 'shop' ? /^http/ : /^data:image\/png;base64,/);
      expect(JSON.stringify(found.metadata)).toContain('a\\"b');
    });

    it('a screenshot as a data URI, for a key that may not store', async () => {
      const { screenshot = '' } = await clientOf('reader').scrape(site.url('/dark'), { formats: ['screenshot'] });

      expect(screenshot).toMatch(/^data:image\/png;base64,/);
      const picture = await readPicture(Buffer.from(await (await fetch(screenshot)).arrayBuffer()));
      expect(picture.pixel(9, 9).slice(0, 3)).toEqual([0, 0, 255]);
    });
  });

  describe('get errors in the form of Firecrawl', () => {
    const cases: Readonly<
      Record<string, readonly [status: number, code: string, error: RegExp, call: () => Promise<unknown>]>
    > = {
      'a format that we do not have': [
        400,
        'BAD_REQUEST',
        /formats: summary: only markdown, html/,
        async () => await scrape('/dark', { formats: ['summary'] }),
      ],
      'a country': [
        400,
        'BAD_REQUEST',
        /location\.country: is not supported/,
        async () => await scrape('/dark', { location: { country: 'DE' } }),
      ],
      'another proxy': [
        400,
        'BAD_REQUEST',
        /proxy: must be basic or auto/,
        async () => await scrape('/dark', { proxy: 'stealth' }),
      ],
      'an action that we do not have': [
        400,
        'BAD_REQUEST',
        /actions\[1\]: must be one of wait/,
        async () => await scrape('/dark', { actions: [{ type: 'press', key: 'Tab' }, { type: 'scrape' }] }),
      ],
      'scrolling inside an element': [
        400,
        'BAD_REQUEST',
        /actions\[0\]: scrolling/,
        async () => await scrape('/dark', { actions: [{ type: 'scroll', direction: 'down', selector: 'div' }] }),
      ],
      'a pause that is too long': [
        400,
        'BAD_REQUEST',
        /waitFor: must be/,
        async () => await scrape('/dark', { waitFor: 60_000 }),
      ],
      'no address': [
        400,
        'BAD_REQUEST',
        /url: is required/,
        async () => await client.scrape(' ,').catch(async () => await post('/v2/scrape', {})),
      ],
      'a private address': [
        400,
        'DestinationNotAllowedError',
        /not allowed/,
        async () => await client.scrape('http://10.0.0.1/'),
      ],
      'an action whose element is missing': [
        400,
        'SCRAPE_ACTION_ERROR',
        /#none/,
        async () => await scrape('/dark', { timeout: 200, actions: [{ type: 'click', selector: '#none' }] }),
      ],
      'a page that cannot be reached': [
        500,
        'SCRAPE_ALL_ENGINES_FAILED',
        /./,
        async () => await client.scrape('http://127.0.0.1:9/'),
      ],
      'a page that does not come': [408, 'SCRAPE_TIMEOUT', /./, async () => await scrape('/never', { timeout: 200 })],
      'a wrong token': [401, 'UNAUTHORIZED', /token/, async () => await clientOf('nobody').scrape(site.url('/dark'))],
      'a key without the scope': [
        403,
        'ScopeError',
        /jobs/,
        async () => await clientOf('reader').startBatchScrape([site.url('/dark')]),
      ],
      'a batch without addresses': [
        400,
        'BAD_REQUEST',
        /urls: must be a list/,
        async () => await post('/v2/batch/scrape', { urls: [] }),
      ],
      'a batch of a wrong option': [
        400,
        'BAD_REQUEST',
        /urls\[0\]: waitFor: must be/,
        async () => await client.startBatchScrape([site.url('/dark')], { options: { waitFor: 60_000 } }),
      ],
      'a batch with a webhook': [
        400,
        'BAD_REQUEST',
        /webhook: is not supported; POST \/jobs\/batch/,
        async () => await client.startBatchScrape([site.url('/dark')], { webhook: 'http://a.test/' }),
      ],
      'a batch with an invalid address, if none is ignored': [
        400,
        'BAD_REQUEST',
        /urls\[1\]: must be an http or https address/,
        async () => await client.startBatchScrape([site.url('/dark'), 'ftp://a'], { ignoreInvalidURLs: false }),
      ],
      'a batch that does not exist': [
        404,
        'NotFoundError',
        /no job/,
        async () => await client.getBatchScrapeStatus(`${createJobId(Date.now())}-1-m`),
      ],
      'a batch that has expired': [
        410,
        'JobExpiredError',
        /./,
        async () => await client.getBatchScrapeStatus('01890000-0000-7000-8000-000000000000-1-m'),
      ],
      'an id of another form': [404, 'NotFoundError', /no job/, async () => await client.getBatchScrapeStatus('none')],
    };

    it.each(Object.keys(cases))('%s', async (name) => {
      const [status, code, message, call] = cases[name] ?? [0, '', /./, () => Promise.resolve()];

      const error: unknown = await call().catch((failure: unknown) => failure);

      if (!(error instanceof SdkError)) throw error;
      expect([error.status, error.code, error.message]).toEqual([status, code, expect.stringMatching(message)]);
    });
  });

  /** Calls a route with what the client refuses to send, and throws its error. */
  const post = async (path: string, body: object): Promise<unknown> => {
    const answer = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer token-of-shop', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { error, code }: { readonly error?: string; readonly code?: string } = JSON.parse(await answer.text());
    throw new SdkError(error ?? '', answer.status, code);
  };

  describe('batch scrape', () => {
    it('returns the documents of all pages that could be captured', async () => {
      const urls = [site.url('/article'), 'no address', 'http://10.0.0.1/', site.url('/dark'), site.url('/away')];
      const started = await client.startBatchScrape(urls, { options: { formats: ['markdown', 'screenshot'] } });
      expect(started).toMatchObject({
        invalidURLs: ['no address', 'http://10.0.0.1/'],
        url: `${service.url}/v2/batch/scrape/${started.id}`,
      });

      const batch = await vi.waitFor(
        async () => {
          const found = await client.getBatchScrapeStatus(started.id);
          expect(found.status).not.toBe('scraping');
          return found;
        },
        { timeout: 60_000, interval: 200 },
      );

      expect(batch).toMatchObject({ status: 'completed', total: 3, completed: 3, next: null });
      expect(batch.data.map(({ markdown, metadata }) => [markdown?.slice(0, 6), metadata?.url])).toEqual([
        ['# Samp', site.url('/article')],
        ['', site.url('/dark')],
      ]);
      expect(batch.data.every(({ screenshot }) => screenshot?.startsWith('data:image/png;base64,'))).toBe(true);
      expect(Date.parse(batch.expiresAt ?? '')).toBeGreaterThan(Date.now());
      await expect(clientOf('other').getBatchScrapeStatus(started.id)).rejects.toMatchObject({ status: 404 });
      const { errors, robotsBlocked } = await client.getBatchScrapeErrors(started.id);
      expect([errors.map(({ url, error }) => [url, error]), robotsBlocked]).toEqual([
        [[site.url('/away'), 'The address of the page is not allowed']],
        [],
      ]);
      await expect(clientOf('other').getBatchScrapeErrors(started.id)).rejects.toMatchObject({ status: 404 });
      const asCrawl = await get(`/v1/crawl/${started.id}`);
      expect(asCrawl).toMatchObject({ success: true, status: 'completed', failed: 1 });
    });

    it('returns large results in several pages', async () => {
      const viewport = { width: 1500, height: 1400 };
      const urls = ['/noise?1', '/noise?2'].map((path) => site.url(path));
      const { id } = await client.startBatchScrape(urls, { options: { formats: [{ type: 'screenshot', viewport }] } });
      await vi.waitFor(
        async () => {
          const found = await client.getBatchScrapeStatus(id, { autoPaginate: false });
          expect(found.status).toBe('completed');
        },
        { timeout: 60_000, interval: 200 },
      );

      const [first, all] = [
        await client.getBatchScrapeStatus(id, { autoPaginate: false }),
        await client.getBatchScrapeStatus(id),
      ];

      expect([first.data.length, first.next]).toEqual([1, `${service.url}/v2/batch/scrape/${id}?skip=1`]);
      expect(all.data.map(({ metadata }) => metadata?.url)).toEqual(urls);

      for (const path of globSync(join(folder, 'stored/**/*.json')))
        await writeFile(path, Buffer.alloc((await stat(path)).size));
      const damaged = await fetch(first.next ?? '', { headers: { authorization: 'Bearer token-of-shop' } });
      expect([damaged.status, await damaged.json()]).toMatchObject([502, { code: 'StorageError' }]);
    });

    it('is limited, as it reads results', async () => {
      await using strict = await startService(
        { COMPAT: 'firecrawl', RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_RPS: '1', RATE_LIMIT_BURST: '5' },
        { stores: true },
      );
      const statuses = await Promise.all(
        Array.from({ length: 12 }, async () => {
          const id = '01a2137f-4b91-7000-85d3-7918f0919805-1-m';
          return (await fetch(`${strict.url}/v2/batch/scrape/${id}`)).status;
        }),
      );

      expect(statuses).toContain(429);
    });

    it('is the same for the same idempotency key', async () => {
      const options: BatchScrapeOptions = { idempotencyKey: 'once', options: { formats: ['links'] } };

      const [first, second] = [
        await client.startBatchScrape([site.url('/dark')], options),
        await client.startBatchScrape([site.url('/dark')], options),
      ];

      expect(second.id).toBe(first.id);
    });

    it('can be cancelled', async () => {
      const { id } = await client.startBatchScrape(Array(6).fill(site.url('/dark')), { options: { waitFor: 20_000 } });

      expect(await client.cancelBatchScrape(id)).toBe(true);

      expect(await client.getBatchScrapeStatus(id)).toMatchObject({ status: 'cancelled', total: 6, data: [] });
    });
  });

  it('refuses private addresses by every route, in every spelling', async () => {
    const inner = new Firecrawl({ apiKey: 'token-of-shop', apiUrl: service.url });
    const addresses = [
      'http://10.0.0.1/',
      'http://169.254.169.254/latest/meta-data/',
      'http://[::ffff:10.0.0.1]/',
      'http://[fd00::1]/',
    ];
    const failures = await Promise.all(
      addresses.flatMap((url) => [
        inner.scrape(url).catch((error: unknown) => error),
        inner.startBatchScrape([url]).catch((error: unknown) => error),
      ]),
    );

    expect(failures).toMatchObject(failures.map(() => ({ status: 400, code: 'DestinationNotAllowedError' })));
  });
});
