import { once } from 'node:events';
import { createServer } from 'node:http';
import sharp from 'sharp';

const square = (background: string) =>
  sharp({ create: { width: 20, height: 20, channels: 3, background } })
    .png()
    .toBuffer();
const drawing = (content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">${content}</svg>`;
const FILES: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
  '/red.png': ['image/png', await square('red')],
  '/lime.png': ['image/png', await square('lime')],
  '/blue.png': ['image/png', await square('blue')],
  '/sheet.css': ['text/css', '@import "more.css"; #sheet { background: url(lime.png) }'],
  '/more.css': ['text/css', '#more { background: url("blue.png") }'],
  '/dots.svg': [
    'image/svg+xml',
    drawing('<symbol id="dot" viewBox="0 0 1 1" onload="self.ran = 2"><path d="M0 0h1v1H0z"/></symbol>'),
  ],
  '/lime.svg': ['image/svg+xml', drawing('<rect width="20" height="20" fill="lime"/>')],
  '/blue.svg': ['image/svg+xml', drawing('<rect width="20" height="20" fill="blue"/>')],
  '/inner': ['text/html', '<body style="margin:0;background:url(blue.png)">'],
  '/page': [
    'text/html; charset=utf-8',
    `<!doctype html><html lang="en"><title>Page</title><link rel="stylesheet" href="sheet.css">
    <link rel="preload" as="image" href="lost.png"><meta http-equiv="refresh" content="900; url=/elsewhere">
    <style>body { margin: 0 } body > * { position: absolute; width: 20px; height: 20px; top: 0; border: 0 }
    dialog::backdrop { background: none }
    @keyframes fade { from { opacity: 0 } } #faded { animation: fade 5s }</style>
    <body onload="self.ran = 1">
    <img src="red.png" style="left: 0" srcset="red.png?2 2x"><p id="sheet" style="left: 30px; margin: 0"></p>
    <p id="more" style="left: 60px; margin: 0"></p><iframe src="inner" style="left: 90px"></iframe>
    <canvas id="drawn" width="20" height="20" style="left: 120px"></canvas><div id="host" style="left: 150px"></div>
    <svg style="left: 180px"><image xlink:href="red.png?svg" width="20" height="20"/></svg>
    <p id="adopted" style="left: 210px; margin: 0"></p><b id="faded" style="left: 240px; background: red"></b>
    <img srcset="lime.svg, missing.png 3x" style="left: 270px"><object data="blue.svg" style="left: 300px"></object>
    <iframe src="lime.svg" style="left: 330px"></iframe>
    <svg style="left: 360px; fill: red"><use href="dots.svg#dot" width="20" height="20"/></svg>
    <p popover style="left: 390px; margin: 0; padding: 0; background: lime"></p>
    <dialog style="left: 420px; right: auto; margin: 0; padding: 0; background: blue; outline: 0"></dialog>
    <input id="field" style="left: 500px" value="before"><a href="/next" style="left: 600px">next</a>
    <a href="#field" style="left: 650px">field</a><a href="javascript:alert(1)" style="left: 700px">script</a>
    <noscript>no scripts</noscript><img src="http://127.0.0.1:9/lost.png" style="left: 750px">
    <script>
      const paint = drawn.getContext('2d'); paint.fillStyle = 'lime'; paint.fillRect(0, 0, 20, 20);
      host.attachShadow({ mode: 'open' }).innerHTML = '<style>p { margin: 0; height: 20px; background: url(/blue.png) }</style><p></p>';
      const sheet = new CSSStyleSheet(); sheet.replaceSync('#adopted { background: lime }'); document.adoptedStyleSheets = [sheet];
      field.value = 'typed';
      document.querySelector('dialog').showModal(); document.querySelector('[popover]').showPopover();
    </script>`,
  ],
};

/** A page with all kinds of files, each 20 px wide, 30 px after the other. */
export interface PageWithFiles extends AsyncDisposable {
  readonly origin: string;
  /** Paths of all requests so far. */
  readonly requests: string[];
}

/** Colours of the parts of the page, from left to right. */
export const COLOURS = [
  'red',
  'lime',
  'blue',
  'blue',
  'lime',
  'blue',
  'red',
  'lime',
  'red',
  'lime',
  'blue',
  'lime',
  'red',
  'lime',
  'blue',
] as const;

/** Starts the site of the page `/page`. The caller disposes of it. */
export async function startPageWithFiles(): Promise<PageWithFiles> {
  const requests: string[] = [];
  const site = createServer(({ url = '' }, response) => {
    requests.push(url);
    const [type, body] = FILES[url.split('?', 1)[0] ?? ''] ?? ['text/plain', ''];
    response.setHeader('Content-Type', type);
    response.end(body);
  });
  await once(site.listen(0, '127.0.0.1'), 'listening');
  const address = site.address();
  return {
    origin: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    requests,
    [Symbol.asyncDispose]: async () => void (await once(site.close(), 'close')),
  };
}
