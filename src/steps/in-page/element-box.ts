/** CSS pixels, from the top left corner of the page. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * The box of an element, in the coordinates of the top page even when it is in a frame; undefined when there is nothing to see.
 * The window goes back to the top, so that what is fixed to it stands where it does in a picture of the page. Runs in the page.
 */
export function elementBox(element: Element): Box | undefined {
  if (!element.isConnected || !element.checkVisibility({ visibilityProperty: true })) return undefined;
  let view = element.ownerDocument.defaultView;
  if (view === null) return undefined;
  window.scrollTo({ left: 0, top: 0, behavior: 'instant' });
  const { width, height, x, y } = element.getBoundingClientRect();
  if (width === 0 || height === 0) return undefined;

  let [left, top] = [x, y];
  // A frame's content starts inside its border and padding, which is where its own coordinates start.
  for (let frame = view.frameElement; frame !== null && view !== null; frame = view?.frameElement ?? null) {
    const outer = frame.getBoundingClientRect();
    const style = getComputedStyle(frame);
    left += outer.x + frame.clientLeft + Number.parseFloat(style.paddingLeft);
    top += outer.y + frame.clientTop + Number.parseFloat(style.paddingTop);
    view = frame.ownerDocument.defaultView;
  }
  return { x: left + window.scrollX, y: top + window.scrollY, width, height };
}
