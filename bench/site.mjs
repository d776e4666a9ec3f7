import { createServer } from 'node:http';
import { createPhotographs, PHOTOGRAPHS } from './photographs.mjs';

/** The lightest page there is: one line of text on white. */
export const ONE_LINE_PAGE =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>One line</title><body><h1>Hello</h1></body></html>';

const CELL = { width: 426, height: 240 }; // three by three: 1278x720 of a 1280x720 window

/** Nine photographs, /photographs/0.jpg to /photographs/8.jpg, in a grid that fills a 1280x720 window. */
export const PHOTOGRAPHS_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Photographs</title>
<style>
  body { margin: 0; display: grid; grid-template-columns: repeat(3, ${CELL.width}px); }
  img { display: block; width: ${CELL.width}px; height: ${CELL.height}px; object-fit: cover; }
</style>
<body>${Array.from(
  { length: PHOTOGRAPHS.count },
  (_, index) => `<img src="/photographs/${index}.jpg" alt="">`,
).join('')}</body></html>`;

/**
 * Serves the bench's two pages, `/plain` and `/photographs`, on a port of its own. The caller closes it.
 * Nothing is cacheable: every capture pays for its own bytes.
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
    ['/photographs', { type: 'text/html; charset=utf-8', body: PHOTOGRAPHS_PAGE }],
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
