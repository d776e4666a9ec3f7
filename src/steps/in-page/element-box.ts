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
  if (!element.isConnected || !element.checkVisibility({ visibilityProperty: true })) return undefined;
  let view = element.ownerDocument.defaultView;
  if (view === null) return undefined;
  window.scrollTo({ left: 0, top: 0, behavior: 'instant' });
  const { width, height, x, y } = element.getBoundingClientRect();
  if (width === 0 || height === 0) return undefined;

  let [left, top] = [x, y];
  // Coordinates of a frame start inside its border and padding.
  for (let frame = view.frameElement; frame !== null && view !== null; frame = view?.frameElement ?? null) {
    const outer = frame.getBoundingClientRect();
    const style = getComputedStyle(frame);
    left += outer.x + frame.clientLeft + Number.parseFloat(style.paddingLeft);
    top += outer.y + frame.clientTop + Number.parseFloat(style.paddingTop);
    view = frame.ownerDocument.defaultView;
  }
  return { x: left + window.scrollX, y: top + window.scrollY, width, height };
}
