import { createServer } from 'node:http';
import { createPhotographs, PHOTOGRAPHS } from './photographs.mjs';

/** The lightest page: one line of text on white. */
export const ONE_LINE_PAGE =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>One line</title><body><h1>Hello</h1></body></html>';

export const CELL = { width: 426, height: 240 }; // three by three fill 1278x720 of a 1280x720 window

/** Nine photographs, /photographs/0.jpg to /photographs/8.jpg, in a grid that fills a 1280x720 window. */
export const PHOTOGRAPHS_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Photographs</title>
<style>
  body { margin: 0; display: grid; grid-template-columns: repeat(3, ${CELL.width}px); }
  img { display: block; width: ${CELL.width}px; height: ${CELL.height}px; object-fit: cover; }
</style>
<body>${Array.from({ length: PHOTOGRAPHS.count }, (_, index) => `<img src="/photographs/${index}.jpg" alt="">`).join(
  '',
)}</body></html>`;

/** Text on coloured bands that fills a few screens and some pages of paper. */
export const LONG_PAGE = { height: 4_000, bands: 20 };
const LONG_PAGE_MARKUP = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Long</title>
<style>
  body { margin: 0; }
  section { box-sizing: border-box; height: ${LONG_PAGE.height / LONG_PAGE.bands}px; padding: 20px; background: #eef; }
  section:nth-child(even) { background: #fff; }
</style>
<body>${Array.from(
  { length: LONG_PAGE.bands },
  (_, index) =>
    `<section><h2>Part ${index + 1}</h2><p>${'All that a page has to say, in a line of text. '.repeat(8)}</p></section>`,
).join('')}</body></html>`;

/** One line, and scripts that are idle after `load`: expired timers, and listeners for events of a visitor. */
const SCRIPTED_PAGE = ONE_LINE_PAGE.replace(
  '</body>',
  `<script>
  for (const type of ['click', 'scroll', 'resize']) addEventListener(type, () => {});
  setTimeout(() => { document.body.dataset.ready = 'true'; }, 0);
  document.querySelector('h1').append(' again');
</script></body>`,
);

const SITES = 50;

/**
 * Returns the address of a page on one of 50 sites, round robin. All are this server, at 127.0.0.1 to 127.0.0.50. With
 * one site only, a reused page would keep its process, unlike under mixed load.
 */
export function siteUrl(index, port, path) {
  return `http://127.0.0.${1 + (index % SITES)}:${port}${path}`;
}

/**
 * Serves the pages `/plain`, `/scripted`, `/photographs` and `/long` on a free port. The caller closes it.
 * Nothing is cacheable, so every capture loads all bytes.
 */
export async function createBenchSite({ host = '127.0.0.1', port = 0 } = {}) {
  const answers = await createAnswers();
  const server = createServer((request, response) => {
    const answer = answers.get(new URL(request.url ?? '/', 'http://site').pathname);
    if (answer === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': answer.type, 'cache-control': 'no-store' }).end(answer.body);
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const origin = originOf(server.address());
  return { origin, url: (path) => new URL(path, origin).href, close: () => close(server) };
}

async function createAnswers() {
  const photographs = await createPhotographs();
  return new Map([
    ['/plain', { type: 'text/html; charset=utf-8', body: ONE_LINE_PAGE }],
    ['/scripted', { type: 'text/html; charset=utf-8', body: SCRIPTED_PAGE }],
    ['/photographs', { type: 'text/html; charset=utf-8', body: PHOTOGRAPHS_PAGE }],
    ['/long', { type: 'text/html; charset=utf-8', body: LONG_PAGE_MARKUP }],
    ...photographs.map((body, index) => [`/photographs/${index}.jpg`, { type: 'image/jpeg', body }]),
  ]);
}

function originOf({ address, family, port }) {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function close(server) {
  return new Promise((resolve) => {
    server.close(() => resolve(undefined));
    server.closeAllConnections();
  });
}
