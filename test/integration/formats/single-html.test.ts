import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle, FileTooLargeError } from '../../../src/features/saved-pages/bundle.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { COLOURS, type PageWithFiles, startPageWithFiles } from '../../support/pages/page-with-files.ts';
import { readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

/** A part of a saved page. */
const part = (head: string, body: string): string => `\r\n------b----\r\n${head}\r\n\r\n${body}`;

let site: PageWithFiles;
let service: SharedService;
beforeAll(async () => {
  [site, service] = await Promise.all([startPageWithFiles(), sharedService()]);
});
afterAll(() => site[Symbol.asyncDispose]());

describe('single_html', () => {
  let answer: CaptureAnswer;
  let file: string;
  beforeAll(async () => {
    answer = await capture(service.url, { url: `${site.origin}/page`, format: 'single_html' });
    file = answer.body.toString();
  });

  it('is HTML that runs nothing where it is opened', () => {
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toBe('sandbox');
  });

  it('shows the same without the network', async () => {
    site.requests.length = 0;
    const { body } = await capture(service.url, {
      html_content: file,
      window_width: 600,
      window_height: 60,
      run_ahead: 0,
    });
    const picture = await readPicture(body);
    const colours = Array.from({ length: COLOURS.length }, (_, index) =>
      picture
        .pixel(10 + 30 * index, 10)
        .slice(0, 3)
        .join(),
    );

    const rgb = { red: '255,0,0', lime: '0,255,0', blue: '0,0,255' };
    expect(colours).toEqual(COLOURS.map((name) => rgb[name]));
    expect(site.requests).toEqual([]);
  });

  it('has no scripts, and nothing that a browser would request', () => {
    expect(file).not.toMatch(/<script|<noscript|onload=|javascript:|http-equiv="refresh"|rel="preload"/i);
    const addresses = [...file.matchAll(/(?:src|href|poster|action)="([^"#]{1,80})/g)].map(
      ([, address = '']) => address,
    );
    expect(addresses.filter((address) => !address.startsWith('data:'))).toEqual([`${site.origin}/next`]);
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

  it('counts a picture once that is in src and in srcset', () => {
    const page = 'Content-Type: text/html\r\nContent-Location: http://a.test/';
    const picture = '<img src="b" data-capture-sources="b 1x">';
    const mhtml = Buffer.from(
      `Content-Type: multipart/related;\r\n\tboundary="----b----"\r\n${part(page, picture)}${part(
        'Content-Type: image/png\r\nContent-Location: http://a.test/b',
        'x'.repeat(30_000),
      )}\r\n------b------\r\n`,
    );

    expect(bundle(mhtml, [], 50_000).toString()).toMatch(/<img srcset="data:image\/png;base64,[\w+/=]+ 1x">/);
  });

  it('ends with a drawing that uses itself', () => {
    const symbol = '<symbol id="s" onload="run()"><path d="M0 0"/><use href="http://a.test/b#s"/></symbol>';
    const page = 'Content-Type: text/html\r\nContent-Location: http://a.test/';
    const mhtml = Buffer.from(
      `Content-Type: multipart/related;\r\n\tboundary="----b----"\r\n${part(page, '<svg><use href="http://a.test/b#s"/></svg>')}${part(
        'Content-Type: image/svg+xml\r\nContent-Location: http://a.test/b',
        `<svg>${symbol}</svg>`,
      )}\r\n------b------\r\n`,
    );

    const file = bundle(mhtml, [], 1_000_000).toString();
    expect(file).toContain('<svg><svg><path d="M0 0"></path><g ');
    expect(file).not.toMatch(/<use|onload/);
  });
});
