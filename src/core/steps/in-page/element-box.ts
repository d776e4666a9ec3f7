import { clippersOf, isOfWindow, sizeOf } from './clippers.ts';
import { all, boxOf, computed, documentOf, isConnected, isRendered, nameOf, pageScroller, viewOf } from './nodes.ts';
import { type Box, inTopWindow, insideBorder } from './placement.ts';
import { documentInside } from './roots-of.ts';

const FAR = 1e7; // beyond any page
/** A box that cuts nothing. */
export const EVERYTHING: Box = { x: -FAR, y: -FAR, width: 2 * FAR, height: 2 * FAR };

/** Limit for hostile pages: elements inside of one that has no box. */
const MOST_INSIDE = 1_000;

/**
 * Returns the box of an element in CSS pixels from the top left corner of the page, also for elements in frames. With
 * `isSeen`, without the parts that the boxes around it hide. An element without a box is what a person sees of its
 * content. Undefined if it is invisible. Scrolls the window back to the top, so that fixed elements are in place. Runs
 * in the page.
 */
export function elementBox(element: Element, isSeen: boolean): Box | undefined {
  const box = ownBox(element, isSeen);
  if (box !== undefined || !isConnected(element) || viewOf(element) === null) return box;
  const { width, height } = boxOf(element);
  if (width > 0 && height > 0) return undefined;
  return unionOf(
    all(element, '*')
      .slice(0, MOST_INSIDE)
      .flatMap((inner) => ownBox(inner, isSeen) ?? []),
  );
}

/** Returns the smallest box around others. Undefined for none. */
export function unionOf(boxes: readonly Box[]): Box | undefined {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes) {
    [left, top] = [Math.min(left, box.x), Math.min(top, box.y)];
    [right, bottom] = [Math.max(right, box.x + box.width), Math.max(bottom, box.y + box.height)];
  }
  return left === Infinity ? undefined : { x: left, y: top, width: right - left, height: bottom - top };
}

function ownBox(element: Element, isSeen: boolean): Box | undefined {
  if (!isConnected(element) || !isRendered(element, { visibilityProperty: true })) return undefined;
  if (viewOf(element) === null) return undefined;
  window.scrollTo({ left: 0, top: 0, behavior: 'instant' });
  const clippers = isSeen && !isOfWindow(element) ? clippersOf(element) : [];
  let box = inTopWindow(element, boxOf(element));
  for (const clipper of clippers) box = cut(box, inTopWindow(clipper, shownBy(clipper)));
  if (box.width <= 0 || box.height <= 0) return undefined;
  return { ...box, x: box.x + window.scrollX + widthBefore(), y: box.y + window.scrollY };
}

/**
 * Returns the width of the page at the left of the first window: pages from right to left extend there. Runs in the
 * page.
 */
export function widthBefore(): number {
  const root = pageScroller();
  if (root === null) return 0;
  const { direction, writingMode } = computed(root);
  const isToTheLeft = writingMode === 'horizontal-tb' ? direction === 'rtl' : writingMode.endsWith('-rl');
  return isToTheLeft ? sizeOf(root, 'scrollWidth') - sizeOf(root, 'clientWidth') : 0;
}

/** Returns the part of its window in which a clipper shows its content. */
export function shownBy(clipper: Element): Box {
  const { width, height } = boxOf(clipper);
  // In quirks mode, the sizes of the body are those of the window.
  const isWindow = nameOf(clipper) === 'body' && documentOf(clipper).compatMode === 'BackCompat';
  const across = isWindow ? width : sizeOf(clipper, 'clientWidth');
  const down = isWindow ? height : sizeOf(clipper, 'clientHeight');
  const { overflowX, overflowY, contain } = computed(clipper);
  const isFrame = documentInside(clipper) !== null;
  const isBoxless = across === 0 && down === 0 && (width > 0 || height > 0); // inline, or a part of a drawing
  if (isBoxless) return EVERYTHING;
  const cutsAll = isFrame || /paint|strict|content/.test(contain);
  const { x: left, y: top, scale } = insideBorder(clipper);
  return {
    ...(cutsAll || overflowX !== 'visible' ? { x: left, width: across * scale } : { x: -FAR, width: 2 * FAR }),
    ...(cutsAll || overflowY !== 'visible' ? { y: top, height: down * scale } : { y: -FAR, height: 2 * FAR }),
  };
}

/** Returns the part of a box that lies in another. Its width or height may be negative: nothing. */
export function cut(box: Box, { x, y, width, height }: Box): Box {
  const [left, top] = [Math.max(box.x, x), Math.max(box.y, y)];
  return {
    x: left,
    y: top,
    width: Math.min(box.x + box.width, x + width) - left,
    height: Math.min(box.y + box.height, y + height) - top,
  };
}
