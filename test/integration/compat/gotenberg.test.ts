import { hash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  Chromiumly,
  HtmlConverter,
  HtmlScreenshot,
  MarkdownConverter,
  MarkdownScreenshot,
  UrlConverter,
  UrlScreenshot,
} from 'chromiumly';
import { a4, adjust, convert, gotenberg, html as asHtml, landscape, pipe, please, to } from 'gotenberg-js-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type Pdf, readPdf, readPictureColours } from '../../support/pdf.ts';
import { type Picture, readPicture } from '../../support/pixels.ts';
import { type RunningService, startService } from '../../support/service.ts';

const TOKEN = 'token-of-shop';
const KEYS = {
  keys: [
    { id: 'shop', token_sha256: [hash('sha256', TOKEN, 'hex')], scopes: ['capture', 'jobs'] },
    { id: 'office', token_sha256: [hash('sha256', 'token-of-office', 'hex')], scopes: ['capture'] },
    { id: 'mail', token_sha256: [hash('sha256', 'token-of-mail', 'hex')], scopes: ['sign'] },
  ],
};
const LETTER = [612, 792];
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const INCH = 72;
const text = (content: string): Buffer => Buffer.from(content);
const page = (body: string, head = ''): Buffer => text(`<!doctype html>${head}<body style="margin:0">${body}`);

type ConvertOptions = Omit<Parameters<HtmlConverter['convert']>[0], 'html'>;
type ShotOptions = Omit<Parameters<HtmlScreenshot['capture']>[0], 'html'>;

const pdfOf = async (body: string, options: ConvertOptions = {}, head = ''): Promise<Pdf> =>
  await readPdf(await new HtmlConverter().convert({ html: page(body, head), ...options }));
const shotOf = async (body: string, options: ShotOptions = {}): Promise<Picture> =>
  await readPicture(await new HtmlScreenshot().capture({ html: page(body), ...options }));
/** A table with empty cells: 1.5 kB make 600 kB of HTML. */
const table = (columns: number): string =>
  `|${' a |'.repeat(columns)}\n|${'-|'.repeat(columns)}\n${'|\n'.repeat(60_000 / columns)}`;
const sizeOf = ({ pages: [first] }: Pdf): number[] => [first?.widthPt ?? 0, first?.heightPt ?? 0].map(Math.round);
const textOf = ({ pages }: Pdf): string => pages.map((each) => each.text).join('\n');

describe('clients of Gotenberg', () => {
  const hooks: { method: string | undefined; headers: IncomingHttpHeaders; body: Buffer }[] = [];
  let site: FixtureSite;
  let service: RunningService;
  let jobService: RunningService;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gotenberg-test-'));
    await writeFile(join(folder, 'keys.json'), JSON.stringify(KEYS));
    const settings = { COMPAT: 'gotenberg', KEYS_FILE: join(folder, 'keys.json'), MAX_WAIT_MS: '2500' };
    [site, service, jobService] = await Promise.all([
      createFixtureSite({
        moreRoutes: {
          '/hook': ({ request, response }) =>
            void buffer(request).then((body) => {
              hooks.push({ method: request.method, headers: request.headers, body });
              response.end();
            }),
          '/missing-script': ({ response }) => void response.end('<script src="/none.js"></script><p>Text'),
          '/echo': ({ request, response }) =>
            void response.end(
              `<p>${request.headers['user-agent']}<p>sample ${String(request.headers['x-sample'])}<p>cookie ${request.headers.cookie}`,
            ),
        },
      }),
      startService(settings),
      startService(settings, { stores: true }),
    ]);
    Chromiumly.configure({ endpoint: service.url, username: 'shop', password: TOKEN });
  });
  afterAll(async () => {
    await Promise.all([service[Symbol.asyncDispose](), jobService[Symbol.asyncDispose](), site.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const pdfOfUrl = async (path: string, options: ConvertOptions = {}): Promise<Pdf> =>
    await readPdf(await new UrlConverter().convert({ url: site.url(path), ...options }));
  const small = { properties: { format: 'png', width: 200, height: 100, clip: true } } as const;
  const post = async (
    path: string,
    fields: Readonly<Record<string, string | Blob>>,
    headers: Record<string, string> = {},
    { url }: { readonly url: string } = service,
  ) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'string' || value instanceof File) form.append(name, value);
      else form.append('files', value, name);
    }
    const authorization = `Basic ${btoa(`shop:${TOKEN}`)}`;
    return await fetch(`${url}${path}`, {
      method: 'POST',
      body: form,
      headers: { authorization, ...headers },
    });
  };

  const nextHook = async () => {
    const [hook] = await eventually(() => {
      expect(hooks).toHaveLength(1);
      return hooks.splice(0);
    });
    return hook;
  };

  describe('convert pages to PDF', () => {
    const calls: Readonly<Record<string, () => Promise<void>>> = {
      'HTML on letter paper by default': async () => {
        const pdf = await pdfOf('<h1>Hello</h1>');
        expect([sizeOf(pdf), textOf(pdf)]).toEqual([LETTER, 'Hello']);
      },
      'default margins of 0.39 inches': async () => {
        const [run] = (await pdfOf('<p style="margin:0">Text')).pages[0]?.runs ?? [];
        expect(run?.leftPt).toBeCloseTo(0.39 * INCH, 0);
      },
      'a paper size in inches': async () =>
        expect(sizeOf(await pdfOf('a', { properties: { size: { width: 5, height: 7 } } }))).toEqual([360, 504]),
      'a paper size with units': async () =>
        expect(sizeOf(await pdfOf('a', { properties: { size: { width: '210mm', height: '297mm' } } }))).toEqual([
          595, 842,
        ]),
      'a paper size in picas and points': async () =>
        expect(sizeOf(await pdfOf('a', { properties: { size: { width: '30pc', height: '400pt' } } }))).toEqual([
          360, 400,
        ]),
      'margins of each side': async () => {
        const margins = { top: 2, right: 0, bottom: 0, left: 1 };
        const [run] = (await pdfOf('<p style="margin:0">Text', { properties: { margins } })).pages[0]?.runs ?? [];
        expect(run?.leftPt).toBeCloseTo(INCH, 0);
        expect(run?.baselinePt).toBeGreaterThan(2 * INCH);
      },
      'margins with units': async () => {
        const [run] =
          (await pdfOf('<p style="margin:0">Text', { properties: { margins: { left: '2.54cm' } } })).pages[0]?.runs ??
          [];
        expect(run?.leftPt).toBeCloseTo(INCH, 0);
      },
      landscape: async () => expect(sizeOf(await pdfOf('a', { properties: { landscape: true } }))).toEqual([792, 612]),
      'a scale': async () => {
        const [normal, half] = await Promise.all([pdfOf('<p>Text'), pdfOf('<p>Text', { properties: { scale: 0.5 } })]);
        const heights = [normal, half].map(({ pages }) => pages[0]?.runs[0]?.heightPt ?? 0);
        expect(heights[1]).toBeCloseTo((heights[0] ?? 0) / 2, 0);
      },
      'page ranges as text': async () => {
        const body = [1, 2, 3].map((each) => `<p style="break-after:page">Page ${each}</p>`).join('');
        expect(textOf(await pdfOf(body, { properties: { nativePageRanges: '1,3' } }))).toBe('Page 1\nPage 3');
      },
      'page ranges from and to': async () => {
        const body = [1, 2, 3].map((each) => `<p style="break-after:page">Page ${each}</p>`).join('');
        expect(textOf(await pdfOf(body, { properties: { nativePageRanges: { from: 2, to: 3 } } }))).toBe(
          'Page 2\nPage 3',
        );
      },
      'a single page': async () => {
        const { pages } = await pdfOf('<div style="height:3000px">Long</div>', {
          properties: { singlePage: true },
        });
        expect([pages.length, pages[0]?.widthPt]).toEqual([1, 612]);
        expect(pages[0]?.heightPt).toBeGreaterThan(2_000);
      },
      'the size of the page, if it is preferred': async () =>
        expect(
          sizeOf(
            await pdfOf('a', { properties: { preferCssPageSize: true } }, '<style>@page { size: 300pt 400pt }</style>'),
          ),
        ).toEqual([300, 400]),
      'its own size, if that of the page is not preferred': async () =>
        expect(sizeOf(await pdfOf('a', {}, '<style>@page { size: 300pt 400pt }</style>'))).toEqual(LETTER),
      'a header and a footer with page numbers': async () => {
        const header = text('<html><body><p>Head of <span class="title"></span></p></body></html>');
        const footer = text(
          '<html><body><p><span class="pageNumber"></span> of <span class="totalPages"></span></p></body></html>',
        );
        const pdf = await pdfOf('Body', { header, footer }, '<title>Report</title>');
        expect(textOf(pdf)).toBe('Body Head of Report 1 of 1');
      },
      'a picture of the form in the header, but no broken one': async () => {
        const file = Buffer.from(PIXEL, 'base64');
        const header = text('<html><body><img src="logo.png" width="9"><img src="lost.png" width="9"></body></html>');
        const html = page('Body');
        const pdf = await new HtmlConverter().convert({ html, header, assets: [{ file, name: 'logo.png' }] });
        expect(await readPictureColours(pdf)).toHaveLength(1);
      },
      'metadata that the browser writes itself': async () => {
        const metadata = { Title: 'Sample', Creator: 'a', Producer: 'b', CreationDate: '2026-01-01', ModDate: 'c' };
        expect((await pdfOf('a', { metadata })).facts).toMatchObject({ Title: 'Sample' });
      },
      metadata: async () => {
        const { facts } = await pdfOf('a', {
          metadata: { Title: 'Sample', Author: 'Ada', Keywords: ['first', 'second'] },
        });
        expect(facts).toMatchObject({ Title: 'Sample', Author: 'Ada', Keywords: 'first, second' });
      },
      'an outline': async () =>
        expect((await pdfOf('<h1>One</h1><h2>Two</h2>', { generateDocumentOutline: true })).outline).toEqual([
          'One',
          'Two',
        ]),
      tags: async () => {
        const [without, tagged] = await Promise.all([pdfOf('<h1>One'), pdfOf('<h1>One', { generateTaggedPdf: true })]);
        expect([without.pages[0]?.tags.length, tagged.pages[0]?.tags]).toEqual([0, expect.arrayContaining(['H1'])]);
      },
      'assets beside the page': async () => {
        const assets = [
          { file: text('p { font-size: 40px }'), name: 'style.css' },
          { file: text("document.querySelector('p').textContent = 'from a script'"), name: 'script.js' },
        ];
        const head = '<link rel="stylesheet" href="style.css">';
        const { pages } = await pdfOf('<p>Text</p><script src="script.js"></script>', { assets }, head);
        expect(pages[0]?.runs[0]).toMatchObject({ text: 'from a script', heightPt: expect.closeTo(30, 0) });
      },
      'the media type print by default, and screen on request': async () => {
        const head = '<style>@media print { b { display: none } }</style>';
        const [print, screen] = await Promise.all([
          pdfOf('<b>screen</b> <i>all</i>', {}, head),
          pdfOf('<b>screen</b> <i>all</i>', { emulatedMediaType: 'screen' }, head),
        ]);
        expect([textOf(print), textOf(screen)]).toEqual(['all', 'screen all']);
      },
      'emulated media features': async () => {
        const head = '<style>@media (prefers-color-scheme: dark) { b { display: none } }</style>';
        const features = [{ name: 'prefers-color-scheme', value: 'dark' }];
        expect(textOf(await pdfOf('<b>light</b> <i>all</i>', { emulatedMediaFeatures: features }, head))).toBe('all');
      },
      'a wait for a delay': async () => {
        const script = "<script>setTimeout(() => document.body.append('later'), 20000)</script>now ";
        const started = performance.now();
        await pdfOf(script, { waitDelay: '300ms' });
        expect(performance.now() - started).toBeGreaterThan(300);
      },
      'a wait for an expression': async () => {
        const script =
          "<script>setTimeout(() => { document.body.append('later'); window.ready = true }, 100)</script>now ";
        expect(textOf(await pdfOf(script, { waitForExpression: 'window.ready === true' }))).toContain('later');
      },
      'a wait for a selector': async () => {
        const script =
          "<script>setTimeout(() => { document.body.innerHTML += '<b id=done>later</b>' }, 100)</script>now ";
        expect(textOf(await pdfOf(script, { waitForSelector: '#done' }))).toContain('later');
      },
      'a URL': async () => expect(textOf(await pdfOfUrl('/document'))).toContain('Outlook'),
      'a user agent': async () =>
        expect(textOf(await pdfOfUrl('/echo', { userAgent: 'Sample/1.0' }))).toContain('Sample/1.0'),
      'extra headers': async () =>
        expect(textOf(await pdfOfUrl('/echo', { extraHttpHeaders: { 'X-Sample': 'yes' } }))).toContain('sample yes'),
      cookies: async () => {
        const cookies = [{ name: 'session', value: 'abc', domain: '127.0.0.1', path: '/', sameSite: 'Lax' as const }];
        expect(textOf(await pdfOfUrl('/echo', { cookies }))).toContain('cookie session=abc');
      },
      'a wait for an idle network': async () =>
        expect(textOf(await pdfOfUrl('/document', { skipNetworkIdleEvent: false }))).toContain('Outlook'),
      'an error page, if no status fails the conversion': async () =>
        expect((await pdfOfUrl('/status/404', { failOnHttpStatusCodes: [] })).pages).toHaveLength(1),
      'an error page, if other statuses fail the conversion': async () =>
        expect((await pdfOfUrl('/status/404', { failOnHttpStatusCodes: [403, 599] })).pages).toHaveLength(1),
      'a page with a missing resource, if other statuses fail the conversion': async () => {
        const form = { url: site.url('/missing-script'), failOnResourceHttpStatusCodes: '[599]' };
        expect((await post('/forms/chromium/convert/url', form)).status).toBe(200);
      },
      'a page of the same origin with the password': async () =>
        expect(
          (await post('/forms/chromium/convert/url', { url: site.url('/document') }, { origin: service.url })).status,
        ).toBe(200),
      'a page with a missing resource': async () => expect(textOf(await pdfOfUrl('/missing-script'))).toBe('Text'),
      'Markdown in a page': async () => {
        const pdf = await readPdf(
          await new MarkdownConverter().convert({
            html: text('<html><body>{{ toHTML "file.md" }}</body></html>'),
            markdown: text('# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<script>no()</script>'),
          }),
        );
        expect(textOf(pdf)).toMatch(/^Title a b 1 2 <script>/);
      },
      'several Markdown files': async () => {
        const markdown = [
          { file: text('First *one*'), name: 'one.md' },
          { file: text('Second'), name: 'two.md' },
        ];
        const html = text('<html><body>{{ toHTML "two.md" }}{{toHTML "one.md"}}</body></html>');
        expect(textOf(await readPdf(await new MarkdownConverter().convert({ html, markdown })))).toBe(
          'Second First one',
        );
      },
      'the file name and the trace of the caller': async () => {
        const answer = await post(
          '/forms/chromium/convert/html',
          { 'index.html': new Blob(['<p>a']) },
          {
            'Gotenberg-Output-Filename': 'report',
            'Gotenberg-Trace': 'my-trace',
          },
        );
        expect([
          answer.status,
          answer.headers.get('content-disposition'),
          answer.headers.get('gotenberg-trace'),
        ]).toEqual([200, 'attachment; filename=report.pdf', 'my-trace']);
      },
      'a file name beyond ASCII, in UTF-8 as most clients send it': async () => {
        const name = Buffer.from('Übersicht März').toString('latin1'); // its bytes, one by one
        const form = { 'index.html': new Blob(['<p>a']) };
        const answer = await post('/forms/chromium/convert/html', form, { 'Gotenberg-Output-Filename': name });
        expect(answer.headers.get('content-disposition')).toContain("filename*=UTF-8''%C3%9Cbersicht%20M%C3%A4rz.pdf");
      },
      'its health, with the members of ours': async () => {
        const answer = await fetch(`${service.url}/health`);
        const { status, details, browser, timestamp } = await answer.json();
        expect([answer.status, status, details]).toEqual([200, 'up', { chromium: { status: 'up', timestamp } }]);
        expect(browser.connected).toBe(true);
      },
      'the example of the manual for a URL': async () => {
        const answer = await post('/forms/chromium/convert/url', {
          url: site.url('/document'),
          paperWidth: '8.27',
          paperHeight: '11.7',
        });
        expect(sizeOf(await readPdf(Buffer.from(await answer.arrayBuffer())))).toEqual([595, 842]);
      },
      'options that it does not know, ignored': async () => {
        const answer = await post('/forms/chromium/convert/html', {
          'index.html': new Blob(['<p>a']),
          someNewOption: 'x',
        });
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf']);
      },
      'refusable options that are off': async () => {
        const answer = await post('/forms/chromium/convert/html', {
          'index.html': new Blob(['<p>a']),
          pdfua: 'false',
          flatten: 'false',
          pdfa: '',
        });
        expect(answer.status).toBe(200);
      },
      'documents for archives and screen readers, with attachments and a watermark': async () => {
        const answer = await post('/forms/chromium/convert/html', {
          'index.html': new Blob(['<!doctype html><html lang="en"><title>T</title><h1>a']),
          pdfa: 'PDF/A-3b',
          pdfua: 'true',
          embeds: new File(['a,b'], 'data.csv'),
          embedsMetadata: '{"data.csv":{"mimeType":"text/csv","relationship":"Data"}}',
          watermarkSource: 'text',
          watermarkExpression: 'DRAFT',
        });
        const body = Buffer.from(await answer.arrayBuffer());
        expect([answer.status, answer.ok ? '' : body.toString()]).toEqual([200, '']);
        const text = body.toString('latin1');
        for (const part of ['pdfaid:part>3', 'pdfuaid:part>1', '/AFRelationship /Data', '/Subtype /text#2fcsv'])
          expect(text).toContain(part);
      },
      'an e-invoice of a page': async () => {
        const xml = await readFile(new URL('../../../examples/e-invoice/factur-x.xml', import.meta.url));
        const answer = await post('/forms/chromium/convert/html', {
          'index.html': new Blob(['<!doctype html><html lang="en"><title>T</title><h1>a']),
          facturxXml: new File([xml], 'invoice.xml'),
          facturxConformanceLevel: 'EN 16931',
        });
        const text = Buffer.from(await answer.arrayBuffer()).toString('latin1');
        expect(answer.status).toBe(200);
        expect(text).toContain('<fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>');
        expect(text).toContain('<pdfaid:part>3</pdfaid:part>');
      },
      'by gotenberg-js-client, with paper and orientation': async () => {
        const toPdf = pipe(
          gotenberg(service.url),
          convert,
          asHtml,
          adjust({
            url: `${service.url}/forms/chromium/convert/html`,
            headers: { authorization: `Bearer ${TOKEN}` },
          }),
          to(a4, landscape),
          please,
        );
        expect(sizeOf(await readPdf(await buffer(await toPdf('<p>Text'))))).toEqual([842, 595]);
      },
      'by gotenberg-js-client, a page with its files': async () => {
        const toPdf = pipe(
          gotenberg(service.url),
          convert,
          asHtml,
          adjust({
            url: `${service.url}/forms/chromium/convert/html`,
            headers: { authorization: `Bearer ${TOKEN}` },
          }),
          please,
        );
        const files = {
          'index.html': '<link rel="stylesheet" href="style.css"><p>Text',
          'style.css': 'p { font-size: 40px }',
        };
        const { pages } = await readPdf(await buffer(await toPdf(files)));
        expect(pages[0]?.runs[0]).toMatchObject({ text: 'Text', heightPt: expect.closeTo(30, 0) });
      },
    };

    it.each(Object.keys(calls))('%s', async (name) => {
      expect.hasAssertions();
      await calls[name]?.();
    });
  });

  describe('take screenshots of pages', () => {
    const calls: Readonly<Record<string, () => Promise<void>>> = {
      'of the whole page, 800 pixels wide, by default': async () =>
        expect(await shotOf('<div style="height:900px">')).toMatchObject({
          format: 'png',
          width: 800,
          height: 900,
        }),
      'of the window only': async () =>
        expect(await shotOf('<div style="height:900px">', small)).toMatchObject({ width: 200, height: 100 }),
      'with a density': async () =>
        expect(await shotOf('a', { properties: { ...small.properties, deviceScaleFactor: 2 } })).toMatchObject({
          width: 400,
        }),
      'as jpeg with a quality': async () =>
        expect(await shotOf('a', { properties: { ...small.properties, format: 'jpeg', quality: 40 } })).toMatchObject({
          format: 'jpeg',
        }),
      'as webp': async () =>
        expect(await shotOf('a', { properties: { ...small.properties, format: 'webp' } })).toMatchObject({
          format: 'webp',
        }),
      'without a background': async () =>
        expect((await shotOf('', { properties: { ...small.properties, omitBackground: true } })).pixel(9, 9)).toEqual([
          0, 0, 0, 0,
        ]),
      'with a white background by default': async () =>
        expect((await shotOf('', small)).pixel(9, 9)).toEqual([255, 255, 255, 255]),
      'optimized for speed': async () =>
        expect(await shotOf('a', { ...small, optimizeForSpeed: true })).toMatchObject({ format: 'png' }),
      'in dark mode': async () => {
        const body = '<style>@media (prefers-color-scheme: dark) { body { background: #00f } }</style>';
        const options = {
          ...small,
          emulatedMediaFeatures: [{ name: 'prefers-color-scheme', value: 'dark' }],
        };
        expect((await shotOf(body, options)).pixel(9, 9)).toEqual([0, 0, 255, 255]);
      },
      'for print': async () => {
        const body = '<style>@media print { body { background: #0f0 } }</style>';
        expect((await shotOf(body, { ...small, emulatedMediaType: 'print' })).pixel(9, 9)).toEqual([0, 255, 0, 255]);
      },
      'of a URL': async () =>
        expect(
          await readPicture(await new UrlScreenshot().capture({ url: site.url('/colours'), ...small })),
        ).toMatchObject({ width: 200, height: 100 }),
      'of Markdown': async () => {
        const shot = await new MarkdownScreenshot().capture({
          html: text('<html><body style="margin:0;background:#f00">{{ toHTML "file.md" }}</body></html>'),
          markdown: text('# Hi'),
          ...small,
        });
        expect((await readPicture(shot)).pixel(190, 90)).toEqual([255, 0, 0, 255]);
      },
      'after a selector': async () => {
        const body =
          "<script>setTimeout(() => { document.body.innerHTML = '<b id=d></b>'; document.body.style.background = '#f00' }, 100)</script>";
        expect((await shotOf(body, { ...small, waitForSelector: '#d' })).pixel(9, 9)).toEqual([255, 0, 0, 255]);
      },
    };

    it.each(Object.keys(calls))('%s', async (name) => {
      expect.hasAssertions();
      await calls[name]?.();
    });
  });

  describe('get errors as text, with the status of Gotenberg', () => {
    const missing = { 'style.css': new Blob(['']) };
    const index = { 'index.html': new Blob(['<p>a']) };
    const html = '/forms/chromium/convert/html';
    const cases: Readonly<Record<string, readonly [status: number, body: RegExp, call: () => Promise<Response>]>> = {
      'no URL': [
        400,
        /^Invalid form data: form field 'url' is required$/,
        () => post('/forms/chromium/convert/url', { a: 'b' }),
      ],
      'no page': [400, /^Invalid form data: form file 'index.html' is required$/, () => post(html, missing)],
      'a missing Markdown file': [
        400,
        /form file 'file.md' is required/,
        () => post('/forms/chromium/convert/markdown', { 'index.html': new Blob(['{{ toHTML "file.md" }}']) }),
      ],
      'a page without a place for Markdown': [400, /toHTML/, () => post('/forms/chromium/convert/markdown', index)],
      'a wrong number': [
        400,
        /^Invalid form data: scale: must be a number$/,
        () => post(html, { ...index, scale: 'big' }),
      ],
      'a number out of range': [
        400,
        /^Invalid form data: scale: must be a number from 0.1 to 2/,
        () => post(html, { ...index, scale: '9' }),
      ],
      'a wrong length': [400, /paperWidth: must be a length/, () => post(html, { ...index, paperWidth: 'wide' })],
      'a wrong duration': [400, /waitDelay: must be a duration/, () => post(html, { ...index, waitDelay: 'soon' })],
      'a wrong boolean': [400, /landscape: must be true or false/, () => post(html, { ...index, landscape: 'maybe' })],
      'wrong cookies': [400, /cookies: must be a JSON list/, () => post(html, { ...index, cookies: 'a=b' })],
      'PDF/A of another part': [
        400,
        /pdfa\[0\]: must be a list of PDF\/A-2b/,
        () => post(html, { ...index, pdfa: 'PDF/A-1b' }),
      ],
      'a file as watermark': [400, /watermark: is not supported/, () => post(html, { ...index, watermark: 'x' })],
      'a picture as watermark': [
        400,
        /watermarkSource: must be text, other watermarks are not supported/,
        () => post(html, { ...index, watermarkSource: 'image', watermarkExpression: 'a.png' }),
      ],
      'a watermark on some sheets': [
        400,
        /watermarkPages: is not supported/,
        () => post(html, { ...index, watermarkPages: '1-2' }),
      ],
      'other facts of attachments': [
        400,
        /embedsMetadata: takes mimeType and relationship of each file/,
        () => post(html, { ...index, embedsMetadata: '{"a.csv":{"RF":1}}' }),
      ],
      'an attachment of an unknown relationship': [
        400,
        /embeds\[0\].relationship: must be one of data/,
        () =>
          post(html, {
            ...index,
            embeds: new File(['a'], 'a.csv'),
            embedsMetadata: '{"a.csv":{"relationship":"Mother"}}',
          }),
      ],
      'an e-invoice without a profile': [
        400,
        /embeds\[0\]: factur-x.xml must name a profile of Factur-X/,
        () => post(html, { ...index, facturxXml: new File(['<a/>'], 'a.xml') }),
      ],
      'a long password': [
        400,
        /userPassword: must be text of 1 to 127 characters/,
        () => post(html, { ...index, userPassword: 'x'.repeat(200) }),
      ],
      'metadata that is no text': [
        400,
        /metadata: Director must be a text/,
        () => post(html, { ...index, metadata: '{"Director":{"name":"x"}}' }),
      ],
      'scopes of headers': [
        400,
        /extraHttpHeaders: scopes are not supported/,
        () => post(html, { ...index, extraHttpHeaders: '{"A":"b;scope=c"}' }),
      ],
      'what is no status': [
        400,
        /failOnHttpStatusCodes: must be a list of statuses/,
        () => post(html, { ...index, failOnHttpStatusCodes: '["4xx"]' }),
      ],
      'a status that is listed': [
        409,
        /status 404/,
        () => post('/forms/chromium/convert/url', { url: site.url('/status/404'), failOnHttpStatusCodes: '[200,404]' }),
      ],
      'a resource with a status that is listed': [
        409,
        /none\.js answered with status 404/,
        () =>
          post('/forms/chromium/convert/url', {
            url: site.url('/missing-script'),
            failOnResourceHttpStatusCodes: '[404]',
          }),
      ],
      'a page above MAX_BODY_BYTES': [
        413,
        /./,
        () => post(html, { 'index.html': new Blob(['<p>'.padEnd(10_485_761)]) }),
      ],
      'Markdown whose page becomes too large': [
        413,
        /./,
        () =>
          post('/forms/chromium/convert/markdown', {
            'index.html': new Blob(['{{ toHTML "a.md" }}'.repeat(32)]),
            'a.md': new Blob([table(250)]),
          }),
      ],
      'Markdown with too many cells': [
        400,
        /65536 cells/,
        () =>
          post('/forms/chromium/convert/markdown', {
            'index.html': new Blob(['{{ toHTML "a.md" }}']),
            'a.md': new Blob([`${table(250)}\n`.repeat(2)]),
          }),
      ],
      'a page of another origin in a browser that has the password': [
        403,
        /another site|CORS_ORIGINS/,
        () => post(html, index, { origin: 'http://evil.test', 'sec-fetch-site': 'cross-site' }),
      ],
      'such a page whose origin is hidden': [403, /./, () => post(html, index, { origin: 'null' })],
      JSON: [
        415,
        /./,
        () =>
          fetch(`${service.url}${html}`, {
            method: 'POST',
            body: '{}',
            headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
          }),
      ],
      'another method': [
        405,
        /./,
        () => fetch(`${service.url}${html}`, { headers: { authorization: `Bearer ${TOKEN}` } }),
      ],
      'an error page': [409, /status 404/, () => post('/forms/chromium/convert/url', { url: site.url('/status/404') })],
      'a failed resource': [
        409,
        /none\.js/,
        () =>
          post('/forms/chromium/convert/url', {
            url: site.url('/missing-script'),
            failOnResourceHttpStatusCodes: '[499,599]',
          }),
      ],
      'a console error': [
        409,
        /boom/,
        () =>
          post(html, {
            'index.html': new Blob(['<script>throw new Error("boom")</script>']),
            failOnConsoleExceptions: 'true',
          }),
      ],
      'a selector that never comes': [
        503,
        /waitForSelector|wait_for_selector|#none/,
        () => post('/forms/chromium/convert/html', { ...index, waitForSelector: '#none' }),
      ],
    };

    it.each(Object.keys(cases))('%s', async (name) => {
      const [status, body, call] = cases[name] ?? [0, /./, () => Promise.reject(new Error(name))];

      const answer = await call();

      expect(await answer.text()).toMatch(body);
      expect(answer.status).toBe(status);
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
      expect(answer.headers.get('gotenberg-trace')).toMatch(/./);
    });
  });

  it('tells its version without a token', async () => {
    const answer = await fetch(`${service.url}/version`);

    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringMatching(/^8\.\d+\.\d+\+capture-service\./),
    ]);
  });

  it.each([
    ['no credentials', 401, ''],
    ['a wrong password', 401, `Basic ${btoa('shop:wrong')}`],
    ['the token of another key', 401, `Basic ${btoa(`mail:${TOKEN}`)}`],
    ['an unknown key', 401, `Basic ${btoa(`none:${TOKEN}`)}`],
    ['Basic that is not base64', 401, 'Basic %%%'],
    ['a wrong bearer token', 401, 'Bearer wrong'],
    ['a key without the scope', 403, `Basic ${btoa('mail:token-of-mail')}`],
    ['a bearer token', 200, `Bearer ${TOKEN}`],
  ])('answers %s with %d', async (_case, status, authorization) => {
    const answer = await post(
      '/forms/chromium/screenshot/html',
      { 'index.html': new Blob(['a']), width: '50', height: '50' },
      { authorization },
    );

    expect(answer.status).toBe(status);
    expect(answer.headers.has('www-authenticate')).toBe(status === 401);
  });

  it('refuses private addresses by every route, in every spelling', async () => {
    await using inner = await startService({
      COMPAT: 'gotenberg',
      EGRESS_ALLOW: '',
      RATE_LIMIT_ENABLED: 'false',
    });
    const addresses = [
      'http://127.0.0.1:1/',
      'http://localhost/',
      'http://10.0.0.1/',
      'http://169.254.169.254/latest/meta-data/',
      'http://[::1]/',
      'http://[::ffff:10.0.0.1]/',
      'http://redis.internal/',
      inner.url,
    ];
    const statuses = await Promise.all(
      addresses.flatMap((url) =>
        ['convert', 'screenshot'].map(async (kind) => {
          const body = new FormData();
          body.append('url', url);
          return (await fetch(`${inner.url}/forms/chromium/${kind}/url`, { method: 'POST', body })).status;
        }),
      ),
    );

    expect(statuses).toEqual(addresses.flatMap(() => [403, 403]));
  });

  describe.each([
    ['from memory', () => service],
    ['as a job', () => jobService],
  ] as const)('webhooks, %s', (_name, serviceOf) => {
    const send = async (
      form: Readonly<Record<string, string | Blob>>,
      headers: Record<string, string>,
      source = 'html',
    ): Promise<Response> =>
      await post(
        `/forms/chromium/convert/${source}`,
        form,
        {
          'Gotenberg-Webhook-Url': site.url('/hook'),
          'Gotenberg-Webhook-Error-Url': site.url('/hook'),
          'Gotenberg-Trace': `trace-${hooks.length}`,
          ...headers,
        },
        serviceOf(),
      );
    it('get the file, with the headers of the request', async () => {
      const answer = await send(
        { 'index.html': new Blob(['<p>Later']) },
        {
          'Gotenberg-Webhook-Method': 'PUT',
          'Gotenberg-Webhook-Extra-Http-Headers': '{"X-Order": "7"}',
          'Gotenberg-Output-Filename': 'bill',
        },
      );
      expect([answer.status, await answer.text(), answer.headers.get('Gotenberg-Trace')]).toEqual([204, '', 'trace-0']);

      const hook = await nextHook();
      expect(hook).toMatchObject({
        method: 'PUT',
        headers: {
          'content-type': 'application/pdf',
          'content-disposition': 'attachment; filename=bill.pdf',
          'gotenberg-trace': 'trace-0',
          'x-order': '7',
        },
      });
      expect(hook?.headers).not.toHaveProperty('webhook-signature');
      expect(textOf(await readPdf(hook?.body ?? Buffer.of()))).toBe('Later');
    });

    it('get the error of the capture', async () => {
      const answer = await send(
        {
          'index.html': new Blob(['<script>console.error("broken")</script>']),
          failOnConsoleExceptions: 'true',
        },
        { 'Gotenberg-Webhook-Error-Method': 'PATCH' },
      );
      expect(answer.status).toBe(204);

      const hook = await nextHook();
      expect([hook?.method, JSON.parse(String(hook?.body))]).toEqual([
        'PATCH',
        { status: 409, message: expect.stringContaining('broken') },
      ]);
    });

    it('get the status of the direct answer for a page that failed', async () => {
      const url = site.url('/status/404');
      const direct = await post('/forms/chromium/convert/url', { url });
      await send({ url }, {}, 'url');

      const hook = await nextHook();
      expect(direct.status).toBe(409);
      expect(JSON.parse(String(hook?.body))).toEqual({ status: 409, message: 'The page answered with status 404' });
    });

    it.each([
      ['an address that is denied', 403, /./, { 'Gotenberg-Webhook-Url': 'http://10.0.0.1/' }],
      ['an address for errors that is denied', 403, /./, { 'Gotenberg-Webhook-Error-Url': 'http://10.0.0.1/' }],
      [
        'no address for errors',
        400,
        /Gotenberg-Webhook-Error-Url: must be an http or https/,
        { 'Gotenberg-Webhook-Error-Url': '' },
      ],
      [
        'no web address',
        400,
        /Gotenberg-Webhook-Url: must be an http or https/,
        { 'Gotenberg-Webhook-Url': 'file:///etc' },
      ],
      ['another method', 400, /Gotenberg-Webhook-Method: must be POST/, { 'Gotenberg-Webhook-Method': 'DELETE' }],
      ['no JSON', 400, /Gotenberg-Webhook-Extra-Http-Headers: /, { 'Gotenberg-Webhook-Extra-Http-Headers': 'X: 1' }],
      [
        'a header of the connection',
        400,
        /Extra-Http-Headers: has a name/,
        { 'Gotenberg-Webhook-Extra-Http-Headers': '{"Host": "a"}' },
      ],
      [
        'a line break in a header',
        400,
        /Extra-Http-Headers: must have values/,
        { 'Gotenberg-Webhook-Extra-Http-Headers': '{"A": "1\\n2"}' },
      ],
      ['a key without the scope', 403, /scope jobs/, { authorization: `Basic ${btoa('office:token-of-office')}` }],
    ])('are refused: %s', async (_case, status, message, headers) => {
      const answer = await send({ 'index.html': new Blob(['a']) }, headers);
      expect([answer.status, await answer.text()]).toEqual([status, expect.stringMatching(message)]);
      expect(hooks).toEqual([]);
    });

    it('are refused for fields that are not valid, at once', async () => {
      const answer = await send({ 'index.html': new Blob(['a']), scale: '99' }, {});
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('scale')]);
    });
  });
});
