import { getDocument, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { invalid, readError } from '../../support/errors.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const TEXT = '<p>Some words that go on and on for a while, and then more.</p>'.repeat(80);
const PICTURE = `<img style="width:100%;height:900px" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><rect width='2000' height='2000' fill='teal'/></svg>">`;

const KINDS: Readonly<Record<string, readonly [body: string, fields?: object]>> = {
  text: [TEXT],
  pictures: [PICTURE.repeat(3)],
  'a dark page': [`<body style="background:#000;color:#fff">${TEXT}`],
  'its own paper': [`<style>@page { size: A5 landscape; margin: 2cm }</style>${TEXT}`],
  'one sheet': [TEXT, { pdf_single_page: true }],
  'one element': [`<main>${TEXT}</main>`, { selector: 'main' }],
  'landscape, scaled': [TEXT, { pdf_landscape: true, pdf_scale: 0.7 }],
  'a footer': [TEXT, { pdf_footer_html: '<span class="pageNumber"></span>' }],
  'a style that hides all else': [
    `<style>@media print { body > * { visibility: hidden !important } body > main { visibility: visible !important } }</style><main>${TEXT}</main>`,
  ],
  'a layer on top': [`<div style="position:relative;z-index:2147483647;background:#fff">${TEXT}</div>`],
  'a moved root': [`<style>html { transform: translateX(0); will-change: transform; contain: paint }</style>${TEXT}`],
  'a dialog': [`<dialog id="d">${TEXT}</dialog><script>d.showModal()</script>`],
  'sheets of two sizes': [
    `<style>@page wide { size: A3 landscape } .wide { page: wide }</style><p>a</p><p class="wide">b</p>`,
  ],
  'an archive': [TEXT, { pdf_standard: ['PDF/A-2b'] }],
  'no tags': [TEXT, { pdf_tagged: false }],
};

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

const print = (body: string, fields: object = {}): Promise<CaptureAnswer> =>
  capture(service.url, { html_content: `<!doctype html><html lang="en">${body}`, format: 'pdf', ...fields });

/** Returns the text of each page, and how many paths are drawn on it. */
async function pagesOf({ status, body }: CaptureAnswer): Promise<readonly { text: string; paths: number }[]> {
  expect(status).toBe(200);
  const document = await getDocument({ data: Uint8Array.from(body) }).promise;
  return await Promise.all(
    Array.from({ length: document.numPages }, async (_, index) => {
      const page = await document.getPage(index + 1);
      const { items } = await page.getTextContent();
      const { fnArray } = await page.getOperatorList();
      return {
        text: items.map((item) => ('str' in item ? item.str : '')).join(''),
        paths: fnArray.filter((operator) => operator === OPS.constructPath).length,
      };
    }),
  );
}

describe.concurrent('pdf_watermark', () => {
  it.each(Object.entries(KINDS))('is drawn on each sheet of %s, and is no text', async (_name, [body, fields]) => {
    const [plain, marked] = await Promise.all(
      [{}, { pdf_watermark: 'DRAFT' }].map(async (more) => await pagesOf(await print(body, { ...fields, ...more }))),
    );

    expect(marked?.map(({ text }) => text)).toEqual(plain?.map(({ text }) => text));
    expect(marked?.every(({ paths }, page) => paths > (plain?.[page]?.paths ?? Infinity))).toBe(true);
  });

  it.each(['x', 'Vertraulich – nicht kopieren', 'a'.repeat(100)])('fits on the sheet: %s', async (pdf_watermark) => {
    const answer = await print('<p>short', { pdf_watermark });

    expect(answer.headers.get('X-Capture-Warnings')).toBeNull();
    expect(await pagesOf(answer)).toMatchObject([{ text: 'short' }]);
  });

  it.each(['', 'a'.repeat(101), 7])('refuses %j', async (pdf_watermark) => {
    const answer = await print('<p>short', { pdf_watermark });

    expect(readError(answer)).toEqual(invalid('pdf_watermark: must be text of 1 to 100 characters'));
  });
});
