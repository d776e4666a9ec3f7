import type { GrowthCase } from '../growth-case.ts';

const HTML = { html_content: '<p>x' };
const list = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const field = (name: string, sizes: readonly number[], fields: (size: number, site: string) => object): GrowthCase => ({
  name,
  sizes,
  request: (size, site) => ({ body: { ...HTML, ...fields(size, site) } }),
});
const squareOf = (pixels: number) => ({
  window_width: Math.round(Math.sqrt(pixels)),
  window_height: Math.round(Math.sqrt(pixels)),
});
const ok: GrowthCase['site'] = (_size, _request, response) =>
  void response.setHeader('content-type', 'text/html').end('<p>ok');
/** A page that requests addresses of this length, this often. */
const requesting = (site: string, { times, length }: { readonly times: number; readonly length: number }): string =>
  `<p>x</p><script>for (let i = 0; i < ${times}; i++) fetch('${site}/n' + i + '?' + 'a'.repeat(${length}), { mode: 'no-cors' }).catch(() => {})</script>`;

/** Fields of a request: long texts, long lists, and fields that multiply each other or the page. */
export const REQUESTS: readonly GrowthCase[] = [
  field('html_content', [100_000, 1_000_000, 4_000_000], (size) => ({ html_content: 'x'.repeat(size) })),
  {
    name: 'body: members',
    sizes: [1_000, 5_000, 9_000, 50_000],
    request: (size) => ({ body: Object.fromEntries(list(size, (i) => [`a${i}`, 1])) }),
    refusal: 400,
  },
  {
    name: 'body: nesting',
    sizes: [10, 1_000, 1_000_000],
    request: (size) => ({ body: '['.repeat(size) }),
    refusal: 400,
  },
  {
    name: 'query',
    sizes: [1_000, 7_000, 60_000],
    request: (size) => ({ path: `/capture?html_content=${'x'.repeat(size)}`, method: 'GET' }),
    refusal: 431,
  },
  field('files', [10, 50, 100], (size) => ({
    files: Object.fromEntries(list(size, (i) => [`f${i}.css`, Buffer.alloc(50_000).toString('base64')])),
  })),
  field('extract', [4, 16, 64, 100], (size) => ({
    html_content: `<body>${'<p>1</p>'.repeat(2_000)}`,
    response_type: 'json',
    extract: Object.fromEntries(list(size, (i) => [`n${i}`, { selector: `p:not(.x${i})`, all: true }])),
  })),
  field('extract: selector', [100, 400, 1_000], (size) => ({
    html_content: `<body>${'<p>1</p>'.repeat(2_000)}`,
    response_type: 'json',
    extract: { n: { selector: `p${':not(.x)'.repeat(size / 8)}`, all: true } },
  })),
  field('hide_selectors', [10, 50, 100], (size) => ({
    html_content: `<body>${'<p>1</p>'.repeat(5_000)}`,
    hide_selectors: list(size, (i) => `p:has(b:nth-child(${i + 1}))`),
  })),
  field('custom_css', [1_000, 10_000, 100_000], (size) => ({
    html_content: `<body>${'<p>1</p>'.repeat(5_000)}`,
    custom_css: list(size / 20, (i) => `p:nth-child(${i}){top:0}`)
      .join('')
      .slice(0, 100_000),
  })),
  field('actions', [5, 20, 50], (size) => ({ actions: list(size, () => ({ type: 'hover', selector: 'p' })) })),
  {
    ...field('block_requests: characters', [20, 200, 2_000], (size, site) => ({
      html_content: requesting(site, { times: 20, length: 60_000 }),
      block_requests: list(100, (i) => `*${'a'.repeat(size)}b${i}*`),
    })),
    site: ok,
  },
  {
    ...field('block_requests: patterns', [4, 16, 100], (size, site) => ({
      html_content: requesting(site, { times: 20, length: 60_000 }),
      block_requests: list(size, (i) => `*${'a'.repeat(190)}b${i}*`),
    })),
    site: ok,
  },
  {
    ...field('block_requests: one pattern', [2_000, 20_000, 200_000], (size, site) => ({
      html_content: requesting(site, { times: 20, length: size }),
      block_requests: [`*${'a'.repeat(2_000)}b*`],
    })),
    site: ok,
  },
  {
    ...field('block_requests: a beginning that repeats', [20, 200, 2_000], (size, site) => ({
      html_content: requesting(site, { times: 20, length: 60_000 }),
      block_requests: list(100, (i) => `*b${i}${'a'.repeat(size)}*c`),
    })),
    site: ok,
  },
  {
    ...field('requests of the page', [50, 200, 800], (size, site) => ({
      html_content: requesting(site, { times: size, length: 1_000 }),
      response_type: 'json',
      include: ['network'],
    })),
    site: ok,
  },
  {
    ...field('storage_state: secrets', [50, 200, 400], (size, site) => ({
      html_content: requesting(site, { times: size, length: 8_000 }),
      response_type: 'json',
      include: ['network'],
      storage_state: {
        cookies: [],
        origins: [
          {
            origin: site,
            localStorage: list(size, (i) => ({ name: `k${i}`, value: `${'a'.repeat(300)}"é${i}${'a'.repeat(300)}` })),
          },
        ],
      },
    })),
    site: ok,
  },
  {
    ...field('storage_state: values in JSON', [1_000, 10_000, 100_000], (size, site) => ({
      html_content: requesting(site, { times: 50, length: 8_000 }),
      response_type: 'json',
      include: ['network', 'console'],
      storage_state: {
        cookies: [],
        origins: [
          { origin: site, localStorage: [{ name: 'k', value: JSON.stringify(list(size / 10, (i) => `token${i}`)) }] },
        ],
      },
    })),
    site: ok,
  },
  {
    ...field('cookies: secrets', [10, 50, 100], (size, site) => ({
      html_content: undefined,
      url: `${site}/`,
      response_type: 'json',
      include: ['network', 'console'],
      cookies: list(size, (i) => ({ name: `c${i}`, value: 'a'.repeat(2_000) + i })),
    })),
    site: (_size, _request, response) =>
      void response
        .setHeader('content-type', 'text/html')
        .end(`<script>for (let i = 0; i < 500; i++) console.log('a'.repeat(8000))</script>`),
  },
  {
    ...field('storage_state: beyond ASCII', [200_000, 800_000, 1_600_000], (_size, site) => ({
      html_content: undefined,
      url: `${site}/`,
      response_type: 'json',
      include: ['storage_state'],
    })),
    site: (size, _request, response) =>
      void response
        .setHeader('content-type', 'text/html')
        .end(`<script>for (let i = 0; i < 10; i++) localStorage['k' + i] = 'é'.repeat(${size / 10})</script>`),
  },
  {
    ...field('headers of the page', [100, 400, 1_600], (_size, site) => ({
      html_content: undefined,
      url: `${site}/`,
      response_type: 'json',
      include: ['network'],
    })),
    site: (size, _request, response) => {
      for (let i = 0; i < size; i++) response.setHeader(`x-${i}`, 'y');
      response.end('x');
    },
  },
  {
    ...field('redirects', [5, 10, 18], (size, site) => ({ html_content: undefined, url: `${site}/${size}` })),
    site: (_size, { url = '/' }, response) => {
      const left = Number(url.slice(1));
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` });
      response.end('x');
    },
  },
  field('pixels of the window', [250_000, 4_000_000, 20_000_000], (size) => squareOf(size)),
  field('height of the whole page', [2_000, 10_000, 60_000], (size) => ({
    html_content: `<p style="height:${size}px">x`,
    full_page: true,
  })),
  field('resize_width', [500, 2_000, 7_680], (size) => ({ resize_width: size, format: 'webp' })),
  field('pixels as avif', [250_000, 1_000_000, 4_000_000], (size) => ({ format: 'avif', ...squareOf(size) })),
  {
    ...field('custom_headers', [5, 25, 50], (size, site) => ({
      html_content: undefined,
      url: `${site}/`,
      custom_headers: Object.fromEntries(list(size, (i) => [`x-${i}`, 'v'.repeat(100)])),
    })),
    site: ok,
  },
  field('init_script', [1_000, 10_000, 100_000], (size) => ({
    init_script: `${'('.repeat(size / 20)}1${')'.repeat(size / 20)};${';'.repeat(size / 2)}`,
  })),
  field('custom_js', [1_000, 10_000, 100_000], (size) => ({
    custom_js: ';'.repeat(size),
  })),
  field('fail_unless_text', [10, 100, 1_000], (size) => ({
    html_content: `<p>${'a'.repeat(2_000_000)}`,
    fail_unless_text: 'a'.repeat(size),
  })),
  {
    ...field('frame of another origin', [500, 1_500, 3_000], (_size, site) => ({
      html_content: undefined,
      url: `${site}/top`,
      full_page: true,
    })),
    site: (size, { url, headers }, response) =>
      void response
        .setHeader('content-type', 'text/html')
        .end(
          url === '/top'
            ? `<p style="height:1000px">x<iframe width=${size} height=${size} src="http://localhost:${headers.host?.split(':')[1] ?? ''}/noise"></iframe>`
            : `<body style="margin:0"><canvas id=c width=${size} height=${size}></canvas><script>const x = c.getContext('2d'), d = x.createImageData(${size}, ${size}); const v = new Uint32Array(d.data.buffer); let s = 1; for (let i = 0; i < v.length; i++) { s = Math.imul(s, 1664525) + 1013904223 | 0; v[i] = s | 0xff000000 } x.putImageData(d, 0, 0)</script>`,
        ),
  },
];
