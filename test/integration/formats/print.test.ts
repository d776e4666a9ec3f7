import { beforeAll, describe, expect, it } from 'vitest';
import { WHOLE_SHEET } from '../../../src/features/documents/header-footer.ts';
import { capture, type CaptureAnswer } from '../../support/http.ts';
import { type Pdf, readPdf } from '../../support/pdf.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

type Fields = Readonly<Record<string, unknown>>;

const MM = 72 / 25.4;
const STYLE = '<style>body { margin: 0; font: 14px/20px sans-serif }</style>';
const clause = 'Delivery takes place ten working days after the order was confirmed. ';
const paragraphs = (count: number): string =>
  Array.from({ length: count }, (_, index) => `<p>Clause ${index + 1}. ${clause.repeat(3)}</p>`).join('');
const page = (body: string, head = ''): string =>
  `<!doctype html><html lang="en"><title>Document</title>${STYLE}${head}${body}`;

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

interface Printed extends Pdf {
  readonly warnings: string;
  readonly scale: string | null;
}

async function answerTo(fields: Fields): Promise<CaptureAnswer> {
  const answer = await capture(service.url, { format: 'pdf', ...fields });
  expect([answer.status, answer.status === 200 ? '' : answer.body.toString()]).toEqual([200, '']);
  return answer;
}

async function print(html_content: string, fields: Fields = {}): Promise<Printed> {
  const { body, headers } = await answerTo({ html_content, ...fields });
  const warnings = headers.get('x-capture-warnings') ?? '';
  return { ...(await readPdf(body)), warnings, scale: headers.get('x-pdf-scale') };
}

const textsOf = ({ pages }: Pdf): readonly string[] => pages.map(({ text }) => text);

/** Returns page, left and baseline of the first run that begins with a text. */
function placeOf({ pages }: Pdf, start: string): { page: number; left: number; baseline: number } {
  for (const [index, { runs }] of pages.entries()) {
    const run = runs.find(({ text }) => text.startsWith(start));
    if (run !== undefined) return { page: index, left: run.leftPt, baseline: run.baselinePt };
  }
  throw new Error(`${start} is not in the document`);
}

// Two at a time, one per page of the pool.
describe.concurrent('header and footer', () => {
  it.each(['pdf_footer_html', 'pdf_header_html'])('leave the margins of the page with %s', async (field) => {
    const letter = page(paragraphs(20), '<style>@page { margin: 45mm 20mm 40mm 25mm }</style>');

    const pdf = await print(letter, { [field]: '<b>EDGE</b>' });

    const [first] = pdf.pages;
    const body = first?.runs.filter(({ text }) => text !== 'EDGE') ?? [];
    expect(Math.min(...body.map(({ baselinePt }) => baselinePt))).toBeGreaterThan(45 * MM);
    expect(Math.max(...body.map(({ baselinePt }) => baselinePt))).toBeLessThan((297 - 40) * MM);
    const edge = placeOf(pdf, 'EDGE');
    expect(Math.abs(edge.left - 25 * MM)).toBeLessThan(1); // as the text of the page
    expect(field === 'pdf_header_html' ? edge.baseline : 297 * MM - edge.baseline).toBeLessThan(40 * MM);
  });

  it('leave a cover without margins free, and stand on the other sheets', async () => {
    const css = '<style>@page { margin: 25mm } @page :first { margin: 0 } .cover { height: 290mm }</style>';
    const report = page(`<div class="cover">Cover</div>${paragraphs(20)}`, css);

    const pdf = await print(report, { pdf_header_html: 'HEAD', pdf_footer_html: 'FOOT' });

    expect(textsOf(pdf).map((text) => [text.includes('HEAD'), text.includes('FOOT')])).toEqual([
      [false, false],
      ...pdf.pages.slice(1).map(() => [true, true]),
    ]);
    expect(pdf.pages.length).toBeGreaterThan(1);
  });

  it.each([
    'width: 100%; padding: 0 20mm',
    'width: 100%; box-sizing: border-box; padding: 0 20mm',
    'width: 210mm; box-sizing: border-box; padding: 0 20mm',
    'margin: 0 20mm; width: 170mm',
  ])('are laid out as Chrome does it, for clients of other services: %s', async (style) => {
    const template = `${WHOLE_SHEET}<div style="${style}; display: flex; justify-content: space-between; font-size: 10px"><span>LEFT</span><span>RIGHT</span></div>`;
    const pdf = await print(page('Text'), { pdf_header_html: template, pdf_margin: '20mm' });

    expect(placeOf(pdf, 'LEFT').left).toBeCloseTo(20 * MM, 0);
    expect(placeOf(pdf, 'RIGHT').left).toBeGreaterThan(500);
    expect(placeOf(pdf, 'RIGHT').left).toBeLessThan(190 * MM);
  });

  it('have the date as the locale writes it', async () => {
    const field = '<style>.date { font-size: 12px }</style><span class="a date"></span>';
    const dates = ['de-DE', 'ja-JP'].map(async (locale) =>
      textsOf(await print(page('Text'), { pdf_header_html: field, pdf_margin: '20mm', locale })).join(''),
    );

    const [german = '', japanese = ''] = await Promise.all(dates);
    expect(german).toMatch(/\d{1,2}\.\d{1,2}\.20\d\d/);
    expect(japanese).toMatch(/20\d\d\/\d{1,2}\/\d{1,2}/);
  });

  it('lie over a page that has no margins at all', async () => {
    const pdf = await print(page('<p>Body', '<style>@page { margin: 0 }</style>'), { pdf_header_html: 'HEAD' });

    expect(textsOf(pdf)[0]).toContain('HEAD');
    expect(placeOf(pdf, 'Body').left).toBe(0);
  });
});

const invoice = (rows: number): string =>
  page(`<table><thead><tr><th>Item</th></tr></thead>${`<tr><td>One<br>two<br>three</td></tr>`.repeat(rows)}</table>`);

const productRow = (at: number): string =>
  `<tr><td style="height: 70mm"><h3>Product ${at}</h3><p>First ${at}<table><tr><td>inner</table><p style="margin-top: 45mm">Last ${at}</tr>`;

describe.concurrent('rows', () => {
  const nested = `<table><tr><td><h1>Offer</h1>${paragraphs(30)}</td></tr></table>`;
  const presentation = `<table role="presentation"><tr><td>${paragraphs(30)}</td></tr></table>`;
  const long = `<table><thead><tr><th>Head</th></tr></thead><tr><td>Short</td></tr><tr><td>${paragraphs(40)}</td></tr></table>`;

  it.each([
    ['a layout table', nested],
    ['a layout table that says so', presentation],
    ['a row that is longer than a sheet', long],
    [
      'code with line numbers',
      `<table><tr><td><pre>${'9\n'.repeat(90)}</pre></td><td><pre>${'code\n'.repeat(90)}</pre></td></tr></table>`,
    ],
  ])('break in %s', async (_name, table) => {
    const [pdf, own] = await Promise.all([
      print(page(`<p>Before</p>${table}`)),
      print(page(`<p>Before</p>${table}`, '<style>tr { break-inside: auto }</style>')),
    ]);

    expect(pdf.pages.length).toBe(own.pages.length);
    expect(pdf.pages[0]?.runs.length).toBe(own.pages[0]?.runs.length);
  });

  it('break between sheets in a box that stands in a line, with their heads', async () => {
    const rows = Array.from({ length: 60 }, (_, at) => `<tr><td style="height: 30px">Row ${at}`).join('');
    const table = `<table><thead><tr><th>Head</thead><tbody>${rows}</table>`;
    const texts = textsOf(await print(page(`<div style="display: inline-block">${table}</div>`)));

    expect(texts.length).toBeGreaterThan(1);
    expect(texts.every((text) => text.startsWith('Head Row'))).toBe(true);
    expect(texts.join(' ').match(/Row \d+/g)).toHaveLength(60);
  });

  it.each(['break-after: page', 'page-break-before: always'])(
    'begin a page in a box that stands in a line: %s',
    async (style) => {
      const parts = ['One', 'Two'].map((text) => `<div style="${style}">${text}</div>`).join('');
      const texts = textsOf(await print(page(`<div style="display: inline-block; width: 50mm">${parts}Three</div>`)));

      expect(texts.join('|')).toContain('One|Two');
    },
  );

  it('stay whole with headings and tables in them', async () => {
    const pdf = await print(
      page(`<p style="height: 30mm">List<table>${[1, 2, 3, 4, 5].map(productRow).join('')}</table>`),
    );

    for (const at of [1, 2, 3, 4, 5]) expect(placeOf(pdf, `First ${at}`).page).toBe(placeOf(pdf, `Last ${at}`).page);
  });

  it('stay whole if they fit on a sheet', async () => {
    const pdf = await print(invoice(60));

    for (const text of textsOf(pdf)) expect(text.match(/One/g)?.length).toBe(text.match(/three/g)?.length);
    expect(pdf.pages.length).toBeGreaterThan(2);
  });
});

describe.concurrent('links', () => {
  const manual = page(
    `<p><a href="#near">near</a> <a href="#far">far</a></p>${paragraphs(6)}<h2 id="near">Near target</h2>
      ${paragraphs(40)}<h2 id="far">Far target</h2>${paragraphs(3)}`,
  );
  const wide = '<div style="width: 950px">wide</div>';

  it.each<[name: string, markup: string, fields: Fields]>([
    ['usual scale', manual, {}],
    ['scale 0.5', manual, { pdf_scale: 0.5 }],
    ['scale 1.5 and margins', manual, { pdf_scale: 1.5, pdf_margin: '30mm' }],
    ['a shrunk page', manual + wide, {}],
    ['a single sheet', manual, { pdf_single_page: true, pdf_scale: 0.7 }],
  ])('lead to their target with %s', async (_name, markup, fields) => {
    const pdf = await print(markup, fields);

    for (const [name, text] of [
      ['near', 'Near target'],
      ['far', 'Far target'],
    ] as const) {
      const { page: index, baseline } = placeOf(pdf, text);
      const run = pdf.pages[index]?.runs.find((each) => each.text.startsWith(text));
      expect(pdf.places[name]?.page).toBe(index);
      // The heading begins above its baseline by about its size.
      expect(Math.abs((pdf.places[name]?.topPt ?? 0) - (baseline - (run?.heightPt ?? 0)))).toBeLessThan(5);
    }
  });

  it('stay whole with words of the format in their addresses', async () => {
    const pdf = await print(page('<a href="/nowhere endobj">None</a> <a href="https://a.example/?q=endobj">One</a>'));

    expect(pdf.pages[0]?.text).toContain('None One');
  });

  it('that lead nowhere are left out, and others stay', async () => {
    const links = [
      'terms.html',
      '/legal',
      'javascript:void(0)',
      'https://example.org/a(b)',
      'mailto:a@example.org',
      '#end',
    ];
    const markup = page(`${links.map((href) => `<a href="${href}">${href}</a><br>`).join('')}<p id="end">End`);
    const files = { 'x.css': Buffer.from('p { color: red }').toString('base64') };
    const [withFiles, withBase] = await Promise.all([
      answerTo({ html_content: markup, files }),
      print(markup, { base_url: 'https://docs.example.com/manual/' }),
    ]);

    expect(withFiles.body.includes('template.invalid')).toBe(false);
    expect((await readPdf(withFiles.body)).links).toEqual(['https://example.org/a(b)', 'mailto:a@example.org']);
    expect(withBase.links).toEqual([
      'https://docs.example.com/manual/terms.html',
      'https://docs.example.com/legal',
      'https://example.org/a(b)',
      'mailto:a@example.org',
    ]);
  });
});

describe.concurrent('language', () => {
  const german = `<!doctype html><title>Bericht</title>${STYLE}<p>Einleitung`;

  it.each<[name: string, fields: Fields, language: string | null]>([
    ['of the request', { html_content: german, locale: 'de-AT' }, 'de-AT'],
    ['of the page', { html_content: german.replace('<title>', '<html lang="fr"><title>'), locale: 'de-AT' }, 'fr'],
    ['that nobody named', { html_content: german }, null],
    ['of the request without tags', { html_content: german, locale: 'pt-BR', pdf_tagged: false }, 'pt-BR'],
    ['of Markdown', { markdown_content: '# Bericht', locale: 'de-DE' }, 'de-DE'],
    ['of Markdown by default', { markdown_content: '# Report' }, 'en-US'],
    ['beside metadata', { html_content: german, locale: 'de-DE', pdf_author: 'Ärzte', pdf_outline: true }, 'de-DE'],
  ])('is that %s', async (_name, fields, language) => {
    const { facts } = await readPdf((await answerTo(fields)).body);

    expect(facts['Language'] ?? null).toBe(language);
    expect(facts['Author']).toBe(fields['pdf_author']);
  });
});

const widthOf = (pdf: Pdf): number => placeOf(pdf, 'Right').left - placeOf(pdf, 'Left').left;

const steps = (height: number): string =>
  Array.from(
    { length: 18 },
    (_, index) => `<text x="20" y="${(height / 18) * (index + 0.5)}">Step ${index + 1}.</text>`,
  ).join('');

/** Returns the least size of three prints: the rest of a fading, invisible scroll bar adds 75 bytes to some. */
const ofForm = async (css: string): Promise<number> => {
  const html_content = page('<input id="city">', `<style>${css}</style>`);
  const actions = [{ type: 'type', selector: '#city', text: 'Graz' }];
  const print = async (): Promise<number> => (await answerTo({ html_content, actions, pdf_tagged: false })).body.length;
  return Math.min(await print(), await print(), await print());
};

const drawing = (attributes: string, height = 1_800): string => `<svg ${attributes}>${steps(height)}</svg>`;

/** A drawing whose first and last words tell its size: 400 px between them at a scale of 1. */
const plot = (name: string, height: number): string =>
  `<svg width="500" height="${height}" viewBox="0 0 500 ${height}"><text y="20">${name}TOP</text><text x="400" y="20">RIGHT</text><text y="${height - 5}">END</text></svg>`;
const widthOfPlot = (pdf: Pdf, name: string): number => placeOf(pdf, 'RIGHT').left - placeOf(pdf, `${name}TOP`).left;

describe.concurrent('sizes are those of the page', () => {
  const LOGO = '<svg width="200" height="60" viewBox="0 0 400 120"><rect width="400" height="120" rx="20"/></svg>';
  it.each([
    ['a drawing as logo', `<div>${LOGO}</div>`],
    ['a logo on the right', `<div style="text-align: right">${LOGO}</div>`],
    [
      'a picture as logo',
      `<img width="200" src="data:image/svg+xml,${encodeURIComponent(LOGO.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"'))}">`,
    ],
    [
      'a drawing that fills the width',
      '<svg viewBox="0 0 2000 100" width="100%"><rect width="2000" height="100"/></svg>',
    ],
    [
      'a scaled box',
      '<div style="transform: scale(.7); transform-origin: 0 0; background: navy; color: white">Logo</div>',
    ],
  ])('below %s', async (_name, logo) => {
    const pdf = await print(page(`${logo}${plot('A', 600)}<h2 id="to">Target</h2><a href="#to">Go</a>`));

    expect([pdf.warnings, pdf.scale]).toEqual(['', null]);
    expect(widthOfPlot(pdf, 'A')).toBeCloseTo(300, 0);
  });

  it.each(['2em', '5%', 'calc(1cm + 10px)', '3vw'])('with margins of %s, also after another print', async (margin) => {
    const css = `<style>@page { size: a4; margin: ${margin} }</style>`;
    const [small, tall] = await Promise.all([
      print(page(`${LOGO}<p>Text${plot('D', 600)}`, css)),
      print(page(`${LOGO}<p>Text${plot('D', 1_600)}`, css)),
    ]);

    expect([small.warnings, small.scale, tall.warnings]).toEqual(['', null, '']);
    expect(widthOfPlot(small, 'D')).toBeCloseTo(300, 0);
    expect(placeOf(tall, 'Text').left).toBeGreaterThan(15);
  });

  const BREAK = 'style="break-before: page"';
  it.each([
    [
      'a lower first sheet',
      '@page { size: a4; margin: 20mm } @page:first { margin-top: 120mm }',
      `<p>Letter<p ${BREAK}>`,
    ],
    [
      'a smaller sheet before',
      '@page { size: a4 } @page s { size: a5 landscape } .s { page: s }',
      '<p>One<div class="s">Slip</div>',
    ],
    [
      'a landscape cover',
      '@page { size: a4 } @page w { size: a4 landscape } .w { page: w }',
      '<div class="w">Cover</div>',
    ],
  ])('after %s', async (_name, css, before) => {
    const pdf = await print(page(`${before}<div>${plot('B', 850)}</div>`, `<style>${css}</style>`));

    expect(widthOfPlot(pdf, 'B')).toBeCloseTo(300, 0);
  });

  it('after a line of text on a lower first sheet', async () => {
    const css = '<style>@page { size: a4; margin: 20mm } @page:first { margin-top: 90mm }</style>';

    expect(widthOfPlot(await print(page(`<p>Dear${plot('E', 800)}`, css)), 'E')).toBeCloseTo(300, 0);
  });

  it('and a tall drawing is as tall as the sheet it begins on, with heading and caption', async () => {
    const css = '<style>body { margin: 8px }</style>';
    const figure = `<figure>${plot('C', 1_600)}<figcaption>Fig 1</figcaption></figure>`;
    const [first, later] = await Promise.all([
      print(page(`<h1>Process</h1>${figure}<p>After`, css)),
      print(page(`<p style="height: 100mm">Intro<h2>Process</h2>${figure}<p>After`, css)),
    ]);

    for (const pdf of [first, later]) {
      const places = ['Process', 'CTOP', 'END', 'Fig'].map((text) => placeOf(pdf, text).page);
      expect(new Set(places).size).toBe(1);
    }
  });

  it('and a plot of layers stays whole', async () => {
    const layers = ['A', 'B'].map((text) => `<svg><text y="20">${text}TOP</text><text y="395">${text}END</text></svg>`);
    const css =
      '<style>div { position: relative; height: 400px } svg { position: absolute; left: 0; height: 400px }</style>';
    const pdf = await print(page(`<p style="height: 190mm">Intro<div>${layers.join('')}</div><p>After`, css));

    for (const text of ['ATOP', 'AEND', 'BTOP', 'BEND', 'After']) expect(placeOf(pdf, text).page).toBe(1);
  });
});

describe.concurrent('what happens to the content', () => {
  it('is said if the page was scaled', async () => {
    const label = '<div style="width: 60mm; white-space: nowrap">Left<span style="float: right">Right</span></div>';
    const [shrunk, exact] = await Promise.all([
      print(page(`<div style="width: 900px">${label}</div>`)),
      print(page(label)),
    ]);

    expect([exact.warnings, exact.scale]).toEqual(['', null]);
    expect(shrunk.warnings).toBe('content_shrunk');
    expect(Number(shrunk.scale)).toBeCloseTo(718 / 900, 2);
    expect(widthOf(shrunk) / widthOf(exact)).toBeCloseTo(Number(shrunk.scale), 1);
  });

  const tall = '<style>html, body { height: 100% } body { padding: 1px }</style>';
  it.each<[name: string, markup: string, fields: Fields, warnings: string]>([
    ['a blank last sheet', page('<p>One', tall), {}, 'page_blank'],
    ['a header above its margin', page('<p>One'), { pdf_header_html: 'line<br>'.repeat(9) }, 'header_overlaps'],
    [
      'a letterhead over the page',
      page('<p>One'),
      { pdf_header_html: '<div style="position: absolute; top: 0">line<br>line<br>line<br>line<br>line</div>' },
      '',
    ],
    ['a blank last sheet with header and footer', page('<p>One', tall), { pdf_footer_html: 'f' }, 'page_blank'],
    [
      'a blank last sheet with a background',
      page('<p>One', `${tall}<style>html { background: navy }</style>`),
      {},
      'page_blank',
    ],
    [
      'a last sheet with a line',
      page(
        '<p>One',
        `${tall}<style>body { position: relative } body::after { content: ''; position: absolute; bottom: 0; width: 9px; border: 1px solid }</style>`,
      ),
      {},
      '',
    ],
    ['a last sheet with text', page(`<p>One<p style="break-before: page">Two`), { pdf_footer_html: 'f' }, ''],
    ['a single blank sheet', page(''), {}, ''],
    [
      'a box with more text than it shows',
      page(`<div style="height: 40px; overflow: auto">${paragraphs(5)}</div>`),
      {},
      'content_scrolled',
    ],
    [
      'code that goes on to the right',
      page(`<pre style="overflow-x: auto">${'x'.repeat(400)}</pre>`),
      {},
      'content_scrolled',
    ],
    [
      'a text field with more text',
      page(`<textarea rows="2">${'line\n'.repeat(9)}</textarea>`),
      {},
      'content_scrolled',
    ],
    [
      'a box that scrolls on the screen only',
      page(`<style>@media screen { div { height: 40px; overflow: auto } }</style><div>${paragraphs(5)}</div>`),
      {},
      '',
    ],
    [
      'a hidden box',
      page(`<div style="height: 40px; overflow: auto; visibility: hidden">${paragraphs(5)}</div>`),
      {},
      '',
    ],
  ])('is said of %s', async (_name, markup, fields, warnings) => {
    expect((await print(markup, fields)).warnings).toBe(warnings);
  });

  it.each([
    ['a drawing', drawing('viewBox="0 0 400 1800" width="100%" style="max-width: 400px"')],
    ['a drawing of fixed size', drawing('width="400" height="1800"')],
    [
      'a drawing with a caption',
      `<figure>${drawing('viewBox="0 0 400 1800" width="400"')}<figcaption>Caption</figcaption></figure>`,
    ],
  ])('scales %s to its sheet, below its heading', async (_name, picture) => {
    const css = '<style>h2 { break-after: avoid } figure { margin: 0; break-inside: avoid }</style>';
    const pdf = await print(page(`<p>Before</p><h2>Flow</h2>${picture}<p>After`, css));

    const sheets = textsOf(pdf).filter((text) => text.includes('Step'));
    expect(sheets).toHaveLength(1);
    expect(sheets[0]).toMatch(/Flow.*Step 1\..*Step 18\./);
    expect(sheets[0]?.includes('Caption')).toBe(picture.includes('Caption'));
    expect(textsOf(pdf).every((text) => text !== '')).toBe(true);
  });

  it('leaves pictures that fit as they are, and long backgrounds', async () => {
    const background = drawing('width="400" height="2000" style="position: absolute"', 2_000);
    const pdf = await print(page(`${background}<div style="height: 2000px">Text</div>`));

    expect(textsOf(pdf).filter((text) => text.includes('Step'))).toHaveLength(2);
  });

  it('wraps code that a person would scroll sideways, with expand_content', async () => {
    const code = page(`<pre style="overflow: auto">${'word '.repeat(60)}END</pre>`);
    const [cut, whole] = await Promise.all([print(code), print(code, { expand_content: true })]);

    expect([cut.warnings, whole.warnings]).toEqual(['content_scrolled', '']);
    expect(placeOf(whole, 'END').left).toBeLessThan(567);
  });

  it('leaves out the ring around the field that was typed into', async () => {
    const usual = await ofForm('');
    const none = await ofForm('* { outline: none !important }');
    const own = await ofForm(':focus { outline: 3px dotted red }');

    expect(Math.abs(usual - none)).toBeLessThan(100);
    expect(own - Math.max(usual, none)).toBeGreaterThan(200);
  });
});

describe.concurrent('paper of the page', () => {
  it.each<[name: string, css: string, fields: Fields, width: number, height: number]>([
    ['a label without margins', '@page { size: 50mm 15mm }', {}, 50, 15],
    ['a label with margins', '@page { size: 60mm 40mm; margin: 3mm }', {}, 60, 40],
    ['a receipt on one sheet', '@page { size: 80mm 200mm; margin: 4mm }', { pdf_single_page: true }, 80, 0],
    [
      'a receipt whose width the request sets',
      '@page { size: 80mm 200mm }',
      { pdf_single_page: true, pdf_width: '58mm' },
      58,
      0,
    ],
  ])('is that of %s', async (_name, css, fields, width, height) => {
    const pdf = await print(page('<p>Label', `<style>${css}</style>`), fields);

    expect(pdf.pages).toHaveLength(1);
    expect(Math.abs((pdf.pages[0]?.widthPt ?? 0) - width * MM)).toBeLessThan(1);
    const missing = height - (pdf.pages[0]?.heightPt ?? 0) / MM;
    expect(height === 0 || Math.abs(missing) < 0.4).toBe(true);
  });

  it('gives no advice that nobody could read', async () => {
    const answer = await capture(service.url, {
      html_content: page('<div style="height: 200000px">Long</div>'),
      format: 'pdf',
      pdf_single_page: true,
    });

    expect(answer.status).toBe(400);
    expect(answer.body.toString()).not.toContain('pdf_scale');
  });
});

describe.concurrent('Markdown', () => {
  const manual = `# Manual

[Safety](#safety-notes) [Start](#first-start) [Übersicht](#übersicht) [Again](#code-1)

- [ ] open task
- [x] done task

## Safety notes

Wear gloves.[^1]

## First start!

${'Text. '.repeat(1_500)}

## Übersicht

## Code

\`\`\`
${'line of code\n'.repeat(120)}
\`\`\`

## Code

[^1]: Leather gloves.`;

  it('has headings that links lead to, boxes, notes, and code that breaks', async () => {
    const { body } = await answerTo({ markdown_content: manual, pdf_outline: true });
    const pdf = await readPdf(body);

    for (const name of ['safety-notes', 'first-start', 'code-1']) expect(pdf.places).toHaveProperty(name);
    expect(Object.keys(pdf.places)).toHaveLength(6); // with the note and the way back
    expect(textsOf(pdf).join(' ')).not.toMatch(/\[ \]|\[x\]|\[\^1\]/);
    expect(textsOf(pdf).at(-1)).toContain('Leather gloves.');
    expect(pdf.outline).toEqual(['Manual', 'Safety notes', 'First start!', 'Übersicht', 'Code', 'Code']);
    const heading = placeOf(pdf, 'Code');
    expect(placeOf(pdf, 'line').page).toBe(heading.page);
  });

  it('writes the same HTML for html and pictures', async () => {
    const { body } = await answerTo({ markdown_content: manual, format: 'html' });

    expect(body.toString()).toMatch(/<html lang="en-US">/);
    expect(body.toString()).toContain('<h2 id="first-start">First start!</h2>');
    expect(body.toString().match(/<input type="checkbox" disabled=""( checked="")?>/g)).toHaveLength(2);
  });
});
