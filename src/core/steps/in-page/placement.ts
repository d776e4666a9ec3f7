import { boxOf, computed, frameOf, read } from './nodes.ts';

/** Where the coordinates of a window begin in another, and how large its pixels are there. */
export interface Placement {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** Box in CSS pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the placement of the area inside the border of an element in its window. It may be scaled. */
export function insideBorder(element: Element): Placement {
  const { x, y, width } = boxOf(element);
  const unscaled = 'offsetWidth' in element ? Reflect.get(HTMLElement.prototype, 'offsetWidth', element) : 0;
  const scale = width / (unscaled || width || 1);
  return {
    x: x + read(Element.prototype, element, 'clientLeft') * scale,
    y: y + read(Element.prototype, element, 'clientTop') * scale,
    scale,
  };
}

/** Returns the placement of a frame's window in the window around it: inside its border and padding. */
export function placementOf(frame: Element): Placement {
  const { x, y, scale } = insideBorder(frame);
  const { paddingLeft, paddingTop } = computed(frame);
  return { x: x + Number.parseFloat(paddingLeft) * scale, y: y + Number.parseFloat(paddingTop) * scale, scale };
}

/** Returns a box of a node's window in coordinates of the top window. */
export function inTopWindow(node: Node, { x, y, width, height }: Box): Box {
  const frame = frameOf(node);
  if (frame === null) return { x, y, width, height };
  const { x: left, y: top, scale } = placementOf(frame);
  return inTopWindow(frame, {
    x: left + x * scale,
    y: top + y * scale,
    width: width * scale,
    height: height * scale,
  });
}
