import { plainPdf, texts } from '../../support/plain-pdf.ts';
import type { GrowthCase } from '../growth-case.ts';

const many = (count: number, make: (index: number) => string, separator = ''): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(separator);
const page = (rules: string, markup: string): string => `<style>${rules}</style>${markup}`;
const pdf = (
  name: string,
  sizes: readonly number[],
  markup: (size: number) => string,
  fields: object = {},
): GrowthCase => ({
  name: `pdf: ${name}`,
  sizes,
  request: (size) => ({
    body: { html_content: `<html lang="en"><title>t</title><h1>t</h1>${markup(size)}`, format: 'pdf', ...fields },
  }),
});
const sheets = (size: number): string => many(size, (i) => `<p style="break-after:page">Sheet ${i}</p>`);
const rows = (size: number): string =>
  `<table><tr><th>No.<th>Name</tr>${many(size, (i) => `<tr><td>${i}<td>name ${i}</tr>`)}</table>`;
const ACCESSIBLE = { pdf_standard: ['PDF/UA-1'] };

const BOOK =
  '<style>@page { size: A5; @top-center { content: string(head) } } h2 { string-set: head content(); break-before: page } .note { float: footnote } a::after { content: leader(".") target-counter(attr(href), page) }</style>';
const BOOK_FIELDS = { paged_media: true };

const shown = (name: string, sizes: readonly number[], make: (size: number) => Buffer, fields: object): GrowthCase => ({
  name: `pdf as source: ${name}`,
  sizes,
  request: (size) => ({ body: { file: 'a.pdf', files: { 'a.pdf': make(size).toString('base64') }, ...fields } }),
});
const wordsAt = (size: number, place: (index: number) => readonly [x: number, y: number]): Buffer =>
  plainPdf([{ size: [2_000, 2_000], commands: texts(...Array.from({ length: size }, (_, i) => textAt(i, place(i)))) }]);
const textAt = (index: number, [x, y]: readonly [number, number]): [number, number, string] => [x, y, `word${index}`];
const READ = { format: 'markdown' };

/** Documents: sheets, rows, links, and the fields that work on each of them. */
export const DOCUMENTS: readonly GrowthCase[] = [
  shown(
    'pages',
    [125, 500, 2_000],
    (size) => plainPdf(Array.from({ length: size }, (_, i) => ({ commands: texts([20, 100, `Page ${i}`]) }))),
    { ...READ },
  ),
  shown(
    'pictures of pages',
    [25, 100, 400],
    (size) => plainPdf(Array.from({ length: size }, () => ({ commands: '0 0 9 9 re f' }))),
    {
      full_page: true,
      window_width: 100,
    },
  ),
  shown(
    'objects of a page',
    [10_000, 40_000, 160_000],
    (size) => plainPdf([{ commands: '0 0 9 9 re f '.repeat(size) }]),
    {
      pdf_page: 1,
    },
  ),
  shown('words in a diagonal', [2_500, 10_000, 40_000], (size) => wordsAt(size, (i) => [i / 20, i / 20]), READ),
  shown('cells of a table', [2_500, 10_000, 40_000], (size) => wordsAt(size, (i) => [(i % 40) * 50, i / 40]), READ),
  pdf('sheets', [75, 300, 1_200], sheets),
  pdf('sheets with a watermark', [75, 300, 1_200], sheets, { pdf_watermark: 'DRAFT' }),
  pdf('sheets with header and footer', [75, 300, 1_200], sheets, {
    pdf_header_html: '<b>h</b>',
    pdf_footer_html: '<i class=pageNumber></i>',
  }),
  pdf('sheets as PDF/A', [75, 300, 1_200], sheets, { pdf_standard: ['PDF/A-2b'] }),
  pdf('sheets with a password', [75, 300, 1_200], sheets, { pdf_password: 'secret' }),
  pdf(
    'pages of a book',
    [40, 160, 400],
    (size) => `${BOOK}${many(size, (i) => `<h2>Head ${i}</h2>${'<p>words of it '.repeat(12)}`)}`,
    BOOK_FIELDS,
  ),
  pdf(
    'headings in the contents of a book',
    [50, 200, 600],
    (size) =>
      `${BOOK}${many(size, (i) => `<p><a href="#h${i}">Head ${i}</a>`)}${many(size, (i) => `<h3 id=h${i}>Head ${i}</h3>`)}`,
    BOOK_FIELDS,
  ),
  pdf(
    'footnotes of a book',
    [50, 200, 600],
    (size) => `${BOOK}${many(size, (i) => `<p>Text ${i}<span class=note>Note ${i}</span>`)}`,
    BOOK_FIELDS,
  ),
  pdf('rows of a table in a book', [100, 400, 1_600], (size) => `${BOOK}${rows(size)}`, BOOK_FIELDS),
  pdf('rows', [500, 2_000, 6_000], rows),
  pdf('rows of an accessible document', [250, 1_000, 4_000], rows, ACCESSIBLE),
  pdf('rows with a password', [500, 1_000, 4_000], rows, { pdf_password: 'secret' }),
  pdf('rows on one sheet', [500, 1_000], rows, { pdf_single_page: true }),
  pdf(
    'cells that are missing',
    [100, 400, 1_600],
    (size) => `<table><tr>${'<td>a'.repeat(size)}</tr>${'<tr><td>b</tr>'.repeat(size)}</table>`,
    ACCESSIBLE,
  ),
  pdf(
    'cells that span',
    [100, 1_000, 10_000],
    (size) => `<table><tr><td colspan=${size}>a</tr>${'<tr><td rowspan=900>b</tr>'.repeat(200)}</table>`,
    ACCESSIBLE,
  ),
  pdf('nested lists of an accessible document', [25, 100, 400], (size) => '<ul><li>a'.repeat(size), ACCESSIBLE),
  pdf('links', [500, 2_000, 8_000], (size) => many(size, (i) => `<a href="https://example.com/${i}">l</a> `)),
  pdf(
    'links of an accessible document',
    [250, 1_000, 4_000],
    (size) => many(size, (i) => `<a href="https://example.com/${i}">l</a> `),
    ACCESSIBLE,
  ),
  pdf('links inside', [500, 2_000, 8_000], (size) =>
    many(size, (i) => `<a href="#p${(i * 7) % size}">l</a><p id=p${i}>${i}`),
  ),
  pdf('headings', [500, 2_000, 8_000], (size) => many(size, (i) => `<h2>Heading ${i}</h2>`), { pdf_outline: true }),
  pdf(
    'pictures',
    [50, 200, 800],
    (size) =>
      many(
        size,
        (i) =>
          `<img width=9 height=9 src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9' fill='%23${(i % 4096).toString(16).padStart(3, '0')}'/></svg>">`,
      ),
    { pdf_image_quality: 50 },
  ),
  pdf(
    'drawings',
    [500, 2_000, 8_000],
    (size) => `<svg width=600 height=600>${many(size, (i) => `<circle cx=${i % 600} cy=9 r=3 />`)}</svg>`,
  ),
  pdf('rules for pages', [100, 400, 1_600], (size) =>
    page(
      many(size, (i) => `@page n${i} { margin: ${i % 40}mm; background: linear-gradient(red, blue) }`),
      many(size / 4, (i) => `<p style="page: n${i}">Sheet ${i}`),
    ),
  ),
  pdf('layers of a background for pages', [20, 200, 2_000], (size) =>
    page(
      `@page { background: ${many(size, (i) => `linear-gradient(red, blue) ${i}px 0 / 1px 1px no-repeat`, ',')} }`,
      'x',
    ),
  ),
  pdf('plots of layers', [100, 400, 1_600], (size) =>
    page(
      'div { position: relative; height: 60px } svg { position: absolute; height: 60px }',
      '<div><svg></svg><svg></svg></div>'.repeat(size),
    ),
  ),
  pdf('columns that stick', [250, 1_000, 4_000], (size) =>
    page('td:first-child { position: sticky; left: 0 }', rows(size)),
  ),
  pdf('metadata of the page', [100, 1_000, 10_000], (size) => '<meta name=author content="A. B.">'.repeat(size)),
  pdf('forms', [500, 2_000, 8_000], (size) => '<input value=x>'.repeat(size)),
  pdf(
    'rules of pages',
    [500, 2_000, 8_000],
    (size) => `<style>${many(size, (i) => `@page p${i}{margin:1cm}`)}</style><p>x`,
  ),
  {
    name: 'pdf_attachments',
    sizes: [10_000, 100_000, 350_000],
    request: (size) => ({
      body: {
        html_content: '<p>x',
        format: 'pdf',
        pdf_attachments: Array.from({ length: 20 }, (_, i) => ({
          name: `a${i}.txt`,
          base64: Buffer.alloc(size, i).toString('base64'),
        })),
      },
    }),
  },
  {
    name: 'pdf_page_ranges',
    sizes: [10, 60, 240],
    request: (size) => ({
      body: {
        html_content: sheets(300),
        format: 'pdf',
        pdf_page_ranges: Array.from({ length: size }, (_, i) => i + 1).join(','),
      },
    }),
  },
  {
    name: 'pdf_header_html',
    sizes: [1_000, 5_000, 19_000],
    request: (size) => ({
      body: { html_content: sheets(50), format: 'pdf', pdf_header_html: '<b>x</b>'.repeat(size / 8) },
    }),
  },
  {
    name: 'pdf_watermark',
    sizes: [10, 50, 100],
    request: (size) => ({ body: { html_content: sheets(300), format: 'pdf', pdf_watermark: 'W'.repeat(size) } }),
  },
  {
    name: 'markdown_content',
    sizes: [100, 400, 1_600],
    request: (size) => ({
      body: {
        markdown_content: many(
          size,
          (i) => `## Heading ${i}\n\n- item *${i}*\n\n| a | b |\n|---|---|\n| ${i} | x |\n\n`,
        ),
        format: 'pdf',
      },
    }),
  },
  {
    name: 'markdown_content: contents and formulas',
    sizes: [100, 400, 1_600],
    request: (size) => ({
      body: {
        markdown_content: `[[toc]]\n\n${many(size, (i) => `## Part ${i}\n\nIt is $a^${i}$.\n\n`)}`,
        format: 'pdf',
      },
    }),
  },
  {
    name: 'markdown_content: marks of formulas',
    sizes: [5_000, 20_000, 80_000],
    request: (size) => ({ body: { markdown_content: '$a '.repeat(size / 3), format: 'png' } }),
  },
  {
    name: 'pdf_header_html: dates',
    sizes: [1_000, 4_000, 16_000],
    request: (size) => ({
      body: {
        html_content: '<p>x',
        format: 'pdf',
        locale: 'de-DE',
        pdf_header_html: '<i class="date"></i>'.repeat(size / 20),
      },
    }),
  },
  {
    name: 'markdown_content: brackets',
    sizes: [5_000, 20_000, 80_000],
    request: (size) => ({ body: { markdown_content: '['.repeat(size), format: 'png' } }),
  },
  {
    name: 'markdown_content: emphasis',
    sizes: [5_000, 20_000, 80_000],
    request: (size) => ({ body: { markdown_content: '*a _b '.repeat(size / 6), format: 'png' } }),
  },
  {
    name: 'markdown_content: nested quotes',
    sizes: [100, 400, 1_600],
    request: (size) => ({ body: { markdown_content: `${'>'.repeat(size)}x`, format: 'png' } }),
  },
  {
    name: 'markdown_content: footnotes',
    sizes: [500, 2_000, 8_000],
    request: (size) => ({
      body: { markdown_content: many(size, (i) => `a[^${i}]\n\n[^${i}]: note\n\n`), format: 'png' },
    }),
  },
];
