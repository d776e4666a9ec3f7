import type { GrowthCase } from '../growth-case.ts';

const list = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** A multipart form with texts and files. */
function form(
  path: string,
  parts: readonly { readonly name: string; readonly file?: string; readonly value: string }[],
) {
  const boundary = 'growth';
  const body = parts.map(
    ({ name, file, value }) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"`}\r\n\r\n${value}\r\n`,
  );
  return {
    path,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `${body.join('')}--${boundary}--\r\n`,
  };
}
const rpc = (method: string, params: object) => ({
  path: '/mcp',
  headers: { accept: 'application/json, text/event-stream' },
  body: { jsonrpc: '2.0', id: 1, method, params },
});

/** Other routes, and those of other services' clients. */
export const SERVICES: readonly GrowthCase[] = [
  {
    name: 'sign',
    sizes: [1_000, 10_000, 100_000],
    request: (size) => ({ path: '/sign', body: { params: { html_content: 'x'.repeat(size) } } }),
    refusal: 403,
  },
  {
    name: 'watches: schedules',
    sizes: [1, 12, 31],
    request: (size, site) => {
      const days = list(size, (index) => index + 1).join(',');
      const schedule = `0 0 ${days} 1 *`; // none of them is due while the others are measured
      return { path: '/watches', body: { capture: { url: `${site}/` }, schedule, compare: null } };
    },
    refusal: 201,
  },
  {
    name: 'mcp: compare_pages',
    sizes: [100, 16_000, 300_000],
    request: (_size, site) =>
      rpc('tools/call', { name: 'compare_pages', arguments: { before: `${site}/a`, after: `${site}/b` } }),
    site: (size, { url }, response) =>
      void response
        .setHeader('content-type', 'text/html')
        .end(`<div id="${'a'.repeat(size)}">${url}${'<i></i>'.repeat(19_000)}`),
  },
  {
    name: 'mcp: read_page',
    sizes: [1_000, 4_000, 16_000],
    request: (_size, site) => rpc('tools/call', { name: 'read_page', arguments: { url: `${site}/` } }),
    site: (size, _request, response) =>
      void response
        .setHeader('content-type', 'text/html')
        .end(`<article>${'<p>A sentence that says something.</p>'.repeat(size)}`),
  },
  {
    name: 'mcp: page_snapshot',
    sizes: [1_000, 4_000, 16_000],
    request: (_size, site) => rpc('tools/call', { name: 'page_snapshot', arguments: { url: `${site}/` } }),
    site: (size, _request, response) =>
      void response.setHeader('content-type', 'text/html').end('<button>b</button>'.repeat(size)),
  },
  {
    name: 'firecrawl: included tags',
    sizes: [10, 100, 500],
    request: (size, site) => ({
      path: '/v2/scrape',
      body: {
        url: `${site}/`,
        formats: ['markdown', 'html'],
        includeTags: list(size, (i) => `.c${i}`),
        excludeTags: list(Math.min(size, 50), (i) => `.x${i}`),
      },
    }),
    site: (size, _request, response) =>
      void response
        .setHeader('content-type', 'text/html')
        .end(list(size, (i) => `<p class="c${i}">Text <b class="x${i}">of</b> ${i}`).join('')),
  },
  {
    name: 'elements of a text: selector_all',
    sizes: [1_000, 4_000, 16_000],
    request: (size) => ({
      body: { html_content: '<p>A <b>b</b></p>'.repeat(size), format: 'html', selector: 'p, b', selector_all: true },
    }),
  },
  {
    name: 'firecrawl: links and sitemap of a map',
    sizes: [500, 5_000, 50_000],
    request: (_size, site) => ({ path: '/v2/map', body: { url: `${site}/` } }),
    site: (size, { url }, response) =>
      url === '/sitemap.xml'
        ? void response
            .setHeader('content-type', 'application/xml')
            .end(`<urlset>${list(size, (i) => `<url><loc>/m${i}</loc></url>`).join('')}</urlset>`)
        : void response
            .setHeader('content-type', 'text/html')
            .end(list(Math.min(size, 10_000), (i) => `<a href="/l${i}">l</a> `).join('')),
  },
  {
    name: 'gotenberg: html',
    sizes: [10_000, 100_000, 1_000_000],
    request: (size) =>
      form('/forms/chromium/convert/html', [
        { name: 'files', file: 'index.html', value: `<p>${'word '.repeat(size / 5)}` },
      ]),
  },
  {
    name: 'gotenberg: files',
    sizes: [5, 25, 100],
    request: (size) =>
      form('/forms/chromium/convert/html', [
        { name: 'files', file: 'index.html', value: '<p>x' },
        ...list(size, (i) => ({ name: 'files', file: `f${i}.css`, value: 'p{}'.repeat(1_000) })),
      ]),
  },
  {
    name: 'gotenberg: fields',
    sizes: [10, 100, 1_000],
    request: (size) =>
      form('/forms/chromium/convert/html', [
        { name: 'files', file: 'index.html', value: '<p>x' },
        ...list(size, (i) => ({ name: `x${i}`, value: 'y' })),
      ]),
  },
  {
    name: 'gotenberg: references',
    sizes: [50, 250, 1_000],
    request: (size) =>
      form('/forms/chromium/convert/markdown', [
        { name: 'files', file: 'index.html', value: '{{ toHTML "a.md" }}'.repeat(size) },
        { name: 'files', file: 'a.md', value: '# x\n'.repeat(20) },
      ]),
    refusal: 413,
  },
  {
    name: 'gotenberg: screenshot',
    sizes: [10_000, 100_000, 1_000_000],
    request: (size) =>
      form('/forms/chromium/screenshot/html', [{ name: 'files', file: 'index.html', value: `<p>${'w'.repeat(size)}` }]),
  },
  {
    name: 'browserless: html',
    sizes: [10_000, 100_000, 1_000_000],
    request: (size) => ({ path: '/screenshot', body: { html: 'x'.repeat(size) } }),
  },
  {
    name: 'browserless: rejected patterns',
    sizes: [4, 16, 100],
    request: (size, site) => ({
      path: '/screenshot',
      body: {
        html: `<script>for (let i = 0; i < 20; i++) fetch('${site}/' + 'a'.repeat(60000)).catch(() => {})</script>`,
        rejectRequestPattern: list(size, (i) => `${'a'.repeat(100)}b${i}`),
      },
    }),
    site: (_size, _request, response) => void response.end('x'),
  },
  {
    name: 'firecrawl: markdown',
    sizes: [1_000, 4_000, 16_000],
    request: (_size, site) => ({
      path: '/v2/scrape',
      body: { url: `${site}/`, formats: ['markdown', 'html', 'links'] },
    }),
    site: (size, _request, response) =>
      void response
        .setHeader('content-type', 'text/html')
        .end(`<article>${'<p>A sentence with <a href=/x>a link</a>.</p>'.repeat(size)}`),
  },
  {
    name: 'firecrawl: excluded tags',
    sizes: [5, 25, 100],
    request: (size, site) => ({
      path: '/v2/scrape',
      body: { url: `${site}/`, formats: ['markdown'], excludeTags: list(size, (i) => `.x${i}`) },
    }),
    site: (_size, _request, response) =>
      void response.setHeader('content-type', 'text/html').end(`<article>${'<p>A sentence.</p>'.repeat(5_000)}`),
  },
  {
    name: 'screenshotone: links',
    sizes: [1_000, 4_000, 7_000],
    request: (size) => ({ path: `/take?html=${'x'.repeat(size)}`, method: 'GET' }),
    refusal: 401,
  },
];
