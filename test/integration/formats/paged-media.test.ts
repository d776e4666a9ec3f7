import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { send, sendHtml } from '../../support/pages/exchange.ts';
import { type Pdf, readPdf, readPictureColours } from '../../support/pdf.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

type Fields = Readonly<Record<string, unknown>>;

const SHEET = '@page { size: A6; margin: 12mm } body { margin: 0; font: 10pt/1.4 serif }';
const line = 'The gate of the lower orchard stood open and nobody could say since when. ';
const paragraphs = (count: number): string =>
  Array.from({ length: count }, (_, index) => `<p>Paragraph ${index}. ${line.repeat(4)}</p>`).join('');
const CHAPTERS = ['Alpha', 'Beta', 'Gamma', 'Delta'];
const chapters = CHAPTERS.map(
  (name, index) => `<section><h2 id="c${index}">${name}</h2>${paragraphs(4 + index)}</section>`,
).join('');
const contents = `<nav>${CHAPTERS.map((name, index) => `<p><a href="#c${index}">${name}</a>`).join('')}</nav>`;

let service: SharedService;
let site: FixtureSite;
beforeAll(async () => {
  service = await sharedService();
  site = await createFixtureSite({
    moreRoutes: {
      '/book': ({ response }) =>
        sendHtml(
          response,
          `<!doctype html><html lang="en"><link rel="stylesheet" href="/book.css">${contents}${chapters}`,
        ),
      '/book.css': ({ response }) =>
        send(response, {
          type: 'text/css',
          body: `@import "/more.css"; ${SHEET} section { break-before: page; h2 { string-set: name content() } }`,
        }),
      '/more.css': ({ response }) =>
        send(response, { type: 'text/css', body: '@page { @top-center { content: "Über " string(name) } }' }),
    },
  });
});
afterAll(() => site.close());

interface Book extends Pdf {
  readonly warnings: string;
  readonly texts: readonly string[];
}

async function make(source: Fields | string, fields: Fields = {}): Promise<Book> {
  const given =
    typeof source === 'string'
      ? { html_content: `<!doctype html><html lang="en"><title>Book</title>${source}` }
      : source;
  const answer = await capture(service.url, { format: 'pdf', paged_media: true, ...given, ...fields });
  expect([answer.status, answer.status === 200 ? '' : answer.body.toString()]).toEqual([200, '']);
  const pdf = await readPdf(answer.body);
  const texts = pdf.pages.map(({ text }) => text.replaceAll(/\s+/g, ' ').trim());
  return { ...pdf, texts, warnings: answer.headers.get('x-capture-warnings') ?? '' };
}

/** Returns the number of the first page that has the text, from 1. */
function pageOf({ texts }: Book, text: string, from = 0): number {
  return texts.findIndex((each, index) => index >= from && each.includes(text)) + 1;
}

describe('paged_media', () => {
  it('writes the page of each heading into the contents, behind dots', async () => {
    const css = `${SHEET} section { break-before: page } nav a::after { content: leader(".") target-counter(attr(href), page) }`;
    const book = await make(`<style>${css}</style>${contents}${chapters}`);
    for (const name of CHAPTERS) {
      const [, dots = '', number = ''] = new RegExp(`${name} ?([. ]+)(\\d+)`).exec(book.texts[0] ?? '') ?? [];
      expect(Number(number)).toBe(pageOf(book, name, 1));
      expect(dots.length).toBeGreaterThan(5);
    }
  });

  it('shows the name of the section above each page, by nested rules of a sheet that another one imports', async () => {
    const book = await make({ url: site.url('/book') });
    const heads = book.texts.slice(1).map((text) => /Über (\w+)/.exec(text)?.[1]);
    expect(new Set(heads)).toEqual(new Set(CHAPTERS));
    for (const name of CHAPTERS) expect(heads.indexOf(name) + 2).toBe(pageOf(book, `${name} Paragraph 0`));
  });

  it('sets footnotes at the foot of the page of their mark, with all words of both', async () => {
    const notes = Array.from(
      { length: 14 },
      (_, index) => `<p>Mark ${index}.<span class=note>Words of note ${index}.</span> ${line.repeat(3)}</p>`,
    ).join('');
    const book = await make(`<style>${SHEET} .note { float: footnote }</style>${notes}`);
    for (let index = 0; index < 14; index++)
      expect(pageOf(book, `Words of note ${index}.`)).toBe(pageOf(book, `Mark ${index}.`));
  });

  it('begins chapters on right-hand pages, and lets page numbers start again', async () => {
    const css = `${SHEET} @page { @bottom-center { content: "page " counter(page) } } @page :blank { @bottom-center { content: none } }
      section { break-before: right } section:first-of-type { counter-reset: page 1 }`;
    const book = await make(`<style>${css}</style><h1>Cover</h1>${chapters}`);
    for (const name of CHAPTERS) expect(pageOf(book, `${name} Paragraph 0`) % 2).toBe(1);
    expect(book.texts[1]).toBe('');
    expect(book.texts.slice(2, 5).map((text) => /page (\d+)/.exec(text)?.[1])).toEqual(['1', '2', '3']);
  });

  it('goes on with lists and tables on the next page: numbers, heads, and every row', async () => {
    const items = Array.from({ length: 40 }, (_, index) => `<li>Item ${index + 1} of the list`).join('');
    const rows = Array.from(
      { length: 60 },
      (_, index) => `<tr><td>R${String(index).padStart(3, '0')}<td>${index}`,
    ).join('');
    const table = `<table><thead><tr><th>Row name<th>Number</thead><tbody>${rows}</table>`;
    const { texts } = await make(`<style>${SHEET}</style><ol>${items}</ol>${table}`);
    const all = texts.join(' ');
    for (let index = 1; index <= 40; index++) expect(all).toMatch(new RegExp(`\\b${index}\\. Item ${index} of`));
    for (let index = 0; index < 60; index++) expect(all.split(`R${String(index).padStart(3, '0')}`)).toHaveLength(2);
    for (const text of texts.filter((each) => /R\d{3}/.test(each))) expect(text).toContain('Row name');
  });

  it('loses no line of a long listing that scrolls on the screen', async () => {
    const lines = Array.from({ length: 120 }, (_, index) => `line ${index}: x = ${index};`).join('\n');
    const { texts } = await make(`<style>${SHEET} pre { overflow: auto }</style><pre>${lines}</pre><p>after`);
    for (let index = 0; index < 120; index++) expect(texts.join(' ')).toContain(`line ${index}: x = ${index};`);
  });

  it.each([
    ['equal words', 'equal words '.repeat(900), 1_800],
    ['equal pieces', 'some <b>equal</b> pieces '.repeat(700), 2_100],
    ['soft hyphens', 'soft&shy;hyphens '.repeat(900), 900],
  ])('breaks a paragraph of several pages at the right place: %s', async (_name, text, words) => {
    const { pages, texts } = await make(`<style>${SHEET}</style><p>${text}`);
    expect(pages.length).toBeGreaterThan(3);
    expect(
      texts
        .join(' ')
        .replaceAll(/\u00ad|-/g, '')
        .match(/\w+/g)?.length,
    ).toBeGreaterThanOrEqual(words);
  });

  it.each([
    ['an Arabic body', '<html dir="rtl" lang="ar"><p>', ''],
    ['text without an element', '', ''],
    ['rules of the children of the body', '<style>body > p { color: teal } body > i { display: none }</style><p>', ''],
  ])('loses no word of %s', async (_name, before) => {
    const words = Array.from({ length: 600 }, (_, index) => `word${index}x`);
    const { texts } = await make(`<style>${SHEET}</style>${before}${words.join(' ')}<i>hidden</i>`);
    const all = texts.join(' ');
    expect(words.filter((word) => !all.includes(word))).toEqual([]);
  });

  it('prints what was drawn and chosen by scripts', async () => {
    const script = `<select id=s><option>one<option>two</select><input id=i><canvas id=c width=60 height=40></canvas><script>
      s.selectedIndex = 1; i.value = 'typed'; const draw = c.getContext('2d'); draw.fillStyle = '#0a0'; draw.fillRect(0, 0, 60, 40)</script>`;
    const html_content = `<!doctype html><style>${SHEET}</style>${script}`;
    const { body } = await capture(service.url, { html_content, format: 'pdf', paged_media: true });
    const [page] = (await readPdf(body)).pages;
    expect(page?.text).toContain('two');
    expect(page?.text).toContain('typed');
    expect(await readPictureColours(body)).toContainEqual([0, 0xaa, 0]);
  });

  it('warns of a shadow tree, which is on no page', async () => {
    const shadow = `<div id=h></div><script>h.attachShadow({ mode: 'open' }).innerHTML = '<p>inside'</script>`;
    expect((await make(`<style>${SHEET}</style><p>Text${shadow}`)).warnings).toContain('content_cut');
  });

  it.each([
    ['margins without room', '<style>@page { size: A5; margin: 200mm }</style><p>Text', 'leave no room'],
    [
      'a policy that forbids styles',
      `<meta http-equiv="content-security-policy" content="style-src 'none'"><p>Text`,
      'Content-Security-Policy',
    ],
  ])('is refused for %s, with the reason', async (_name, html_content, reason) => {
    const { status, body } = await capture(service.url, { html_content, format: 'pdf', paged_media: true });
    expect([status, body.toString()]).toEqual([400, expect.stringContaining(reason)]);
  });

  it('takes sheet and margins of the request, unless the page has its own', async () => {
    const fields = { pdf_format: 'A5', pdf_margin: '30mm' };
    const [own, requested] = await Promise.all([
      make(`<style>${SHEET}</style>${paragraphs(2)}`),
      make(`<style>${SHEET}</style>${paragraphs(2)}`, fields),
    ]);
    expect(own.pages[0]).toMatchObject({ widthPt: expect.closeTo(298, 0), heightPt: expect.closeTo(420, 0) });
    expect(requested.pages[0]).toMatchObject({ widthPt: expect.closeTo(420, 0), heightPt: expect.closeTo(595, 0) });
    const left = Math.min(...(requested.pages[0]?.runs ?? []).map(({ leftPt }) => leftPt));
    expect(left).toBeCloseTo(85, 0);
  });

  it('keeps links, bookmarks, tags, standards, attachments, watermark and page ranges', async () => {
    const book = `<style>${SHEET} section { break-before: page }</style>${contents}${chapters}`;
    const fields = {
      pdf_outline: true,
      pdf_standard: ['PDF/A-3b', 'PDF/UA-1'],
      pdf_attachments: [{ name: 'a.txt', base64: 'YQ==' }],
      pdf_watermark: 'DRAFT',
    };
    const html_content = `<!doctype html><html lang="en"><title>Book</title>${book}`;
    const { status, body } = await capture(service.url, { html_content, format: 'pdf', paged_media: true, ...fields });
    expect([status, status === 200 ? '' : body.toString()]).toEqual([200, '']);
    const text = body.toString('latin1');
    for (const mark of ['/Outlines', '/StructTreeRoot', 'pdfuaid:part', 'pdfaid:part', '/EmbeddedFiles', '/Dest'])
      expect(text).toContain(mark);
    const { pages } = await make(book, { pdf_page_ranges: '2' });
    expect(pages).toHaveLength(1);
  });

  it('lays out Markdown with contents', async () => {
    const markdown_content = `[[toc]]\n\n# One\n\n${line.repeat(20)}\n\n# Two\n\n${line.repeat(20)}`;
    const { texts } = await make({ markdown_content });
    expect(texts.join(' ')).toMatch(/One.*Two.*One.*Two/);
  });

  it('warns of rules that are left out, and of content beyond the edge', async () => {
    const ignored = await make(`<style>${SHEET} h1 { bookmark-level: 2 }</style><h1>Title</h1>`);
    const wide = await make(
      `<style>${SHEET} div { height: 900px; background: teal }</style>${paragraphs(1)}<div></div>`,
    );
    expect(ignored.warnings).toBe('paged_media_incomplete');
    expect(wide.warnings).toContain('content_cut');
  });

  it.each([
    [{ pdf_single_page: true }, 'paged_media: not with pdf_single_page'],
    [{ pdf_header_html: '<b>x</b>' }, 'paged_media: not with pdf_single_page, pdf_header_html'],
    [{ format: 'png' }, 'paged_media: needs the format pdf'],
    [{ selector: 'p' }, 'paged_media: not with selector'],
    [{ javascript: false }, 'paged_media: needs javascript'],
  ])('is refused with %j', async (fields, details) => {
    const { status, body } = await capture(service.url, {
      html_content: '<p>x',
      format: 'pdf',
      paged_media: true,
      ...fields,
    });
    expect([status, body.toString()]).toEqual([400, expect.stringContaining(details)]);
  });

  it('takes breaks of style attributes', async () => {
    const css = `@page { size: A6; margin: 15mm } h1 { break-before: page }
      nav a::after { content: leader(".") target-counter(attr(href), page) }`;
    const { texts } = await make(`<style>${css}</style>
      <nav><p><a href="#a">Alpha</a><p><a href="#b">Beta</a></nav>
      <h1 id="a">Alpha</h1><p style="break-after: page">x<p>y<h1 id="b">Beta</h1>`);
    expect(texts.map((text) => text.replaceAll(/[ .]+/g, ' '))).toEqual(['Alpha 2 Beta 4', 'Alpha x', 'y', 'Beta']);
  });

  it('bounds the rules of style attributes', async () => {
    const named = Array.from({ length: 150 }, (_, at) => `<p style="string-set: a 'n${at}'">n${at}</p>`).join('');
    const { texts, warnings } = await make(`<style>${SHEET}</style>${named}`);
    expect(texts.join(' ')).toContain('n149');
    expect(warnings).toContain('paged_media_incomplete');
  });

  it.each([
    ['imports without an end', `@import ${'url( '.repeat(30_000)}`],
    ['words before a leader', `${'x '.repeat(60_000)}leader(`],
    ['spaces in addresses', `a { size:${' '.repeat(100_000)} } url(${' '.repeat(60_000)}`],
    ['nested selectors that multiply', '&&&&&&&&{'.repeat(8)],
  ])('searches a hostile style sheet in time: %s', async (_, sheet) => {
    const book = make(`<p>Printed</p><style>${sheet}</style>`);
    const others: number[] = [];
    const done = new AbortController();
    const laidOut = book.finally(() => done.abort());
    while (!done.signal.aborted) {
      const start = performance.now();
      await (await fetch(`${service.url}/health/ready`)).text();
      others.push(performance.now() - start);
    }
    expect((await laidOut).texts.join(' ')).toContain('Printed');
    expect(Math.max(...others)).toBeLessThan(2_000);
  });

  it('applies media queries as the browser does', async () => {
    const sheet = `@media not print { .a { display: none } } @media (min-width: 1px) { .b { display: none } }
      @media (min-width: 9000px) { .c { display: none } } @media screen { .d { display: none } }`;
    const words = ['a', 'b', 'c', 'd'].map((name) => `<p class="${name}">word-${name}</p>`).join('');
    const { texts } = await make(`<style>${SHEET} ${sheet}</style>${words}`);
    expect(texts.join(' ').match(/word-\w/g)).toEqual(['word-a', 'word-c', 'word-d']);
  });

  it('applies rules that scripts have added', async () => {
    const { texts } = await make(
      '<style id="s"></style><h1>Hidden</h1><p>Shown</p><script>s.sheet.insertRule("h1 { display: none }")</script>',
    );
    expect(texts.join(' ').trim()).toBe('Shown');
  });

  it('works on a page whose scripts have replaced what the browser brings', async () => {
    const hostile =
      '<script>Array.from = () => { throw 1 }; window.requestAnimationFrame = () => 0; Node.prototype.appendChild = () => { throw 2 }</script>';
    const { texts } = await make(`<style>${SHEET}</style>${paragraphs(6)}${hostile}`);
    expect(texts.join(' ')).toContain('Paragraph 5.');
  });
});
