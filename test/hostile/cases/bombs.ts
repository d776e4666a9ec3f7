import { constants, deflateRawSync } from 'node:zlib';
import { documentOf, type Handler, type HostileCase, scriptPage } from '../hostile-case.ts';

const BOMB_OUTCOMES: HostileCase['outcomes'] = [
  '200',
  '500 TimeoutError',
  '500 PageCrashedError',
  '400 ResultTooLargeError',
  '500 NavigationError',
];
const MEGABYTE = 1_048_576;
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);

/** 10 GB of spaces in 10 MB: a flushed deflate block can be repeated. */
function gzipBomb(type: string): Handler {
  return (_request, response) => {
    const block = deflateRawSync(Buffer.alloc(MEGABYTE, ' '), { finishFlush: constants.Z_FULL_FLUSH });
    response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' });
    response.end(Buffer.concat([GZIP_HEADER, ...Array.from({ length: 10_000 }, () => block)]));
  };
}

function bomb(id: string, title: string, page: string, more: Omit<HostileCase, 'id' | 'title'> = {}): HostileCase {
  const { pages, ...rest } = more;
  return { id, title, pages: (scene) => ({ '': page, ...pages?.(scene) }), outcomes: BOMB_OUTCOMES, ...rest };
}

export const BOMB_CASES: readonly HostileCase[] = [
  {
    id: 'H15',
    title: '10 GB in 10 MB of gzip: as a document, a picture, a style sheet, a fetch',
    pages: () => ({
      document: gzipBomb('text/html'),
      style: documentOf('x', '<link rel="stylesheet" href="css">'),
      css: gzipBomb('text/css'),
      picture: documentOf('<img src="png">'),
      png: gzipBomb('image/png'),
      fetch: scriptPage("fetch('text').then((r) => r.text());"),
      text: gzipBomb('text/plain'),
    }),
    requests: ({ site }) =>
      ['document', 'style', 'picture', 'fetch'].map((path) => ({
        url: `${site}${path}`,
        wait_for_network: 'idle',
        wait_for_timeout: 4_000,
      })),
    outcomes: BOMB_OUTCOMES,
  },
  bomb(
    'H16',
    'two million elements',
    scriptPage(
      "onload = () => { const p = document.createElement('i'); p.textContent = 'x'; const f = document.createDocumentFragment(); for (let n = 0; n < 2e6; n++) f.append(p.cloneNode(true)); document.body.append(f); };",
    ),
  ),
  bomb('H16a', '100,000 nested elements', `${'<div>'.repeat(100_000)}x`),
  bomb(
    'H16b',
    '2,000 frames',
    scriptPage(
      "for (let n = 0; n < 2000; n++) document.body.append(Object.assign(document.createElement('iframe'), { srcdoc: 'x' }));",
    ),
  ),
  bomb(
    'H17',
    'a million pixels tall',
    documentOf('<div style="height:1000000px;background:linear-gradient(red,blue)"></div>'),
    {
      requests: ({ site }) => ['png', 'webp', 'jpeg'].map((format) => ({ url: site, full_page: true, format })),
      outcomes: ['400 ResultTooLargeError'],
    },
  ),
  bomb(
    'H17a',
    'a million pixels tall, as a PDF',
    documentOf('<div style="height:1000000px;background:linear-gradient(red,blue)"></div>'),
    {
      requests: ({ site }) => [{ url: site, format: 'pdf' }],
    },
  ),
  bomb('H18', 'a million pixels wide', documentOf('<div style="width:1000000px;height:50px;background:red"></div>'), {
    requests: ({ site }) => [
      { url: site, full_page: true },
      { url: site, selector: 'div' },
      { url: site, format: 'pdf' },
    ],
  }),
  bomb(
    'H18a',
    'elements scaled a million times',
    documentOf('<p style="transform:scale(1e6)">x</p><p style="zoom:1e6">x</p><p style="font-size:1e9px">x</p>'),
    {
      requests: ({ site }) => [
        { url: site, full_page: true },
        { url: site, selector: 'p' },
        { url: site, full_page: true, pixel_density: 5 },
      ],
    },
  ),
  {
    id: 'H18b',
    title: 'windows above the limit',
    requests: ({ site }) => [
      { url: site, window_width: 1e9 },
      { url: site, window_height: 7_681 },
      { url: site, pixel_density: 5.01 },
    ],
    outcomes: ['400 ValidationError'],
  },
  bomb(
    'H19',
    'a page that grows during scrolling',
    scriptPage(
      "const grow = () => { const d = document.createElement('div'); d.style.height = '3000px'; document.body.append(d); }; grow(); onscroll = grow; setInterval(grow, 10);",
    ),
    {
      requests: ({ site }) => [
        { url: site, full_page: true },
        { url: site, format: 'pdf' },
      ],
    },
  ),
  bomb(
    'H20',
    'canvases: the largest size, hundreds of them, read in a loop',
    scriptPage(
      "const make = (w, h) => { const c = document.createElement('canvas'); c.width = w; c.height = h; c.getContext('2d').fillRect(0, 0, 9, 9); document.body.append(c); return c; }; make(16384, 16384); for (let n = 0; n < 200; n++) make(2000, 2000); onload = () => { for (;;) make(2000, 2000).toDataURL(); };",
    ),
  ),
  bomb(
    'H21',
    'a script that allocates all memory',
    scriptPage('const all = []; for (;;) all.push(new Uint8Array(1e8).fill(1));'),
    {
      requests: ({ site }) => [{ url: site, wait_for_timeout: 5_000 }],
    },
  ),
  bomb(
    'H21a',
    'strings that double',
    scriptPage(
      "let s = 'x'; try { for (;;) s += s; } catch {} const m = new Map(); for (let n = 0; ; n++) m.set(n, s.slice(0, 1e6) + n);",
    ),
    {
      requests: ({ site }) => [{ url: site, wait_for_timeout: 5_000 }],
    },
  ),
  bomb(
    'H24',
    'WebAssembly that grows to 4 GB',
    scriptPage(
      'const m = new WebAssembly.Memory({ initial: 1, maximum: 65536 }); try { for (;;) { m.grow(1000); new Uint8Array(m.buffer).fill(1, m.buffer.byteLength - 65536000); } } catch {}',
    ),
  ),
  bomb(
    'H25',
    'endless shaders, and a thousand WebGL contexts',
    scriptPage(`for (let n = 0; n < 1000; n++) { const gl = document.createElement('canvas').getContext('webgl'); if (!gl) break;
  const s = gl.createShader(gl.FRAGMENT_SHADER); gl.shaderSource(s, 'void main() { for (int i = 0; i < 1000000000; i++) gl_FragColor += vec4(1e-9); }'); gl.compileShader(s); }
navigator.gpu?.requestAdapter();`),
  ),
  bomb(
    'H41',
    'expensive style sheets: blur, shadows, :has(), variables that double',
    documentOf(
      `<div style="filter:blur(999px);width:100%;height:2000px;background:red"></div><div style="box-shadow:${Array.from({ length: 3_000 }, (_, n) => `${n}px ${n}px 50px red`).join()}">x</div>${'<b>'.repeat(300)}`,
      `<style>:root { ${Array.from({ length: 40 }, (_, n) => `--v${n + 1}: var(--v${n}, x) var(--v${n}, x);`).join('')} } p::before { content: var(--v40) } b:has(b b b:has(b)) b { color: red }</style>`,
    ),
  ),
  bomb(
    'H41a',
    'exponential SVG: nested use, XML entities',
    documentOf(
      `<svg>${Array.from({ length: 30 }, (_, n) => `<g id="u${n}">${n === 0 ? '<rect width="9" height="9"/>' : `<use href="#u${n - 1}"/><use href="#u${n - 1}"/>`}</g>`).join('')}</svg><iframe src="xml"></iframe>`,
    ),
    {
      pages: () => ({
        xml: (_request, response) => {
          const entities = Array.from({ length: 30 }, (_, n) => `<!ENTITY e${n + 1} "&e${n};&e${n};">`).join('');
          response
            .writeHead(200, { 'content-type': 'application/xml' })
            .end(`<!DOCTYPE r [<!ENTITY e0 "x">${entities}]><r>&e30;</r>`);
        },
      }),
    },
  ),
  bomb(
    'H42',
    'endless pictures: a JPEG stream, a huge empty picture',
    documentOf('<img src="stream"><img src="huge"><video src="stream" autoplay></video>'),
    {
      pages: () => ({
        stream: (_request, response) => {
          response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=x' });
          const timer = setInterval(
            () => response.write('--x\r\ncontent-type: image/jpeg\r\n\r\n\xff\xd8\xff\r\n'),
            20,
          );
          response.once('close', () => clearInterval(timer));
        },
        huge: (_request, response) => {
          response
            .writeHead(200, { 'content-type': 'image/svg+xml' })
            .end(
              '<svg xmlns="http://www.w3.org/2000/svg" width="60000" height="60000"><rect width="100%" height="100%"/></svg>',
            );
        },
      }),
    },
  ),
  {
    id: 'H48a',
    title: 'supplied markup of 380,000 paragraphs in 3 MB',
    requests: () => [{ html_content: '<p>x</p>'.repeat(380_000) }],
    outcomes: ['200', '500 TimeoutError'],
  },
  {
    id: 'H48',
    title: 'large or malformed supplied markup: 3 MB, NUL, byte order marks, script end tags',
    requests: () =>
      [
        `<p>${'text '.repeat(200)}</p>`.repeat(3_000),
        '\u0000<p>\u0000x',
        '\ufeff\ufeff<p>x',
        '</script></body></html><script>1',
        '\ud83d\ude00'.repeat(100_000),
        '<!--',
        '<plaintext>',
        '<template>',
      ].map((html_content) => ({ html_content })),
    outcomes: ['200', '500 TimeoutError'],
  },
];
