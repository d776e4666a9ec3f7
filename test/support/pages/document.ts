import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { COLOUR } from '../colour.ts';
import { boxMarkup } from './box.ts';
import { page, send, type Exchange, type Routes } from './exchange.ts';

/**
 * `/document`: the page for PDF checks. A heading, two paragraphs, a link, a box with a background 200x60 at (400, 0),
 * then a table of 120 rows: more than one page of A4. Row n reads `Row n` and `Value n`.
 */
export const DOCUMENT_PAGE = {
  heading: 'Quarterly harvest',
  words: ['aubergine', 'rhubarb', 'salsify', 'kohlrabi'],
  link: 'https://example.com/',
  rows: 120,
  box: { x: 400, y: 0, width: 200, height: 60, colour: COLOUR.orange },
} as const;

/**
 * `/fonts`: a full block, U+2588, in 100 px of a web font. The font is requested at `load`, because an earlier request
 * would delay `load`, and arrives 400 ms later. Then at least (10, 30) to (50, 70) is blue; before, it is white
 * (`font-display: block`). `<html data-font>` is `loaded` then.
 */
export const FONTS_PAGE = {
  file: '/fonts/fixture.ttf',
  delayMs: 400,
  block: { x: 10, y: 30, width: 40, height: 40, colour: COLOUR.blue },
} as const;

/** Text pages, for documents and fonts. */
export function documentRoutes(): Routes {
  return {
    '/document': page({ head: DOCUMENT_STYLE, body: documentBody() }),
    '/fonts': page({
      head: `<style>
  @font-face { font-family: Fixture; src: url(${FONTS_PAGE.file}); font-display: block }
  #block { position: absolute; left: 0; top: 0; font: 100px/1 Fixture; color: #00f }
</style>`,
      body: `<div id="block"></div>
<script>
  addEventListener('load', () => {
    block.textContent = '\u2588';
    document.fonts.load('100px Fixture', '\u2588').then(() => { document.documentElement.dataset.font = 'loaded'; });
  });
</script>`,
    }),
    [FONTS_PAGE.file]: sendFont,
  };
}

const DOCUMENT_STYLE = `<style>
  body { font: 14px/20px sans-serif } h1 { margin: 0; line-height: 80px }
  table { width: 100%; border-collapse: collapse } td { border: 1px solid #888; padding: 4px }
</style>`;

function documentBody(): string {
  const { heading, words, link, rows, box } = DOCUMENT_PAGE;
  const table = Array.from({ length: rows }, (_, row) => `<tr><td>Row ${row + 1}</td><td>Value ${row + 1}</td></tr>`);
  return `<h1>${heading}</h1>${boxMarkup(box)}
<p>This year brought ${words[0]} and ${words[1]}.</p>
<h2>Outlook</h2>
<p>Next year brings ${words[2]} and ${words[3]}. <a href="${link}">Read on</a></p>
<table>${table.join('\n')}</table>`;
}

async function sendFont({ response }: Exchange): Promise<void> {
  // The PDF reader of the tests includes a free font.
  const file = import.meta.resolve('pdfjs-dist/standard_fonts/LiberationSans-Bold.ttf');
  const font = await readFile(fileURLToPath(file));
  setTimeout(() => send(response, { type: 'font/ttf', body: font }), FONTS_PAGE.delayMs);
}
