import { boxOf, computed, frameOf, isConnected, isRendered, read, viewOf } from './nodes.ts';

/** Box in CSS pixels from the top left corner of the page. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the box of an element in coordinates of the top page, also for elements in frames. Undefined if it is
 * invisible. Scrolls the window back to the top, so that fixed elements are in place. Runs in the page.
 */
export function elementBox(element: Element): Box | undefined {
  if (!isConnected(element) || !isRendered(element, { visibilityProperty: true })) return undefined;
  if (viewOf(element) === null) return undefined;
  window.scrollTo({ left: 0, top: 0, behavior: 'instant' });
  const { width, height, x, y } = boxOf(element);
  if (width === 0 || height === 0) return undefined;

  let [left, top] = [x, y];
  // Coordinates of a frame start inside its border and padding.
  for (let frame = frameOf(element); frame !== null; frame = frameOf(frame)) {
    const outer = boxOf(frame);
    const style = computed(frame);
    left += outer.x + read(Element.prototype, frame, 'clientLeft') + Number.parseFloat(style.paddingLeft);
    top += outer.y + read(Element.prototype, frame, 'clientTop') + Number.parseFloat(style.paddingTop);
  }
  return { x: left + window.scrollX, y: top + window.scrollY, width, height };
}
