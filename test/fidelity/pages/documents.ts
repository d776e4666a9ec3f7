import { COLOUR, toCss } from '../../support/colour.ts';
import { boxMarkup } from '../../support/pages/box.ts';
import { page, send, sendHtml, type Exchange, type Routes } from '../../support/pages/exchange.ts';

/** `/fidelity/rows`: a table of rows of three lines each: `Row n top`, `Row n middle`, `Row n end`. */
export const ROWS_PAGE = { rows: 60, lines: ['top', 'middle', 'end'] } as const;

/** `/fidelity/large-document`: this many sheets, each with `Sheet n` at its top. */
export const LARGE_DOCUMENT = { sheets: 300 } as const;

/** `/fidelity/wide-document`: a table wider than any paper; its last column reads `Last n`. */
export const WIDE_DOCUMENT = { rows: 5, width: 1_100 } as const;

/** `/fidelity/part`: paragraphs around a box that holds `Alone`, in a shadow root on `?in=shadow`, else in a frame. */
export const PART = { text: 'Alone', colour: COLOUR.orange } as const;

/** `/fidelity/markup`: a legacy document with its doctype, a frame, and content that a script added. */
export const MARKUP = {
  doctype:
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">',
  frame: '<iframe src="/plain?frame" width="100"></iframe>',
  made: '<p id="made">Made by a script: ä€漢</p>',
  latin1: 'Größe und Maß',
} as const;

/** Pages for PDF and for html captures. */
export function documentPageRoutes(): Routes {
  return {
    '/fidelity/rows': page({
      head: '<style>body { font: 16px/22px sans-serif } td { border: 1px solid #888; padding: 3px }</style>',
      body: `<table>${Array.from(
        { length: ROWS_PAGE.rows },
        (_, row) => `<tr><td>${ROWS_PAGE.lines.map((line) => `Row ${row + 1} ${line}`).join('<br>')}</td></tr>`,
      ).join('\n')}</table>`,
    }),
    '/fidelity/large-document': page({
      body: Array.from(
        { length: LARGE_DOCUMENT.sheets },
        (_, sheet) =>
          `<h1 style="break-before:${sheet === 0 ? 'auto' : 'page'}">Sheet ${sheet + 1}</h1><p>${'Lorem ipsum dolor sit amet. '.repeat(60)}</p>`,
      ).join('\n'),
    }),
    '/fidelity/wide-document': page({
      head: `<style>table { width: ${WIDE_DOCUMENT.width}px } td { width: 20% }</style>`,
      body: `<table>${Array.from(
        { length: WIDE_DOCUMENT.rows },
        (_, row) => `<tr>${'<td>Cell</td>'.repeat(4)}<td>Last ${row + 1}</td></tr>`,
      ).join('')}</table>`,
    }),
    '/fidelity/page-size': page({
      head: '<style>@page { size: A5 landscape; margin: 0 }</style>',
      body: '<h1>Landscape</h1>',
    }),
    '/fidelity/printed': page({
      head: `<style>h1 { background: ${toCss(COLOUR.magenta)} }</style>`,
      body: `<h1>Background</h1>${boxMarkup({ x: 100, y: 200, width: 100, height: 100, colour: COLOUR.cyan })}`,
    }),
    '/fidelity/font-document': page({
      head: '<style>@font-face { font-family: Fixture; src: url(/fonts/fixture.ttf) } p { font: 40px/1.5 Fixture }</style>',
      body: '<p>Embedded letters</p>',
    }),
    '/fidelity/part': partPage,
    '/fidelity/part-framed': page({ body: `<p>Framed before</p>${partMarkup()}<p>Framed after</p>` }),
    '/fidelity/markup': ({ response }) => sendHtml(response, markupDocument()),
    '/fidelity/latin1': ({ response }) =>
      send(response, {
        type: 'text/html; charset=iso-8859-1',
        body: Buffer.from(`<!doctype html><title>Fixture</title><p>${MARKUP.latin1}</p>`, 'latin1'),
      }),
    '/fidelity/paper.pdf': ({ response }) =>
      send(response, { type: 'application/pdf', body: Buffer.from('%PDF-1.4\n%%EOF\n') }),
  };
}

function partPage({ url, response }: Exchange): void {
  const part =
    url.searchParams.get('in') === 'shadow'
      ? `<div id="host"></div><script>
  host.attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(`<p>Shadow before</p>${partMarkup()}`).replaceAll('</', String.raw`<\/`)};
</script>`
      : '<iframe src="/fidelity/part-framed" width="400" height="300"></iframe>';
  sendHtml(
    response,
    `<!doctype html><title>Fixture</title><link rel="icon" href="data:,"><p>Page before</p>${part}<p>Page after</p>`,
  );
}

function partMarkup(): string {
  return `<div id="part" style="width:200px;height:60px;background:${toCss(PART.colour)}">${PART.text}</div>`;
}

function markupDocument(): string {
  const { doctype, frame, made } = MARKUP;
  return `${doctype}<html><head><meta charset="utf-8"/><title>Fixture</title><link rel="icon" href="data:,"/></head>
<body>${frame}<div id="place"></div><script>place.innerHTML = ${JSON.stringify(made).replaceAll('</', String.raw`<\/`)};</script></body></html>`;
}
