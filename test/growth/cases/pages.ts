import type { GrowthCase } from '../growth-case.ts';

const many = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join('');
/** Runs `work` for each index in the page, which is then as large as `size` says and the request is small. */
const byScript = (size: number, work: string): string =>
  `<body><script>for (let i = 0; i < ${size}; i++) { ${work} }</script>`;

const page = (
  name: string,
  sizes: readonly number[],
  markup: (size: number) => string,
  fields: object = {},
): GrowthCase => ({
  name,
  sizes,
  request: (size) => ({ body: { html_content: markup(size), ...fields } }),
});

const JSON_WITH = (...include: readonly string[]): object => ({ response_type: 'json', include });
const SIZES = [1_000, 4_000, 16_000, 64_000];

/** Pages: what a page can have much of, and the fields that look at all of it. */
export const PAGES: readonly GrowthCase[] = [
  page('elements', [...SIZES, 200_000], (size) => byScript(size, 'document.body.append(document.createElement("i"))')),
  page(
    'elements, whole page',
    SIZES,
    (size) => byScript(size, 'const p = document.createElement("p"); p.textContent = i; document.body.append(p)'),
    { full_page: true },
  ),
  {
    name: 'answers of a reproducible page',
    sizes: [50, 200, 800],
    request: (size, site) => ({
      body: {
        html_content: byScript(size, `fetch("${site}?" + i); setTimeout(() => { i }, 500 + i)`),
        reproducible: true,
      },
    }),
    site: (_size, _request, response) => {
      response.writeHead(200, { 'access-control-allow-origin': '*' });
      response.end('x'.repeat(20_000));
    },
  },
  page('nested elements', [500, 1_000, 2_000], (size) => `${'<div>'.repeat(size)}x`),
  page('nested inline elements', [500, 1_000, 2_000], (size) => `${'<b>'.repeat(size)}x`),
  page('text of one paragraph', [50_000, 200_000, 800_000, 3_000_000], (size) => `<p>${'word '.repeat(size / 5)}`),
  page('one word', [50_000, 200_000, 800_000, 3_000_000], (size) => `<p>${'w'.repeat(size)}`),
  page('style elements', SIZES.slice(0, 3), (size) =>
    many(size, (i) => `<style>.a${i}{color:red}</style><p class=a${i}>x`),
  ),
  page('rules of a sheet', SIZES, (size) => `<style>${many(size, (i) => `.a${i}{color:red}`)}</style><p class=a1>x`),
  page('nested frames', [5, 10, 20, 40], (size) =>
    byScript(
      size,
      'globalThis.at ??= document.body; const f = document.createElement("iframe"); at.append(f); at = f.contentDocument.body',
    ),
  ),
  page('frames', [10, 40, 160], (size) => byScript(size, 'document.body.append(document.createElement("iframe"))')),
  page('shadow trees', SIZES.slice(0, 3), (size) =>
    byScript(
      size,
      'const d = document.createElement("div"); d.attachShadow({ mode: "open" }).innerHTML = "<p>x"; document.body.append(d)',
    ),
  ),
  page(
    'shadow trees times rules',
    [500, 2_000, 8_000],
    (size) =>
      byScript(
        size,
        'const d = document.createElement("div"); d.attachShadow({ mode: "open" }).innerHTML = "<p>x"; document.body.append(d)',
      ),
    { custom_css: 'p{color:red}', hide_selectors: Array.from({ length: 100 }, (_, i) => `.x${i}`) },
  ),
  page(
    'shadow trees and banners',
    [500, 2_000, 8_000],
    (size) =>
      byScript(
        size,
        'const d = document.createElement("div"); d.attachShadow({ mode: "open" }).innerHTML = "<p>x"; document.body.append(d)',
      ),
    { block_cookie_banners: true },
  ),
  page(
    'shadow trees in an overlay',
    [500, 2_000, 8_000],
    (size) =>
      `<body><div id=o style="position:fixed;inset:0">We use cookies<button>Reject all</button></div><script>for (let i = 0; i < ${size}; i++) { const d = document.createElement("div"); d.attachShadow({ mode: "open" }).innerHTML = "<p>cookies"; o.append(d) }</script>`,
    { block_cookie_banners: true },
  ),
  page(
    'nested shadow trees',
    [50, 100, 200],
    (size) =>
      `<body><script>let at = document.body; for (let i = 0; i < ${size}; i++) { const d = document.createElement("div"); at.append(d); at = d.attachShadow({ mode: "open" }) } at.innerHTML = "<p>x"</script>`,
    { block_cookie_banners: true, hide_selectors: ['.x'], custom_css: 'p{color:red}' },
  ),
  page(
    'overlays',
    [100, 400, 1_600],
    (size) => many(size, (i) => `<div style="position:fixed;inset:0">We use cookies ${i}<button>Reject</button></div>`),
    { block_cookie_banners: true },
  ),
  page(
    'scrollers',
    [100, 400, 1_600],
    (size) => many(size, () => '<div style="height:100vh;overflow:auto"><div style="height:3000px">x</div></div>'),
    { full_page: true },
  ),
  page(
    'sticky elements',
    [100, 400, 1_600],
    (size) => many(size, () => '<div style="height:30px"><b style="position:sticky;top:0">x</b></div>'),
    { full_page: true },
  ),
  page(
    'fixed elements',
    [100, 400, 1_600],
    (size) => `${many(size, (i) => `<b style="position:fixed;top:${i % 700}px">x</b>`)}<p style="height:3000px">`,
    { full_page: true },
  ),
  page(
    'animations',
    [250, 1_000, 4_000],
    (size) => `<style>@keyframes a{to{opacity:0}}i{animation:a 1s infinite}</style>${'<i>x</i>'.repeat(size)}`,
  ),
  page(
    'parts that hide outside of the window',
    [100, 400, 1_600],
    (size) =>
      `<style>p{height:90px;margin:0;opacity:0}.in{opacity:1}</style>${many(size, (i) => `<p><b>${i}</b></p>`)}<script>
      const o = new IntersectionObserver((all) => all.forEach((e) => e.target.classList.toggle('in', e.isIntersecting)));
      document.querySelectorAll('p').forEach((p) => o.observe(p))</script>`,
    { full_page: true },
  ),
  page(
    'changes while the page is scrolled',
    SIZES.slice(0, 3),
    (size) =>
      `${byScript(size, 'document.body.append(document.createElement("p"))')}<p style="height:3000px"><script>
      addEventListener('scroll', () => document.querySelectorAll('p').forEach((p) => { p.className = scrollY }))</script>`,
    { full_page: true },
  ),
  page(
    'fixed boxes in front of an element',
    [100, 400, 1_600, 6_400],
    (size) =>
      `<p id="a" style="height:300px">a</p>${many(size, (i) => `<b style="position:fixed;top:${i % 300}px">x</b>`)}`,
    { selector: '#a' },
  ),
  page('messages of a worker that draws', [1, 4, 16], (size) =>
    byScript(size, "new Worker(URL.createObjectURL(new Blob(['const d = () => requestAnimationFrame(d); d()'])))"),
  ),
  page('work that a page awaits', SIZES.slice(0, 3), (size) =>
    byScript(size, 'new Response(new ReadableStream({ start: (c) => c.close() })).text()'),
  ),
  page(
    'boxes to expand',
    [100, 400, 1_600],
    (size) => many(size, () => '<div style="max-height:20px;overflow:auto"><p>a<p>b<p>c</div>'),
    { format: 'pdf', expand_content: true },
  ),
  page('matches of a selector', SIZES, (size) => byScript(size, 'document.body.append(document.createElement("p"))'), {
    selector: 'p',
    selector_all: true,
  }),
  page(
    'matches of selector_each',
    [12, 48, 192, 768],
    (size) =>
      byScript(size, 'document.body.append(document.createElement("p"))').replace(
        '<body>',
        '<body><style>p{height:9px}</style>',
      ),
    { selector: 'p', selector_each: true },
  ),
  page('matches to hide', SIZES, (size) => byScript(size, 'document.body.append(document.createElement("p"))'), {
    hide_selectors: ['p'],
  }),
  page(
    'links',
    SIZES.slice(0, 3),
    (size) => many(size, (i) => `<a href="https://example.com/${i}">link ${i}</a>`),
    JSON_WITH('links'),
  ),
  page(
    'accessible elements',
    SIZES.slice(0, 3),
    (size) => many(size, (i) => `<button>${i}</button>`),
    JSON_WITH('accessibility'),
  ),
  page(
    'lines of the console',
    SIZES.slice(0, 3),
    (size) => byScript(size, 'console.log("line " + i)'),
    JSON_WITH('console'),
  ),
  page(
    'text of one line of the console',
    [10_000, 100_000, 1_000_000],
    (size) => `<script>console.log("x".repeat(${size}))</script>`,
    JSON_WITH('console'),
  ),
  page(
    'errors of the page',
    SIZES.slice(0, 3),
    (size) => byScript(size, 'setTimeout(() => { throw new Error("e" + i) })'),
    { ...JSON_WITH('console'), fail_on: ['console_error'] },
  ),
  page(
    'metadata',
    SIZES.slice(0, 3),
    (size) =>
      many(size, (i) => `<meta property="og:x${i}" content="${i}"><script type="application/ld+json">{}</script>`),
    JSON_WITH('metadata'),
  ),
  page('values to extract', SIZES.slice(0, 3), (size) => many(size, (i) => `<p>${i}</p>`), {
    response_type: 'json',
    extract: { all: { selector: 'p', all: true, type: 'number' } },
  }),
  page(
    'paragraphs as Markdown',
    SIZES.slice(0, 3),
    (size) => `<article><h1>t</h1>${many(size, (i) => `<p>Sentence number ${i} says something.</p>`)}</article>`,
    { format: 'markdown' },
  ),
  page(
    'rows as Markdown',
    SIZES.slice(0, 3),
    (size) => `<table>${many(size, (i) => `<tr><td>${i}<td>b</tr>`)}</table>`,
    { format: 'markdown' },
  ),
  page(
    'columns as Markdown',
    [100, 400, 1_000],
    (size) => `<table><tr>${'<td>b'.repeat(size)}</tr>${'<tr><td>a</tr>'.repeat(size)}</table>`,
    { format: 'markdown' },
  ),
  page(
    'spans as Markdown',
    [100, 1_000, 10_000, 100_000],
    (size) => `<table><tr><td colspan=${size} rowspan=${size}>a<td>b</tr><tr><td>c</tr></table>`,
    { format: 'markdown' },
  ),
  page('nested boxes as Markdown', [200, 800, 3_200], (size) => '<div class="menu">a'.repeat(size), {
    format: 'markdown',
  }),
  page(
    'drawings and counters as Markdown',
    [250, 1_000, 4_000],
    (size) =>
      `<style>p{counter-increment:c}p::before{content:counter(c) ". "}</style>${many(size, (i) => `<p>step ${i}<svg width=60 height=60><text y=20>part ${i}</text></svg>`)}`,
    { format: 'markdown' },
  ),
  page(
    'cards as Markdown',
    [250, 1_000, 4_000],
    (size) =>
      `<h1>t</h1>${'<p>This sentence says something about the mill on the river.'.repeat(30)}<div>${many(size, (i) => `<article><h3><a href="/${i}">Title of page ${i}</a></h3><p>few words</article>`)}</div>`,
    { format: 'markdown' },
  ),
  page(
    'frames as accessible elements',
    [10, 40, 160],
    (size) => many(size, (i) => `<iframe srcdoc="<h2>${i}</h2>"></iframe>`),
    JSON_WITH('accessibility'),
  ),
  page('nested lists as Markdown', [50, 100, 200], (size) => '<ul><li>a'.repeat(size), { format: 'markdown' }),
  page('nested quotes as Markdown', [50, 100, 200], (size) => '<blockquote>a'.repeat(size), {
    format: 'markdown',
  }),
  page('spaces as Markdown', [25_000, 100_000, 400_000], (size) => `<p>${'&nbsp;'.repeat(size)}`, {
    format: 'markdown',
  }),
  page(
    'texts that may be hidden',
    [250, 1_000, 4_000],
    (size) =>
      `<body style="background:url(data:image/gif;base64,R0lGODlhAQABAAAAACw=)">${many(size, (i) => `<p style="color:#0${i % 10}0">words ${i}</p>`)}`,
    { format: 'markdown', visible_text: true },
  ),
  page(
    'pictures',
    [50, 200, 400],
    (size) =>
      many(
        size,
        (i) => `<img width=9 height=9 src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' id='a${i}'/>">`,
      ),
    { full_page: true },
  ),
  page('elements as one file', SIZES.slice(0, 3), (size) => many(size, (i) => `<p style="color:red">${i}</p>`), {
    format: 'single_html',
  }),
  page(
    'copies of drawings as one file',
    [100, 400, 1_600],
    (size) =>
      `<svg><symbol id=s><path d="M0 0h9v9z"/></symbol></svg>${'<svg width=9 height=9><use href="#s"/></svg>'.repeat(size)}`,
    { format: 'single_html' },
  ),
  page(
    'style elements as one file',
    [200, 800, 2_400],
    (size) => many(size, (i) => `<style>.a${i}{color:red}</style><p class=a${i}>x`),
    { format: 'single_html' },
  ),
  page(
    'styles with media as one file',
    [200, 800, 2_400],
    (size) => many(size, (i) => `<style media="(min-width:${i % 900}px)">.a${i}{color:red}</style><p class=a${i}>x`),
    { format: 'single_html' },
  ),
  page('elements as MHTML', SIZES.slice(0, 3), (size) => many(size, (i) => `<p style="color:red">${i}</p>`), {
    format: 'mhtml',
  }),
  page(
    'style elements as MHTML',
    [200, 800, 2_400],
    (size) => many(size, (i) => `<style>.a${i}{color:red}</style><p class=a${i}>x`),
    { format: 'mhtml' },
  ),
  page('source as HTML', [100_000, 1_000_000, 5_000_000], (size) => `<p>${'x'.repeat(size)}`, { format: 'html' }),
  page('dialogs of the page', [100, 400, 1_600], (size) => byScript(size, 'alert(i)')),
  page(
    'changes of the address',
    [500, 2_000, 8_000],
    (size) => byScript(size, 'history.replaceState(0, "", "#" + i)'),
    { base_url: 'http://growth.example/' },
  ),
];
