import { ONE_LINE_PAGE } from '../../../bench/site.mjs';
import { COLOUR, toCss } from '../colour.ts';
import { boxMarkup } from './box.ts';
import { page, send, sendHtml, type Routes } from './exchange.ts';

/** `/colours`: four 100x100 boxes, a 200x200 square in the top left corner; white elsewhere, no text. */
export const COLOURS_PAGE = {
  red: { x: 0, y: 0, width: 100, height: 100, colour: COLOUR.red },
  green: { x: 100, y: 0, width: 100, height: 100, colour: COLOUR.green },
  blue: { x: 0, y: 100, width: 100, height: 100, colour: COLOUR.blue },
  yellow: { x: 100, y: 100, width: 100, height: 100, colour: COLOUR.yellow },
} as const;

/**
 * `/dpr`: a 200x100 grid at (0, 100) of lines one CSS pixel wide: black where x is even, white where it is odd. `<html
 * data-dpr data-width data-height>` and the text above the grid show the values that the page reads.
 */
export const DPR_PAGE = { x: 0, y: 100, width: 200, height: 100 } as const;

/**
 * `/css`: three 100x100 boxes side by side from (0, 0), white until style sheets arrive. A linked sheet colours the
 * first box, and a sheet imported 300 ms late the second one. The third is blue on screen and magenta in print.
 */
export const CSS_PAGE = {
  linked: { x: 0, y: 0, width: 100, height: 100, colour: COLOUR.green },
  imported: { x: 100, y: 0, width: 100, height: 100, colour: COLOUR.orange },
  screen: { x: 200, y: 0, width: 100, height: 100, colour: COLOUR.blue },
  print: { x: 200, y: 0, width: 100, height: 100, colour: COLOUR.magenta },
} as const;

const LATE_SHEET_MS = 300;

/** Pages that are ready as soon as they are loaded. */
export function plainRoutes(): Routes {
  return {
    '/plain': ({ response }) => sendHtml(response, ONE_LINE_PAGE),
    '/colours': page({
      body: Object.values(COLOURS_PAGE)
        .map((box) => boxMarkup(box))
        .join(''),
    }),
    '/dpr': dprPage(),
    // Elements that examples in the documentation select on https://example.com/.
    '/example': page({
      head: '<style>body { margin: 40px; font: 18px sans-serif } main { height: 1200px }</style>',
      body: `<div class="cookie-banner">Cookies?</div><button id="accept">Yes</button><div id="chat">Chat</div>
<main id="main"><h1 id="loaded">Example page</h1></main><script>window.chartsDrawn = 3</script>`,
    }),
    '/css': page({
      head: '<link rel="stylesheet" href="/css/site.css">',
      body: Object.entries(CSS_PAGE)
        .filter(([name]) => name !== 'print')
        .map(([name, box]) => boxMarkup({ ...box, colour: COLOUR.white }, `id="${name}"`))
        .join(''),
    }),
    '/css/site.css': ({ response }) => send(response, { type: 'text/css', body: siteSheet() }),
    '/css/late.css': ({ response }) => {
      const body = `#imported { background: ${toCss(CSS_PAGE.imported.colour)} !important }`;
      setTimeout(() => send(response, { type: 'text/css', body }), LATE_SHEET_MS);
    },
  };
}

function siteSheet(): string {
  return `@import "/css/late.css";
#linked { background: ${toCss(CSS_PAGE.linked.colour)} !important }
@media screen { #screen { background: ${toCss(CSS_PAGE.screen.colour)} !important } }
@media print { #screen { background: ${toCss(CSS_PAGE.print.colour)} !important } }`;
}

function dprPage() {
  const { x, y, width, height } = DPR_PAGE;
  return page({
    body: `<p id="seen"></p>
<svg width="${width}" height="${height}" shape-rendering="crispEdges" style="position:absolute;left:${x}px;top:${y}px">
<path d="${Array.from({ length: width / 2 }, (_, line) => `M${line * 2} 0h1v${height}h-1z`).join('')}"/>
</svg>
<script>
  const { dataset } = document.documentElement;
  dataset.dpr = devicePixelRatio; dataset.width = innerWidth; dataset.height = innerHeight;
  seen.textContent = 'dpr ' + devicePixelRatio + ' window ' + innerWidth + 'x' + innerHeight;
</script>`,
  });
}
