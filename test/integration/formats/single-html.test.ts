import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle, FileTooLargeError } from '../../../src/capture/formats/single-html/bundle.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const square = (background: string) =>
  sharp({ create: { width: 20, height: 20, channels: 3, background } })
    .png()
    .toBuffer();
const FILES: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
  '/red.png': ['image/png', await square('red')],
  '/lime.png': ['image/png', await square('lime')],
  '/blue.png': ['image/png', await square('blue')],
  '/sheet.css': ['text/css', '@import "more.css"; #sheet { background: url(lime.png) }'],
  '/more.css': ['text/css', '#more { background: url("blue.png") }'],
  '/inner': ['text/html', '<body style="margin:0;background:url(blue.png)">'],
  '/page': [
    'text/html; charset=utf-8',
    `<!doctype html><html lang="en"><title>Page</title><link rel="stylesheet" href="sheet.css">
    <link rel="preload" as="image" href="lost.png"><meta http-equiv="refresh" content="900; url=/elsewhere">
    <style>body { margin: 0 } body > * { position: absolute; width: 20px; height: 20px; top: 0; border: 0 }
    @keyframes fade { from { opacity: 0 } } #faded { animation: fade 5s }</style>
    <body onload="self.ran = 1">
    <img src="red.png" style="left: 0" srcset="red.png?2 2x"><p id="sheet" style="left: 30px; margin: 0"></p>
    <p id="more" style="left: 60px; margin: 0"></p><iframe src="inner" style="left: 90px"></iframe>
    <canvas id="drawn" width="20" height="20" style="left: 120px"></canvas><div id="host" style="left: 150px"></div>
    <svg style="left: 180px"><image xlink:href="red.png?svg" width="20" height="20"/></svg>
    <p id="adopted" style="left: 210px; margin: 0"></p><b id="faded" style="left: 240px; background: red"></b>
    <input id="field" style="left: 300px" value="before"><a href="/next" style="left: 400px">next</a>
    <a href="#field" style="left: 450px">field</a><a href="javascript:alert(1)" style="left: 500px">script</a>
    <noscript>no scripts</noscript><img src="http://127.0.0.1:9/lost.png" style="left: 600px">
    <script>
      const paint = drawn.getContext('2d'); paint.fillStyle = 'lime'; paint.fillRect(0, 0, 20, 20);
      host.attachShadow({ mode: 'open' }).innerHTML = '<style>p { margin: 0; height: 20px; background: url(/blue.png) }</style><p></p>';
      const sheet = new CSSStyleSheet(); sheet.replaceSync('#adopted { background: lime }'); document.adoptedStyleSheets = [sheet];
      field.value = 'typed';
    </script>`,
  ],
};

/** A part of a saved page. */
const part = (head: string, body: string): string => `\r\n------b----\r\n${head}\r\n\r\n${body}`;

let site: Server;
let origin: string;
let service: SharedService;
const requests: string[] = [];
beforeAll(async () => {
  service = await sharedService();
  site = createServer(({ url = '' }, response) => {
    requests.push(url);
    const [type, body] = FILES[url.split('?', 1)[0] ?? ''] ?? ['text/plain', ''];
    response.setHeader('Content-Type', type);
    response.end(body);
  });
  await once(site.listen(0, '127.0.0.1'), 'listening');
  const address = site.address();
  origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(async () => {
  await once(site.close(), 'close');
});

describe('single_html', () => {
  let answer: CaptureAnswer;
  let file: string;
  beforeAll(async () => {
    answer = await capture(service.url, { url: `${origin}/page`, format: 'single_html' });
    file = answer.body.toString();
  });

  it('is HTML that runs nothing where it is opened', () => {
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toBe('sandbox');
  });

  it('shows the same without the network', async () => {
    requests.length = 0;
    const { body } = await capture(service.url, {
      html_content: file,
      window_width: 300,
      window_height: 60,
      run_ahead: 0,
    });
    const picture = await readPicture(body);
    const colours = Array.from({ length: 9 }, (_, index) =>
      picture
        .pixel(10 + 30 * index, 10)
        .slice(0, 3)
        .join(),
    );

    const [red, lime, blue] = ['255,0,0', '0,255,0', '0,0,255'];
    expect(colours).toEqual([red, lime, blue, blue, lime, blue, red, lime, red]);
    expect(requests).toEqual([]);
  });

  it('has no scripts, and nothing that a browser would request', () => {
    expect(file).not.toMatch(/<script|<noscript|onload=|javascript:|http-equiv="refresh"|rel="preload"/i);
    const addresses = [...file.matchAll(/(?:src|href|poster|action)="([^"#]{1,80})/g)].map(
      ([, address = '']) => address,
    );
    expect(addresses.filter((address) => !address.startsWith('data:'))).toEqual([`${origin}/next`]);
    expect(file).toContain(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; `);
    expect(file).toContain('href="#field"');
  });

  it('keeps what fields contain', () => {
    expect(file).toMatch(/<input[^>]*value="typed"/);
  });

  it('is an error when it is too large, however often a file is shown', () => {
    const mhtml = Buffer.from(
      `MIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\tboundary="----b----"\r\n${part(
        'Content-Type: text/html\r\nContent-Transfer-Encoding: 8bit\r\nContent-Location: http://a.test/',
        '<img src="http://a.test/b">'.repeat(100),
      )}${part('Content-Type: image/png\r\nContent-Location: http://a.test/b', 'x'.repeat(1_000))}\r\n------b------\r\n`,
    );

    expect(bundle(mhtml, [], 1_000_000).toString()).toContain('<img src="data:image/png;base64,eHh4');
    expect(() => bundle(mhtml, [], 100_000)).toThrow(FileTooLargeError);
  });
});
