import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { type Pdf, readPdf } from '../../support/pdf.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';
import { TEST_FONT } from '../../support/test-font.ts';

type Fields = Readonly<Record<string, unknown>>;

const PLAIN = `<!doctype html><style>${TEST_FONT} body,p{margin:0;font:16px/20px Test}</style>`;
const THREE = `${PLAIN}<title>Page</title><p>one<p style="break-before:page">two<p style="break-before:page">three`;
const MM = 72 / 25.4;
const CM = 10 * MM;

// Two at a time, one per page of the pool.
describe.concurrent('a document', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), sharedService()]);
  });
  afterAll(() => site.close());

  const print = async (markup: string, fields: Fields = {}): Promise<Pdf> => {
    const answer = await capture(service.url, { html_content: markup, format: 'pdf', ...fields });
    expect([answer.status, answer.status === 200 ? '' : answer.body.toString()]).toEqual([200, '']);
    return await readPdf(answer.body);
  };
  const refusalOf = async (markup: string, fields: Fields): Promise<string> => {
    const answer = await capture(service.url, { html_content: markup, format: 'pdf', ...fields });
    const { error_type: type, error_details: details }: Record<string, unknown> = Object(answer.json());
    return `${answer.status} ${String(type)} ${String(details)}`;
  };
  it.each([
    [{ pdf_landscape: true }, '', 841.9, 595.3],
    [{ pdf_landscape: true }, '@page { size: A4 portrait }', 841.9, 595.3],
    [{ pdf_width: '80mm', pdf_height: '5in' }, '', 80 * MM, 360],
    [{ pdf_width: 300, pdf_height: 200 }, '@page { size: A5 }', 225, 150],
    [{ pdf_scale: 0.5 }, '@page { size: A5 }', 419.5, 595.3],
    [{ pdf_margin: '1cm' }, '@page { size: portrait }', 595.3, 841.9],
    [{ pdf_margin: '1cm' }, '@page { size: landscape }', 841.9, 595.3],
  ])('has the paper size of %j, whatever %s sets', async (fields, css, width, height) => {
    const pdf = await print(`${THREE}<style>${css}</style>`, fields);

    expect(missOf(pdf, width, height)).toBeLessThanOrEqual(1);
  });

  it.each([
    [{ pdf_margin: '20mm' }, '', 20 * MM, 20 * MM],
    [{ pdf_margin: { top: '1in', left: 8 } }, '', 6, 72],
    [{ pdf_margin: '1in' }, '@page { margin: 0 } @page :first { margin: 5cm }', 72, 72],
    [{ pdf_margin: { left: 0 } }, '@page { margin: 50pt }', 0, 50],
    [{ pdf_margin: '1in' }, '@page { margin: 0 !important }', 72, 72],
    [{ pdf_margin: '1in' }, '@media print { @page :first { margin-left: 5cm !important } }', 72, 72],
    [{ pdf_header_html: 'Above', pdf_margin: { left: 9 } }, '', 6.75, 10 * MM],
    [{ pdf_margin: '1in', pdf_scale: 2 }, '', 72, 72],
  ])(
    'has the margins of %j, whatever %s sets',
    async ({ pdf_scale: scale = 1, ...fields }: Fields & { pdf_scale?: number }, css, left, top) => {
      const pdf = await print(`${PLAIN}<style>${css}</style><p>one`, { pdf_scale: scale, ...fields });

      const place = placeOf(pdf, 'one');
      expect(Math.abs(place.left - left)).toBeLessThanOrEqual(1);
      // The line box of 20 px begins at the margin; the baseline is about 15 px below its top.
      expect(Math.abs(place.baseline - (top + 11.3 * scale))).toBeLessThanOrEqual(1 + scale);
      expect(place.height).toBeCloseTo(12 * scale, 1);
    },
  );

  it.each([
    ['2', ['two']],
    ['2-', ['two', 'three']],
    [' 3 , 1 ', ['one', 'three']],
    ['1-2,2-99', ['one', 'two', 'three']],
  ])('has the page ranges %s', async (pdf_page_ranges, texts) => {
    expect((await print(THREE, { pdf_page_ranges })).pages.map(({ text }) => text)).toEqual(texts);
  });

  it.each([
    [
      { pdf_page_ranges: '1,4-' },
      'ValidationError pdf_page_ranges: must each begin within the document, which has 3 pages',
    ],
    [{ pdf_page_ranges: '9', pdf_scale: 0.5 }, 'which has 3 pages'],
    [{ pdf_width: '15000pt', pdf_height: '15000pt' }, 'ResultTooLargeError The sheet would be 15000 x 15000 pt'],
    [{ pdf_margin: '15cm' }, 'ValidationError pdf_margin: must leave room between left and right'],
    [{ pdf_width: 9, pdf_height: 99, pdf_margin: 0 }, 'ValidationError pdf_width: must be at least 10px'],
    [{ pdf_width: 99, pdf_height: 9, pdf_margin: 0 }, 'ValidationError pdf_height: must be at least 10px'],
  ])('refuses %j and names the field', async (fields, details) => {
    const refusal = await refusalOf(THREE, fields);

    expect(refusal).toMatch(/^400 /);
    expect(refusal).toContain(details);
  });

  it('refuses margins that leave no space on the paper size that the page sets', async () => {
    const label = `${PLAIN}<style>@page { size: 50mm 30mm }</style><p>label`;

    expect(await refusalOf(label, { pdf_margin: { top: '2cm', bottom: '2cm' } })).toContain(
      '400 ValidationError pdf_margin: must leave room between top and bottom on paper of 14',
    );
    expect(await refusalOf(label, { pdf_footer_html: 'x', pdf_margin: { bottom: '3cm' } })).toMatch(/^400 /);
    expect(await refusalOf(label, { pdf_margin: { left: '6cm' } })).toContain('between left and right');
    // The default margins would leave no space on such low paper, so it has none but those for header and footer.
    const low = label.replace('30mm', '15mm');
    expect(await refusalOf(low, { pdf_header_html: 'x', pdf_footer_html: 'x' })).toContain(
      'between top and bottom on paper of 14',
    );
    const tall = low.replace('}', '} @page :first { margin-top: 2cm }');
    expect(await refusalOf(tall, { pdf_margin: { left: 0 } })).toContain('pdf_margin: must be set for all sides');
    expect(missOf(await print(low), 50 * MM, 15 * MM)).toBeLessThanOrEqual(1);
    expect(missOf(await print(low, { pdf_margin: { left: 0 } }), 50 * MM, 15 * MM)).toBeLessThanOrEqual(1);
    expect(missOf(await print(label, { pdf_margin: '5mm' }), 50 * MM, 30 * MM)).toBeLessThanOrEqual(1);
  });

  it('has a header and a footer on each page, readable without styles, that do not overlap the body', async () => {
    const pdf = await print(THREE, {
      pdf_header_html: 'Above<br><span class="title"></span>',
      pdf_footer_html: 'Sheet <span class="pageNumber"></span> of <span class="totalPages"></span>',
      pdf_title: 'Заголовок',
    });

    expect(pdf.pages.map(({ text }) => text.includes('Above') && text.includes('Заголовок'))).toEqual([
      true,
      true,
      true,
    ]);
    pdf.pages.forEach(({ text }, index) => {
      expect(text.replaceAll(' ', '')).toContain(`Sheet${index + 1}of3`);
    });
    const above = placeOf(pdf, 'Above');
    const title = placeOf(pdf, 'Заголовок');
    for (const { height } of [above, title]) expect(height).toBeCloseTo(7.5, 3); // 10 px
    expect(above.left).toBeGreaterThan(20);
    expect(title.baseline).toBeLessThan(10 * MM);
    expect(placeOf(pdf, 'one').baseline - 12).toBeGreaterThan(10 * MM - 3);
    expect(placeOf(pdf, 'Sheet').baseline).toBeGreaterThan((pdf.pages[0]?.heightPt ?? 0) - 10 * MM);
  });

  it('accepts a header that is a complete HTML document, as other services expect it', async () => {
    const [byRule, byAttribute] = await Promise.all([
      print(THREE, {
        pdf_header_html:
          '<!doctype html><html><head><style>body { font-size: 20px }</style></head><body><p>Above</p></body></html>',
      }),
      print(THREE, {
        pdf_header_html: '<html dir="rtl"><body class="x" style="font-size: 20px">Above</body></html>',
      }),
    ]);

    expect(placeOf(byRule, 'Above').height).toBeCloseTo(15, 3);
    expect(placeOf(byAttribute, 'Above').height).toBeCloseTo(15, 3);
    expect(placeOf(byAttribute, 'Above').left).toBeGreaterThan(400);
  });

  it('has no default header next to a footer, and no content of the page in it', async () => {
    const pdf = await print(THREE, { pdf_footer_html: 'Below' });

    expect(pdf.pages.map(({ text }) => text.split(' ').toSorted().join(' '))).toEqual([
      'Below one',
      'Below two',
      'Below three',
    ]);
  });

  it('runs no scripts and loads nothing from a header, and shows the rest of it', async () => {
    const before = site.requests.length;
    const at = (name: string): string => site.url(`/header-${name}`);
    const markup = [
      `<link rel="stylesheet" href="${at('css')}"><link rel="modulepreload" href="${at('module')}"><link rel="prefetch" href="${at('next')}">`,
      `<style>@import url(${at('import')}); @\\69mport "${at('import2')}"; @font-face { font-family: x; src: u\\72l(${at('font')}) } b { font-family: x; background: url(${at('bg')}) }</style>`,
      `<img src="${at('img')}" srcset="${at('srcset')} 2x" onerror="document.body.textContent='ran'"><iframe src="${at('frame')}"></iframe><object data="${at('object')}"></object>`,
      `<script>document.body.textContent = 'ran'</script><meta http-equiv="refresh" content="0;url=${at('refresh')}">`,
      `<svg width="1" height="1" onload="document.body.textContent='ran'"><image href="${at('svg')}"/></svg></div></div></template></body>`,
      `<table background="${at('table')}"><tr><td><b style="--a:url(${at('var')});border-image:var(--a)">Shown</b></table>`,
    ];

    const texts = await Promise.all(
      markup.map(
        async (each) =>
          (await print(THREE, { pdf_header_html: `${each}<i>Seen</i>`, pdf_footer_html: each })).pages[0]?.text,
      ),
    );

    for (const text of texts) expect(text).toMatch(/^(?!.*ran).*Seen/);
    expect(site.requests.slice(before)).toEqual([]);
  });

  it('shows inline pictures of a header', async () => {
    const picture =
      "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><text y='9' font-size='9'>Drawn</text></svg>";

    const pdf = await print(THREE, { pdf_header_html: `<img src="${picture}" width="40" height="12">` });

    expect(pdf.pages[0]?.text).toContain('Drawn');
  });

  it('refuses a header that expands beyond the limit', async () => {
    const markup = `<p>${Array.from({ length: 700 }, (_, n) => `<b id=${n}>`).join('')}${'<p>x'.repeat(2_000)}`;

    expect(await refusalOf(THREE, { pdf_header_html: markup })).toMatch(
      /^400 ValidationError pdf_header_html: must be shorter or simpler markup/,
    );
  });

  it.each([
    ['short', tall(100), {}, 75],
    ['without a doctype', tall(100).replace('<!doctype html>', ''), {}, 75],
    ['tall', tall(3_001), {}, 2_250.75],
    ['at the maximum height', tall(19_200), {}, 14_400],
    ['scaled', tall(30_000), { pdf_scale: 0.64 }, 14_400],
    ['between margins', tall(1_000), { pdf_margin: { top: '1in', bottom: '36pt' } }, 858],
    ['broken into pages', `${PLAIN}<p>a<p style="break-before:page">b<p style="break-before:page">end`, {}, 45],
    ['one viewport high, plus content', `${PLAIN}<div style="height:100vh"></div><p>end`, {}, 555],
    [
      'one viewport high, nearly the maximum of a sheet',
      `${PLAIN}<div style="height:100vh"></div><div style="height:18400px"></div><p>end`,
      {},
      14_355,
    ],
    ['different in print', `${PLAIN}<style>@media print{div{height:980px}}</style><div></div><p>end`, {}, 750],
    [
      'changed by its print event',
      `${PLAIN}<div></div><p>end<script>onbeforeprint = () => { document.querySelector('div').style.height = '980px' }</script>`,
      {},
      750,
    ],
    // Chrome shrinks wide content to two thirds at most: A4 is 793 px wide.
    ['wider than its sheet', wide(1_000, 2_000), {}, 1_191],
    ['much wider than its sheet', wide(4_000, 2_000), {}, 1_001],
    // Content that overflows on the left is not shrunk.
    ['wider than its sheet, from right to left', `${wide(1_000, 2_000)}<html dir="rtl">`, {}, 1_500],
    ['with margins of its own', `${tall(1_000)}<style>@page { margin: 3cm; size: A5 }</style>`, {}, 750],
  ])('is one sheet for a page that is %s', async (_what, markup, fields, heightPt) => {
    const pdf = await print(markup, { pdf_single_page: true, pdf_margin: 0, ...fields });

    expect(pdf.pages).toHaveLength(1);
    expect(pdf.pages[0]?.text).toMatch(/end$/);
    expect(missOf(pdf, 595.3, heightPt)).toBeLessThanOrEqual(1);
  });

  it('keeps unbreakable blocks whole in columns, on one sheet', async () => {
    const cards = Array.from({ length: 5 }, (_, n) => `<p>top${n}<br>middle${n}<br>bottom${n}`).join('');
    const markup = `${PLAIN}<style>div { columns: 3 } p { break-inside: avoid; orphans: 1; widows: 1 }</style><div>${cards}</div>`;

    const pdf = await print(markup, { pdf_single_page: true });

    for (let n = 0; n < 5; n++) {
      const [top, middle, bottom] = ['top', 'middle', 'bottom'].map((line) => placeOf(pdf, `${line}${n}`).left);
      expect([middle, bottom]).toEqual([top, top]);
    }
  });

  it('is one sheet of the requested width, with header and footer', async () => {
    const pdf = await print(`${PLAIN}${'<p>receipt '.repeat(20)}`, {
      pdf_single_page: true,
      pdf_width: '80mm',
      pdf_header_html: 'Above',
      pdf_footer_html: '<span class="pageNumber"></span>/<span class="totalPages"></span>',
    });

    expect(missOf(pdf, 80 * MM, 20 * 15 + 20 * MM)).toBeLessThanOrEqual(1);
    expect(pdf.pages).toHaveLength(1);
    expect(pdf.pages[0]?.text.replaceAll(' ', '')).toMatch(/^(receipt){20}Above1\/1$/);
  });

  it('refuses one sheet for a page that is too tall, and suggests options that work', async () => {
    const refusal = await refusalOf(tall(30_000), { pdf_single_page: true, pdf_margin: 0 });

    expect(refusal).toContain('400 ResultTooLargeError The sheet would be 595.3 x 22500 pt');
    expect(refusal).toContain('pdf_scale: 0.64 makes it fit');
  });

  it('suggests options for a page that is wider than the sheet, too', async () => {
    const fields = { pdf_single_page: true, pdf_margin: 0 };

    expect(await refusalOf(wide(1_000, 25_000), fields)).toContain('pdf_scale: 0.76 makes it fit');

    const { pages } = await print(wide(1_000, 25_000), { ...fields, pdf_scale: 0.76 });
    expect(pages).toHaveLength(1);
    expect(pages[0]?.text).toBe('end');
  });

  it('cuts one sheet for a page that grows on each measurement', async () => {
    const grows = `${PLAIN}<div></div><script>let n = 0; onbeforeprint = () => { document.querySelector('div').style.height = 2000 * ++n + 'px' }</script>`;

    expect((await print(grows, { pdf_single_page: true })).pages).toHaveLength(1);
  });

  const HEADINGS = `${PLAIN}<html lang="en"><title>Page</title><h1>First</h1><p>text<h2>Inner</h2><table><tr><th>a<td>b</table><h1>Second</h1>`;

  const LINES = Array.from({ length: 90 }, (_, n) => `<p>Line${n}`).join('');
  it.each([
    ['scrolls', `<div style="height:100px;overflow:auto"><div id="part">${LINES}</div></div>`, 2],
    ['uses CSS containment', `<div style="contain:strict;height:100px"><div id="part">${LINES}</div></div>`, 2],
    ['overlays the page', `<div style="position:fixed;inset:0;overflow:auto"><div id="part">${LINES}</div></div>`, 2],
    [
      'is far below',
      `<div style="position:relative"><p id="part" style="position:absolute;top:2000px">Line0 Line89</p></div>`,
      1,
    ],
    ['is transformed', `<div style="transform:translate(9cm,9cm)"><p id="part">Line0 Line89</p></div>`, 1],
    [
      'has its own text',
      `<style>div::before, body::after { content: 'around' }</style><div><p id="part">Line0 Line89</p></div>`,
      1,
    ],
  ])('contains exactly one element, in a container that %s', async (_what, markup, sheets) => {
    const pdf = await print(`${PLAIN}before${markup}after`, { selector: '#part' });

    expect(pdf.pages).toHaveLength(sheets);
    expect(pdf.pages.map(({ text }) => text).join(' ')).toMatch(/^Line0 .*Line89$/);
    expect(Math.abs(placeOf(pdf, 'Line0').left - CM)).toBeLessThanOrEqual(1);
    expect(placeOf(pdf, 'Line0').baseline).toBeLessThan(CM + 20);
  });

  it('is a dialog without its backdrop', async () => {
    const dialog = '<dialog id="part" style="border:0;padding:0"></dialog>';
    const markup = `${PLAIN}${dialog}<script>part.innerHTML = '${LINES}'; part.showModal()</script>`;

    const [pdf, sheet] = await Promise.all([
      print(markup, { selector: '#part' }),
      print(markup, { selector: '#part', pdf_single_page: true, pdf_margin: 0 }),
    ]);

    expect(pdf.pages.map(({ text }) => text).join(' ')).toMatch(/^Line0 .*Line89$/);
    expect(missOf(sheet, 595.3, 90 * 15)).toBeLessThanOrEqual(1);
  });

  it('is one sheet no taller than its element', async () => {
    const markup = `${PLAIN}<div style="min-height:100vh"><p id="part">Receipt</div>`;

    const pdf = await print(markup, { selector: '#part', pdf_single_page: true, pdf_margin: 0 });

    expect(missOf(pdf, 595.3, 15)).toBeLessThanOrEqual(1);
  });

  it('has bookmarks and tags if requested', async () => {
    const [plain, outlined, untagged] = await Promise.all([
      print(HEADINGS),
      print(HEADINGS, { pdf_outline: true }),
      print(HEADINGS, { pdf_tagged: false }),
    ]);

    expect([plain.outline, outlined.outline, untagged.outline]).toEqual([[], ['First', 'Inner', 'Second'], []]);
    expect(plain.pages[0]?.tags).toEqual(expect.arrayContaining(['H1', 'H2', 'P', 'Table', 'TH', 'TD']));
    expect(outlined.pages[0]?.tags).toEqual(plain.pages[0]?.tags);
    expect(untagged.pages[0]?.tags).toEqual([]);
  });

  it('has the requested metadata in any script, and keeps bookmarks and tags', async () => {
    const facts = {
      pdf_title: 'Счёт № 4711 (عربي) 請求書 😀 \\',
      pdf_author: 'Ünï Çødé',
      pdf_subject: '主題',
      pdf_keywords: 'a, b, كلمة',
    };

    const [plain, labelled] = await Promise.all([
      print(HEADINGS, { pdf_outline: true }),
      print(HEADINGS, { ...facts, pdf_outline: true, pdf_page_ranges: '1' }),
    ]);

    expect(labelled.facts).toMatchObject({
      Title: facts.pdf_title,
      Author: facts.pdf_author,
      Subject: facts.pdf_subject,
      Keywords: facts.pdf_keywords,
      Producer: plain.facts['Producer'],
    });
    expect(plain.facts).toMatchObject({ Title: 'Page' });
    expect(plain.facts).not.toHaveProperty('Author');
    expect([labelled.outline, labelled.pages[0]?.tags]).toEqual([plain.outline, plain.pages[0]?.tags]);
  });

  it('keeps the title of the page if only the author is set', async () => {
    const title = 'x) endobj /Type /Pages /Count 99 >> endobj';

    const { facts } = await print(`<title>${title}</title><p>x`, { pdf_author: 'Ann' });

    expect(facts).toMatchObject({ Title: title, Author: 'Ann' });
  });

  it('can be requested by query, too', async () => {
    const query = new URLSearchParams({
      html_content: THREE,
      format: 'pdf',
      pdf_margin: '{"top":"1in"}',
      pdf_width: '300',
      pdf_height: '4in',
      pdf_page_ranges: '2',
    });

    const answer = await fetch(`${service.url}/capture?${query.toString()}`);

    const pdf = await readPdf(Buffer.from(await answer.arrayBuffer()));
    expect(missOf(pdf, 225, 288)).toBeLessThanOrEqual(1);
    expect(pdf.pages.map(({ text }) => text)).toEqual(['two']);
    expect(Math.abs(placeOf(pdf, 'two').baseline - (72 + 11.3))).toBeLessThanOrEqual(2);
  });

  it('has correct page numbers on each of many pages', async () => {
    const rows = Array.from({ length: 1_500 }, (_, index) => `<tr><td>Row ${index + 1}</td></tr>`).join('');

    const { pages } = await print(`${PLAIN}<table><thead><tr><th>Head</th></tr></thead>${rows}</table>`, {
      pdf_header_html: 'Above',
      pdf_footer_html: '[<span class="pageNumber"></span>/<span class="totalPages"></span>]',
    });

    expect(pages.length).toBeGreaterThan(20);
    const texts = pages.map(({ text }) => text.replaceAll(' ', ''));
    expect(texts.filter((text, index) => !text.includes(`[${index + 1}/${pages.length}]`))).toEqual([]);
    expect(texts.filter((text) => !text.includes('Above') || !text.includes('Head'))).toEqual([]);
  });
});

/** Returns the position of the text and its font size, rounded to points. */
function placeOf(pdf: Pdf, text: string, page = 0): { left: number; baseline: number; height: number } {
  const run = pdf.pages[page]?.runs.find((each) => each.text.includes(text));
  const { leftPt = -1, baselinePt = -1, heightPt = -1 } = run ?? {};
  return { left: leftPt, baseline: baselinePt, height: heightPt };
}

/** Returns the larger difference between the first sheet and the expected size, in points. */
function missOf({ pages: [page] }: Pdf, width: number, height: number): number {
  const { widthPt = 0, heightPt = 0 } = page ?? {};
  return Math.max(Math.abs(widthPt - width), Math.abs(heightPt - height));
}

/** Returns a page with one block of this size, in CSS pixels. */
function wide(width: number, height: number): string {
  return `${PLAIN}<div style="width:${width}px;height:${height - 20}px"></div><p>end`;
}

/** Returns a page of this height, in CSS pixels, with text at its end. */
function tall(height: number): string {
  return `${PLAIN}<div style="height:${height - 20}px"></div><p>end`;
}
