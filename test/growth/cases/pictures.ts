import type { GrowthCase } from '../growth-case.ts';

const SIZES = [1_000, 4_000, 16_000];

/** Markup that makes the page by a script: the request stays small. */
const repeat = (size: number, work: string): string =>
  `<body><p>x</p><script>for (let i = 0; i < ${size}; i++) { ${work} }</script>`;

const page = (
  name: string,
  sizes: readonly number[],
  markup: (size: number) => string,
  fields: object = {},
): GrowthCase => ({ name, sizes, request: (size) => ({ body: { html_content: markup(size), ...fields } }) });

/** What a picture waits for and looks at: channels, timers, boxes of a blank page, frames, videos, parts of a mail. */
export const PICTURES: readonly GrowthCase[] = [
  {
    name: 'open event streams',
    sizes: [1, 4, 16, 64],
    request: (_size, site) => ({ body: { url: `${site}/page` } }),
    site: (size, { url }, response) => {
      if (url !== '/page') {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n');
        return;
      }
      response.setHeader('Content-Type', 'text/html');
      response.end(repeat(size, 'new EventSource("/s" + i).onmessage = (e) => document.body.append(e.data)'));
    },
  },
  page('sockets that are refused', [16, 64, 256], (size) => repeat(size, 'new WebSocket("ws://127.0.0.1:9/" + i)')),
  page('timers of minutes', SIZES, (size) => repeat(size, 'setTimeout(() => document.body.append("y"), 60000 + i)')),
  page('shared workers', [1, 4, 16], (size) =>
    repeat(
      size,
      'new SharedWorker("data:text/javascript,onconnect=(e)=>e.ports[0].postMessage(1)//" + i).port.start()',
    ),
  ),
  page('boxes of a blank page', SIZES, (size) =>
    repeat(size, 'document.body.append(document.createElement("div"))').replace('<p>x</p>', ''),
  ),
  page('objects that are not drawn', [16, 64, 256], (size) =>
    repeat(
      size,
      'const o = document.createElement("object"); o.data = "data:application/pdf,x" + i; document.body.append(o)',
    ),
  ),
  page('paused videos', [16, 64, 256], (size) =>
    repeat(size, 'const v = document.createElement("video"); v.currentTime = 1; document.body.append(v)'),
  ),
  page('popovers', SIZES, (size) =>
    repeat(
      size,
      'const p = document.createElement("p"); p.popover = "manual"; p.textContent = i; document.body.append(p); p.showPopover()',
    ),
  ),
  {
    name: 'pictures of 1 bit',
    sizes: [400, 1_600, 6_400],
    request: (height) => ({
      body: {
        html_content: `<div style="height:${height}px;background:linear-gradient(red, blue)">`,
        full_page: true,
        color: 'mono',
      },
    }),
  },
  page(
    'names of parts of a mail',
    [1_000, 10_000, 100_000],
    (size) => `<p>x</p>${'"cid:'.repeat(size / 2)}${'<img src="cid:a">'.repeat(size / 10)}`,
    { files: { a: 'R0lGODlhAQABAAAAACH5BAEAAAAALAAAAAABAAEAAAIA' } },
  ),
];
