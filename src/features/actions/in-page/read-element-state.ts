import {
  attribute,
  boxesOf,
  boxOf,
  closest,
  documentOf,
  frameOf,
  isConnected,
  isElement,
  isNamed,
  isRendered,
  isShadow,
  matches,
  nameOf,
  parentOf,
  read,
  scrollToMiddle,
  viewOf,
} from '../../../core/steps/in-page/nodes.ts';
import { placementOf } from '../../../core/steps/in-page/placement.ts';

/** Conditions that an action requires of its element. */
export type Need = {
  /** The element exists. It may be empty. */
  readonly place?: boolean;
  /** The element is enabled. */
  readonly use?: boolean;
  /** The element is not read-only. */
  readonly text?: boolean;
  /** The mouse reaches a point of the element, or of its label if the element itself is hidden. */
  readonly point?: boolean;
};

/** State of an element: why the action has to wait, or its position in CSS pixels of the top window. */
export type ElementState =
  | { readonly state: 'ready'; readonly x: number; readonly y: number }
  | { readonly state: 'invisible' | 'disabled' | 'read_only' | 'file' | 'out_of_reach' }
  | { readonly state: 'covered'; readonly by: string };

/**
 * Checks whether an element is ready for an action, and scrolls it into view if the mouse must reach it. Checks each
 * frame and shadow tree for elements on top. Runs in the page.
 */
export function readElementState(element: Element, need: Need): ElementState {
  const labels = isNamed(element, 'input') ? [...(element.labels ?? [])] : [];
  const target = [element, ...labels].find((each) => isSeen(each) && (need.place === true || boxesOf(each).length > 0));
  const control = controlOf(element);
  if (need.use === true && (isFile(element) || (control !== null && isFile(control)))) return { state: 'file' };
  if (target === undefined) return { state: 'invisible' };
  if (need.use === true && (matches(element, ':disabled') || closest(element, '[aria-disabled=true]') !== null))
    return { state: 'disabled' };
  if (need.text === true && matches(element, 'input[readonly], textarea[readonly]')) return { state: 'read_only' };
  if (need.point !== true) {
    const { x, y, width, height } = boxOf(target);
    return { state: 'ready', x: x + width / 2, y: y + height / 2 };
  }
  const found = search(target);
  if (found.state === 'ready') return found;
  scrollToMiddle(target);
  return search(target);
}

function isSeen(seen: Element): boolean {
  if (!isConnected(seen) || !isRendered(seen, { visibilityProperty: true })) return false;
  const frame = frameOf(seen);
  return frame === null || isSeen(frame);
}

function isFile(candidate: Element): boolean {
  return matches(candidate, 'input[type=file]');
}

/** Returns the control of the label around an element. */
function controlOf(element: Element): Element | null {
  const label = closest(element, 'label');
  return label !== null && isNamed(label, 'label') ? label.control : null;
}

/** Returns the topmost element at a point of a window, including open shadow trees. */
function topAt(of: Document, x: number, y: number): Element | null {
  let top = Document.prototype.elementFromPoint.call(of, x, y);
  for (let depth = 0; depth < 50 && top !== null; depth++) {
    const inner = read(Element.prototype, top, 'shadowRoot')?.elementFromPoint(x, y) ?? null;
    if (inner === null || inner === top) break;
    top = inner;
  }
  return top;
}

/** Returns the node around a node: the host of a shadow tree, the slot, or the parent. */
function outward(node: Node): Node | null {
  if (isShadow(node)) return node.host;
  return (isElement(node) ? read(Element.prototype, node, 'assignedSlot') : null) ?? parentOf(node);
}

/** True if a click on the topmost element is a click on the requested one. */
function isPartOf(top: Element, expected: Element): boolean {
  for (let node: Node | null = top; node !== null; node = outward(node)) if (node === expected) return true;
  if (controlOf(top) === expected) return true;
  // An element inside a button may ignore the mouse.
  const button = closest(top, 'a, button, label, summary, [role=button], [role=link]');
  return button !== null && Node.prototype.contains.call(button, expected);
}

/** @returns the point in the top window, or the covering element; undefined outside the window */
function reach(target: Element, rect: DOMRect, [across, down]: readonly [number, number]): ElementState | undefined {
  let expected = target;
  let [x, y] = [rect.x + rect.width * across, rect.y + rect.height * down];
  for (;;) {
    const top = topAt(documentOf(expected), x, y);
    if (viewOf(expected) === null || top === null) return undefined;
    if (!isPartOf(top, expected)) return { state: 'covered', by: describe(top) };
    const frame = frameOf(expected);
    if (frame === null) return { state: 'ready', x, y };
    const around = placementOf(frame);
    [x, y] = [around.x + x * around.scale, around.y + y * around.scale];
    expected = frame;
  }
}

/** Contains no text of the page, because it becomes part of an error message. */
function describe(element: Element): string {
  const id = attribute(element, 'id') ?? '';
  const classes = (attribute(element, 'class') ?? '').split(/\s+/).filter((name) => name !== '');
  const parts = [nameOf(element), ...(id === '' ? [] : [`#${id}`]), ...classes.slice(0, 2).map((name) => `.${name}`)];
  // An id can be a sentence with line breaks.
  return parts
    .join('')
    .slice(0, 60)
    .replaceAll(/[^\p{L}\p{N}_#.:-]/gu, '_');
}

/** Tries the centre of each box, then other points of the largest one. */
function search(target: Element): ElementState {
  const rects = boxesOf(target).slice(0, 8);
  const largest = rects.toSorted((a, b) => b.width * b.height - a.width * a.height).slice(0, 1);
  const corners = [0.25, 0.75].flatMap((down) => [0.25, 0.75].map((across) => [across, down] as const));
  const points = [
    ...rects.map((rect) => [rect, [0.5, 0.5]] as const),
    ...largest.flatMap((rect) => corners.map((corner) => [rect, corner] as const)),
  ];
  let covered: ElementState | undefined;
  for (const [rect, point] of points) {
    const found = reach(target, rect, point);
    if (found?.state === 'ready') return found;
    covered ??= found;
  }
  return covered ?? { state: 'out_of_reach' };
}
