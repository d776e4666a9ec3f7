import { isOfWindow, sizeOf } from '../../../in-page/clippers.ts';
import { boxOf, computed, frameOf, matches, outerOf, pageScroller, scrollElement } from '../../../in-page/nodes.ts';
import { styleForPicture } from '../../../in-page/for-picture.ts';
import { documentInside } from '../../../in-page/roots-of.ts';
import { insideOf } from './inside-of.ts';
import { hiddenBy } from './shells.ts';

/** How a scroller is opened. */
export interface Opening {
  /** True to put boxes out of the flow into it: a fixed box adds nothing to the height of the page. */
  readonly inFlow: boolean;
  readonly isPrinted: boolean;
}

const MAX_INSIDE = 20_000; // elements that are measured
const ROUNDS = 2; // a restored height may make its scroller lack height again

/**
 * Gives a scroller or frame, and the boxes around it, the height of its content, so that nothing of it is cut. The
 * heights follow the content, so they also fit the narrower lines of paper. Widths, and what is cut sideways, stay.
 * Runs in the page.
 */
export function openScroller(scroller: Element, how: Opening): void {
  scrollElement(scroller, { top: 0 });
  const hidden = hiddenBy(scroller);
  const inside = [...insideOf(scroller).take(MAX_INSIDE)].map((inner) => ({ inner, height: boxOf(inner).height }));
  const chain = chainOf(scroller).map((element) => ({ element, box: boxOf(element), overflow: hiddenBy(element) }));
  for (const { element, box } of chain.toReversed()) free(element, box, { ...how, hidden });
  for (let round = 0; round < ROUNDS; round++) {
    // Frames, and boxes whose height does not follow their content.
    for (const { element, overflow } of chain) {
      // Without a doctype, the body has the measures of the window.
      const isWindow = isOfWindow(element) || element === pageScroller();
      const lack = isWindow ? 0 : hiddenBy(element) - (element === scroller ? 0 : overflow);
      if (lack > 0)
        styleForPicture(element, { 'min-height': `${Number.parseFloat(computed(element).height) + lack}px` });
    }
    // Boxes whose height depends on the scroller, such as slides of 100 %.
    const changed = inside.map((each) => ({ ...each, now: boxOf(each.inner).height }));
    for (const { inner, height, now } of changed) {
      if (now > height + 1) styleForPicture(inner, { ...STILL, height: `${height}px`, 'max-height': 'none' });
      if (now < height - 1) styleForPicture(inner, { ...STILL, 'min-height': `${height}px` });
    }
  }
  const frame = frameOf(scroller);
  if (frame !== null) openScroller(frame, how);
}

const STILL = { 'box-sizing': 'border-box', transition: 'none' };

/** Returns an element and the boxes around it in its document, the innermost first. */
function chainOf(scroller: Element): Element[] {
  const chain = [scroller];
  for (let around = outerOf(scroller); around !== null; around = outerOf(around))
    if (!/^(?:contents|inline)$/.test(computed(around).display)) chain.push(around);
  return chain;
}

/** Lets the height of a box follow its content, which hides `hidden` pixels. */
function free(
  element: Element,
  box: DOMRect,
  { inFlow, isPrinted, hidden }: Opening & { readonly hidden: number },
): void {
  const { position, top, overflow } = computed(element);
  const isBox = overflow !== 'visible' && !isOfWindow(element);
  const parent = boxAround(element);
  const layout = parent === undefined ? undefined : computed(parent);
  const isInColumn = layout?.display.endsWith('flex') === true && layout.flexDirection.startsWith('column');
  if (parent !== undefined && layout?.display.endsWith('grid') === true)
    styleForPicture(parent, { 'grid-template-rows': rowsFreedFor(box, parent, layout) });
  styleForPicture(element, {
    ...(documentInside(element) === null && { height: 'auto' }),
    'max-height': 'none',
    'aspect-ratio': 'auto',
    contain: 'none',
    transition: 'none',
    ...(isInColumn && { flex: 'none' }),
    // It is higher than the page has expected, and a box that cuts its content is not broken between two sheets.
    ...(isPrinted && { 'break-inside': 'auto' }),
    ...(isPrinted && isBox && { 'overflow-x': 'clip', 'overflow-y': 'visible' }),
  });
  if (position !== 'absolute' && position !== 'fixed') return;
  const hasRoom = position === 'absolute' && parent !== undefined && boxOf(parent).bottom >= box.bottom + hidden - 1;
  if (inFlow && matches(element, ':modal, :popover-open')) pin(element, box);
  else if (inFlow && !hasRoom) putInFlow(element, box);
  else styleForPicture(element, { top, bottom: 'auto' });
}

/** Returns the box that lays an element out. */
function boxAround(element: Element): Element | undefined {
  let around = outerOf(element);
  while (around !== null && computed(around).display === 'contents') around = outerOf(around);
  return around ?? undefined;
}

/** Fixes the upper edge of a dialog to the page: it can't be in the flow. */
function pin(element: Element, { y }: DOMRect): void {
  styleForPicture(element, { position: 'absolute', top: `${y + scrollY}px`, bottom: 'auto', 'margin-block': '0' });
}

/** Puts a box into the flow at its place, with its distances from both sides. */
function putInFlow(element: Element, box: DOMRect): void {
  styleForPicture(element, { position: 'relative', inset: 'auto', margin: '0', flex: 'none', ...STILL, width: '100%' });
  const beside = boxOf(element).width - box.width;
  styleForPicture(element, { width: beside >= 0 ? `calc(100% - ${beside}px)` : `${box.width}px` });
  const { x, y } = boxOf(element);
  styleForPicture(element, { 'margin-left': `${box.x - x}px`, 'margin-top': `${box.y - y}px` });
}

/** Returns the rows of a grid, with the row that a box fills as high as its content. */
function rowsFreedFor(box: DOMRect, grid: Element, { gridTemplateRows, rowGap }: CSSStyleDeclaration): string {
  const rows = gridTemplateRows.split(' ');
  if (!rows.every((row) => row.endsWith('px'))) return gridTemplateRows;
  let top = boxOf(grid).top + sizeOf(grid, 'clientTop') + Number.parseFloat(computed(grid).paddingTop);
  let [most, freed] = [0, -1];
  for (const [index, row] of rows.entries()) {
    const bottom = top + Number.parseFloat(row);
    const shared = Math.min(box.bottom, bottom) - Math.max(box.top, top);
    if (shared > most) [most, freed] = [shared, index];
    top = bottom + (Number.parseFloat(rowGap) || 0);
  }
  return rows.map((row, index) => (index === freed ? 'auto' : row)).join(' ');
}
