import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CaptureData } from '../../../src/programs/client/capture-data.ts';
import { signUrl } from '../../../src/programs/client/sign-url.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { type Routes, sendHtml } from '../../support/pages/exchange.ts';
import { readPicture } from '../../support/pixels.ts';
import { type RunningService, startService } from '../../support/service.ts';

const SECRET = 'a-secret-for-links';
const EVERYTHING = ['metadata', 'html', 'markdown', 'links', 'console', 'network', 'accessibility'];
/** Its colour encodes the number that it shows: red is that number times eight. */
const COUNTING = (next: string): string => `<!doctype html><title>Counting</title><h1 id="n">0</h1>
  <p>A page that counts, so that each picture, each text and each markup of it shows the moment at which it was taken.</p><script>
  let n = 0;
  const step = () => {
    n = (n + 1) % 32;
    document.getElementById('n').textContent = n;
    document.documentElement.style.background = 'rgb(' + n * 8 + ', 0, 0)';
  };
  ${next}
</script>`;
const BY_TIMER = COUNTING('setInterval(step, 50);');
const BY_FRAME = COUNTING('const frame = () => { step(); requestAnimationFrame(frame); }; frame();');

const PAGES: Readonly<Record<string, readonly [markup: string, headers?: Readonly<Record<string, string>>]>> = {
  '/data/page': [
    `<!doctype html><html lang="de"><head><title>A page</title>
    <meta name="Description" content=" Of words. ">
    <meta property="og:title" content="A title"><meta property="og:title" content="Another">
    <link rel="canonical" href="/canonical"><link rel="shortcut icon" href="i.png" sizes="16x16" type="image/png">
    <script type="application/ld+json">{"@type": "Thing"}</script></head>
    <body><h1>Heading</h1><p>Words, and <a href="../up?q=1">a link</a>.</p><p hidden>Hidden words</p>
    <a href="javascript:alert(1)">none</a><a href="mailto:a@b.test" aria-label="Mail"></a>
    <iframe src="/data/frame"></iframe><form name="title"><input name="body" type="password" value="typed"></form></body></html>`,
  ],
  '/data/frame': ['<a href="x">in a frame</a>'],
  '/data/secrets': [
    `<script>
      console.log('cookie ' + document.cookie, { a: 1 });
      console.warn('see http://user:word@a.test/?api_key=12345');
      fetch('/data/frame?token=abc&page=2&echo=header-secret').then(() => fetch('/data/moved'));
    </script>`,
  ],
  '/data/hostile': [
    `<!doctype html><title>Hostile</title><p>Words, <a href="/x">a link</a></p><script>
      JSON.stringify = JSON.parse = () => '{}';
      for (const name of ['map', 'push', 'flatMap', 'join', 'slice', 'filter'])
        Array.prototype[name] = () => { throw new Error('no ' + name); };
      globalThis.DOMParser = globalThis.MutationObserver = globalThis.XMLSerializer = undefined;
      Object.prototype.toJSON = String.prototype.toJSON = () => 'no';
      Element.prototype.querySelectorAll = Document.prototype.querySelectorAll = () => [];
      Object.defineProperty(Document.prototype, 'title', { get: () => 'false' });
      Node.prototype.appendChild = Element.prototype.append = () => { throw new Error('no'); };
    </script>`,
    { 'content-security-policy': "require-trusted-types-for 'script'; trusted-types 'none'" },
  ],
  '/data/failing': [
    `<script>
      Promise.reject(new RangeError("a"));
      Promise.reject("text");
      setTimeout(() => { throw new Error("b ?token=c") });
      addEventListener('error', (event) => { if (event.error?.message === 'taken') { event.preventDefault(); console.log('heard'); } });
      setTimeout(() => { throw new Error('taken') }, 50);
    </script>`,
  ],
  '/data/watchful-errors': [
    `<body><script>
      let seen = 'nothing';
      const look = (what) => () => { seen = what; return 'x'; };
      const error = new Error();
      const replace = (of, names, what) => names.forEach((name) => Object.defineProperty(of, name, { get: look(what) }));
      replace(ErrorEvent.prototype, ['message', 'filename', 'lineno', 'colno'], 'an event');
      replace(PromiseRejectionEvent.prototype, ['reason'], 'an event');
      replace(error, ['message', 'name', 'stack', 'toString'], 'an error');
      const traps = { get: look('a trap'), getPrototypeOf: look('a trap'), getOwnPropertyDescriptor: look('a trap') };
      console.error = console.log = look('the console');
      Error.prepareStackTrace = Error.isError = Reflect.apply = look('a function');
      Object.getOwnPropertyDescriptor = Object.getPrototypeOf = look('a function');
      String.prototype.slice = String.prototype.toString = String.prototype[Symbol.iterator] = look('a text');
      Array.prototype.join = Array.prototype.map = Array.prototype[Symbol.iterator] = look('a list');
      Function.prototype.call = Function.prototype.apply = Function.prototype.bind = look('a function');
      Object.prototype.toString = Object.prototype.valueOf = look('an object');
      Promise.reject(error);
      Promise.reject(new Proxy(new Error('a'), traps));
      Promise.reject({ toString: look('an object') });
      setTimeout(() => { throw new TypeError('thrown') });
      Object.defineProperty(Object.prototype, 'value', { get: look('a description') });
      setTimeout(() => document.body.append('seen: ' + seen), 200);
    </script></body>`,
  ],
  '/data/watchful': [
    `<body><script>
      let seen = 'nothing';
      const error = new Error('looked at');
      Object.defineProperty(error, 'stack', { get: () => { seen = 'the stack'; return ''; } });
      console.log(error);
      console.log(Object.defineProperty({}, 'id', { enumerable: true, get: () => { seen = 'a property'; return 1; } }));
      console.log(new Proxy({}, { ownKeys: () => { seen = 'keys'; return []; } }));
      setTimeout(() => document.body.append('seen: ' + seen), 200);
    </script></body>`,
  ],
};

const routes: Routes = {
  ...Object.fromEntries(
    Object.entries(PAGES).map(([path, [markup, headers = {}]]) => [
      path,
      ({ response }: Parameters<Routes[string]>[0]) => {
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
        sendHtml(response, markup);
      },
    ]),
  ),
  '/data/moved': ({ response }) => {
    response.writeHead(302, { location: '/data/frame?signature=xyz' }).end();
  },
};

const heading = (name: string): object => ({ role: 'heading', name });
const frameWith = (...children: object[]): object => ({
  role: 'Iframe',
  name: '',
  children: [{ role: 'document', name: '', children }],
});

describe('response_type: json', () => {
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createFixtureSite({ moreRoutes: routes }),
      startService({ URL_SIGNING_SECRET: SECRET }),
    ]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  async function dataOf(fields: Readonly<Record<string, unknown>>): Promise<CaptureData> {
    const answer = await capture(service.url, { response_type: 'json', ...fields });
    expect(answer.body.toString('utf8', 0, 300)).not.toContain('error_type');
    return readData(answer.body);
  }

  it('contains the file and the metadata of the headers', async () => {
    const fields = { url: site.url('/data/page'), window_width: 320, window_height: 200 };
    const [alone, answer] = await Promise.all([
      capture(service.url, fields),
      capture(service.url, { ...fields, response_type: 'json' }),
    ]);
    const { file, timings, ...facts } = readData(answer.body);

    expect(Buffer.from(file.base64 ?? '', 'base64')).toEqual(alone.body);
    expect(file).toMatchObject({
      content_type: 'image/png',
      bytes: alone.body.length,
      sha256: createHash('sha256').update(alone.body).digest('hex'),
      width: 320,
      height: 200,
    });
    expect(facts).toEqual({
      request_id: answer.headers.get('x-request-id'),
      target: { url: site.url('/data/page'), status: 200 },
      warnings: [],
    });
    expect(Object.keys(timings)).toEqual(['queue', 'navigate', 'ahead', 'wait', 'render']);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename=screenshot.json');
    for (const name of ['x-target-status', 'x-target-url', 'x-image-width', 'x-image-height'])
      expect(answer.headers.get(name)).toBe(alone.headers.get(name));
  });

  it('contains exactly the included parts, in the requested order', async () => {
    const data = await dataOf({ url: site.url('/data/page'), include: ['links', 'metadata'] });

    expect(Object.keys(data)).toEqual(['request_id', 'target', 'file', 'metadata', 'links', 'warnings', 'timings']);
  });

  it('reports metadata, links and the accessibility tree', async () => {
    const { metadata, links, html, markdown, accessibility } = await dataOf({
      url: site.url('/data/page'),
      include: EVERYTHING,
    });

    expect(metadata).toEqual({
      title: 'A page',
      description: 'Of words.',
      language: 'de',
      author: null,
      published: null,
      modified: null,
      canonical: site.url('/canonical'),
      icons: [{ url: site.url('/data/i.png'), sizes: '16x16', type: 'image/png' }],
      open_graph: { 'og:title': 'A title' },
      json_ld: ['{"@type": "Thing"}'],
    });
    expect(links).toEqual({
      entries: [
        { url: site.url('/up?q=1'), text: 'a link' },
        { url: 'mailto:a@b.test', text: 'Mail' },
        { url: site.url('/data/x'), text: 'in a frame' },
      ],
    });
    expect(html?.text).toMatch(/^<!DOCTYPE html>\n<html lang="de">[^]*<\/html>$/);
    expect(markdown?.text).toContain(`Words, and [a link](${site.url('/up?q=1')}).`);
    expect(markdown?.text).not.toContain('Hidden');
    expect(accessibility?.tree).toMatchObject({ role: 'document', name: 'A page' });
    const treeText = JSON.stringify(accessibility);
    expect(treeText).toContain('{"role":"heading","name":"Heading"}');
    expect(treeText).toContain('{"role":"link","name":"a link"}');
    expect(treeText).not.toMatch(/Hidden|typed/);
  });

  it('names links by their pictures, and resolves addresses of Open Graph', async () => {
    const { links, metadata } = await dataOf({
      html_content: `<base href="http://a.test/b/"><meta property="og:image" content="c.png"><meta property="og:title" content="c.png">
        <a href="/logo"><img alt=" Logo "></a><a href="/label" aria-label="Close"><img alt="x"></a><a href="/text">Text<img alt="x"></a>`,
      include: ['links', 'metadata'],
    });

    expect(links?.entries.map(({ text }) => text)).toEqual(['Logo', 'Close', 'Text']);
    expect(metadata?.open_graph).toEqual({ 'og:image': 'http://a.test/b/c.png', 'og:title': 'c.png' });
  });

  it('has the frames of its site in the tree, one in the other, and no hidden ones', async () => {
    const { accessibility } = await dataOf({
      html_content: `<h1>Page</h1><iframe srcdoc="<h2>Draft</h2><iframe srcdoc='<h3>Note</h3>'></iframe>"></iframe>
        <iframe style="display:none" srcdoc="<h2>Unseen</h2>"></iframe><p>End</p>`,
      include: ['accessibility'],
    });

    expect(accessibility?.tree.children).toEqual([
      heading('Page'),
      frameWith(heading('Draft'), frameWith(heading('Note'))),
      { role: 'paragraph', name: '', children: [{ role: 'text', name: 'End' }] },
    ]);
  });

  it('has no line breaks in its tree, and accepts JSON-LD with a type parameter', async () => {
    const { accessibility, metadata } = await dataOf({
      html_content: '<script type="application/ld+json; charset=utf-8">{"@type": "Thing"}</script><p>one<br>two</p>',
      include: ['accessibility', 'metadata'],
    });

    expect(accessibility?.tree.children).toEqual([
      {
        role: 'paragraph',
        name: '',
        children: [
          { role: 'text', name: 'one' },
          { role: 'text', name: 'two' },
        ],
      },
    ]);
    expect(metadata?.json_ld).toEqual(['{"@type": "Thing"}']);
  });

  it('lists the links that visitors can read, not the ones in metadata for programs', async () => {
    const { links } = await dataOf({
      html_content: `<a href="http://a.test/1"><style>.a { color: red }</style>One <b>word</b></a>
        <a href="http://a.test/2"><noscript><img src="x.png"></noscript><script>let two = 2</script> Two</a>`,
      include: ['links'],
    });

    expect(links?.entries.map(({ text }) => text)).toEqual(['One word', 'Two']);
  });

  it.each(['jpeg', 'pdf', 'html', 'markdown', 'mhtml'])(
    'works with %s, and its parts describe the page before it',
    async (format) => {
      const fields = { url: site.url('/data/page'), format, hide_selectors: ['h1'], pdf_title: 'Renamed' };
      const { html, metadata, warnings, file } = await dataOf({
        ...fields,
        selector: format === 'pdf' ? 'a' : undefined,
        include: EVERYTHING,
      });

      expect(warnings.filter((code) => code !== 'main_content_not_found')).toEqual([]);
      expect(metadata?.title).toBe('A page');
      expect(html?.text).not.toMatch(/<style|display: none/);
      expect(file.bytes).toBeGreaterThan(10);
      expect(file.width !== undefined).toBe(format === 'jpeg');
    },
  );

  it('contains html and markdown of the selected element', async () => {
    const { html, markdown } = await dataOf({
      url: site.url('/data/page'),
      selector: 'p',
      include: ['markdown', 'html'],
    });

    expect(html?.text).toBe('<p>Words, and <a href="../up?q=1">a link</a>.</p>');
    expect(markdown?.text).toBe(`Words, and [a link](${site.url('/up?q=1')}).\n`);
  });

  it.each([
    ['post', { include: ['html'] }],
    ['post', { include: ['html'], response_type: 'file' }],
  ])('validates include: %s %o', async (_method, fields) => {
    const answer = await capture(service.url, { html_content: 'x', ...fields });

    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ error_details: 'include: needs response_type to be json' });
  });

  it('works in queries and with signed links', async () => {
    const fields = { url: site.url('/data/page'), response_type: 'json' } as const;
    const link = await signUrl(
      { ...fields, include: ['metadata'] },
      { service: service.url, secret: SECRET, expires: 1_893_456_000 },
    );
    const query = new URLSearchParams({ ...fields, include: '["metadata"]' });

    for (const address of [link, `${service.url}/capture?${query.toString()}`]) {
      const answer = await fetch(address);
      expect(readData(Buffer.from(await answer.arrayBuffer())).metadata?.title).toBe('A page');
    }
  });

  it('is cached with its headers, separately from the plain file', async () => {
    const fields = { url: site.url('/data/page'), cache_ttl: 600, window_width: 333 };
    const fieldsWithLinks = { ...fields, response_type: 'json', include: ['links'] };
    const first = await capture(service.url, fieldsWithLinks);
    const again = await capture(service.url, fieldsWithLinks);
    const file = await capture(service.url, fields);

    expect([first, again, file].map(({ headers }) => headers.get('x-cache'))).toEqual(['MISS', 'HIT', 'MISS']);
    expect(again.body).toEqual(first.body);
    for (const name of ['content-type', 'etag', 'x-image-width', 'x-target-status'])
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    expect(file.headers.get('content-type')).toBe('image/png');
  });

  it.each([
    ['each 50 ms', BY_TIMER, [], {}],
    ['each 50 ms, on its own time', BY_TIMER, undefined, { run_ahead: 0 }],
    ['in each frame', BY_FRAME, [], {}],
    ['in each frame, in real time', BY_FRAME, undefined, { run_ahead: 0 }],
  ])(
    'shows one consistent state of a page that changes %s, or reports that it does not',
    async (_when, markup, expected, more) => {
      const { html, markdown, file, warnings } = await dataOf({
        html_content: markup,
        include: ['html', 'markdown'],
        ...more,
      });
      const [, ofHtml] = /<h1 id="n">(\d+)</.exec(html?.text ?? '') ?? [];
      const [, ofMarkdown] = /^## (\d+)$/m.exec(markdown?.text ?? '') ?? [];
      const [red] = (await readPicture(Buffer.from(file.base64 ?? '', 'base64'))).pixel(600, 600);

      expect(ofMarkdown).toBe(ofHtml);
      const isOneState = red === Number(ofHtml) * 8;
      expect(isOneState || warnings.includes('parts_differ')).toBe(true);
      expect(warnings).toEqual(expected ?? warnings);
    },
  );

  it('redacts secrets in the network and console parts', async () => {
    const url = site.url('/data/secrets?signature=abcdef');
    const { console: lines, network } = await dataOf({
      url,
      cookies: [{ name: 'c', value: 'cookie-secret' }],
      custom_headers: { 'X-Secret': 'header-secret' },
      include: ['network', 'console'],
    });

    expect(lines?.entries.map(({ level, text }) => [level, text])).toEqual([
      ['log', 'cookie c=*** [object Object]'],
      ['warning', 'see http://***@a.test/?api_key=***'],
    ]);
    expect(lines?.entries[0]).toMatchObject({ url: site.url('/data/secrets?signature=***'), line: 2 });
    const requests = network?.entries.filter((entry) => !entry.url.endsWith('favicon.ico'));
    expect(requests).toMatchObject([
      { method: 'GET', url: site.url('/data/secrets?signature=***'), status: 200, type: 'document' },
      { url: site.url('/data/frame?token=***&page=2&echo=***'), status: 200, type: 'fetch' },
      { url: site.url('/data/moved'), status: 302, type: 'fetch' },
      { url: site.url('/data/frame?signature=***'), status: 200, type: 'fetch' },
    ]);
    expect(requests?.[0]?.bytes).toBeGreaterThan(100);
    expect(requests?.[0]?.milliseconds).toBeGreaterThan(0);
  });

  it('removes the login of the captured URL from the final URL and the links', async () => {
    const { target, links, markdown, metadata } = await dataOf({
      url: site.url('/data/page').replace('//', '//reader:p4ssword@'),
      include: ['links', 'markdown', 'metadata'],
    });

    expect(target.url).toBe(site.url('/data/page'));
    expect(links?.entries[0]?.url).toBe(site.url('/up?q=1'));
    expect(metadata?.canonical).toBe(site.url('/canonical'));
    expect(markdown?.text).toContain(`[a link](${site.url('/up?q=1')})`);
  });

  it('is correct on a page that overrides built-in objects and blocks parsers', async () => {
    const { metadata, html, markdown, links, accessibility, warnings } = await dataOf({
      url: site.url('/data/hostile'),
      include: EVERYTHING,
      main_content: false,
    });

    expect(warnings).toEqual([]);
    expect(metadata?.title).toBe('Hostile');
    expect(html?.text).toContain('Words,');
    expect(markdown?.text).toBe(`Words, [a link](${site.url('/x')})\n`);
    expect(links?.entries).toEqual([{ url: site.url('/x'), text: 'a link' }]);
    expect(JSON.stringify(accessibility)).toContain('{"role":"link","name":"a link"}');
  });

  it('contains uncaught errors with message and position', async () => {
    const { console: lines } = await dataOf({ url: site.url('/data/failing'), include: ['console'] });

    expect(lines?.entries.filter(({ text }) => !text.includes('favicon'))).toEqual([
      { level: 'error', text: 'Uncaught Error: b ?token=***', url: site.url('/data/failing'), line: 4 },
      {
        level: 'error',
        text: 'Uncaught (in promise) RangeError: a',
        url: site.url('/data/failing'),
        line: 2,
      },
      { level: 'error', text: 'Uncaught (in promise) text', url: site.url('/data/failing'), line: 3 },
      { level: 'log', text: 'heard', url: site.url('/data/failing'), line: 5 },
    ]);
  });

  it('contains the errors of supplied markup, too', async () => {
    const { console: lines } = await dataOf({
      html_content: '<script>throw new Error("b")</script>',
      include: ['console'],
    });

    expect(lines?.entries).toMatchObject([{ level: 'error', text: 'Uncaught Error: b', line: 1 }]);
  });

  it('reads errors without a trace that the page can see', async () => {
    const { markdown, console: lines } = await dataOf({
      url: site.url('/data/watchful-errors'),
      include: ['console', 'markdown'],
      main_content: false,
    });

    expect(markdown?.text).toBe('seen: nothing\n');
    expect(lines?.entries.map(({ text }) => text)).toEqual([
      'Uncaught TypeError: thrown',
      'Uncaught (in promise) Error',
      'Uncaught (in promise)',
      'Uncaught (in promise)',
    ]);
  });

  it('reads the console without a trace that the page can see', async () => {
    const { markdown, console: lines } = await dataOf({
      url: site.url('/data/watchful'),
      include: ['console', 'markdown'],
      main_content: false,
    });

    expect(markdown?.text).toBe('seen: nothing\n');
    expect(lines?.entries.map(({ text }) => text)).toEqual(['Error: looked at', '[object Object]', '[object Proxy]']);
  });
});

function readData(body: Buffer): CaptureData {
  const data: CaptureData = JSON.parse(body.toString());
  return data;
}
