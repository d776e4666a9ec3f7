import { COLOUR } from '../colour.ts';
import { boxMarkup } from './box.ts';
import { page, type Routes } from './exchange.ts';

/**
 * `/element`: boxes on white, 2700 rows high, for `selector`.
 * - `#card` has fractional edges: x 100.25 to 300.75, y 60.5 to 160.75. Chromium paints the pixels 100..300 by
 *   61..160 at density 1. It has a black 20x20 square at its own (10, 10).
 * - `#far` is far below any window. `.many` comes twice, cyan first.
 * - `#hidden` is display:none, `#invisible` visibility:hidden, `#empty` 0 by 0 at (400, 400).
 */
export const ELEMENT_PAGE = {
  height: 2700,
  card: { x: 100.25, y: 60.5, width: 200.5, height: 100.25, colour: COLOUR.blue },
  cardMark: { x: 10, y: 10, width: 20, height: 20, colour: COLOUR.black },
  far: { x: 50, y: 2500, width: 300, height: 120, colour: COLOUR.orange },
  many: [
    { x: 20, y: 300, width: 60, height: 40, colour: COLOUR.cyan },
    { x: 120, y: 300, width: 90, height: 50, colour: COLOUR.magenta },
  ],
  invisible: { x: 500, y: 300, width: 100, height: 100, colour: COLOUR.red },
} as const;

/** `/late-element`: `#late`, a green box at (40, 40), is added 300 ms after the document was parsed. */
export const LATE_ELEMENT_PAGE = {
  late: { x: 40, y: 40, width: 120, height: 80, colour: COLOUR.green },
  delayMs: 300,
} as const;

/** Pages with elements to select. */
export function elementRoutes(): Routes {
  const { card, cardMark, far, many, invisible, height } = ELEMENT_PAGE;
  return {
    '/element': page({
      head: `<style>#hidden { display: none } #invisible { visibility: hidden }</style>`,
      body: `<div style="height:${height}px"></div>
${boxMarkup(card, 'id="card"').replace('</div>', `${boxMarkup(cardMark)}</div>`)}
<div id="hidden">Nobody sees this</div>
${boxMarkup(invisible, 'id="invisible"')}
<div id="empty" style="position:absolute;left:400px;top:400px;width:0;height:0"></div>
${many.map((box) => boxMarkup(box, 'class="many"')).join('')}
${boxMarkup(far, 'id="far"')}`,
    }),
    '/late-element': page({
      body: `<script>
  setTimeout(() => {
    document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(
      boxMarkup(LATE_ELEMENT_PAGE.late, 'id="late"'),
    ).replaceAll('</', String.raw`<\/`)});
  }, ${LATE_ELEMENT_PAGE.delayMs});
</script>`,
    }),
  };
}
