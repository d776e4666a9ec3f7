import { boxOf, computed, documentOf, isShadow, read, rootElement } from '../../../steps/in-page/nodes.ts';
import { isHeldByWindow } from '../../../steps/readiness/in-page/area/virtual.ts';
import { styleForPicture } from '../../../steps/in-page/for-picture.ts';
import type { Box } from '../../../steps/in-page/placement.ts';
import { everywhere } from '../../../steps/in-page/roots-of.ts';

/** Limits for hostile pages: each held box is compared with all selected elements. */
const MOST_HELD = 200;
const MOST_SELECTED = 100;

/**
 * Hides what the window holds in front of a part of the page: a bar at its edge, a button for a chat. Elements that
 * contain a selected element, or lie in one, stay, and so does what is painted behind the page. Runs in the page.
 */
export function hideHeld(area: Box, selector: string | null): void {
  const isInWindow =
    area.x >= 0 && area.y >= 0 && area.x + area.width <= innerWidth && area.y + area.height <= innerHeight;
  if (selector === null && isInWindow) return;
  const selected = selector === null ? [] : [...everywhere(selector).take(MOST_SELECTED)];
  const held = everywhere('*').filter((element) => documentOf(element) === document && isFixed(element));
  for (const element of held.take(MOST_HELD).toArray()) {
    const isRelated = selected.some((each) => contains(element, each) || contains(each, element));
    if (!isRelated && covers(element, area)) styleForPicture(element, { opacity: '0', transition: 'none' });
  }
}

function isFixed(element: Element): boolean {
  return computed(element).position === 'fixed';
}

/** True for an element, or the host of its tree, inside of another. */
function contains(outer: Element, element: Element): boolean {
  for (let inside: Node | null = element; inside !== null;) {
    if (Node.prototype.contains.call(outer, inside)) return true;
    const tree: Node = Node.prototype.getRootNode.call(inside);
    inside = isShadow(tree) ? tree.host : null;
  }
  return false;
}

/** True if the element lies in front of the page where both overlap. */
function covers(element: Element, { x, y, width, height }: Box): boolean {
  const box = boxOf(element);
  const [left, right] = [Math.max(box.left, x, 0), Math.min(box.right, x + width, innerWidth)];
  const [top, bottom] = [Math.max(box.top, y, 0), Math.min(box.bottom, y + height, innerHeight)];
  if (right <= left || bottom <= top) return false;
  const tree = Node.prototype.getRootNode.call(element);
  const host = isShadow(tree) ? tree.host : element;
  const stack = Document.prototype.elementsFromPoint.call(document, (left + right) / 2, (top + bottom) / 2);
  const at = stack.findIndex((each) => Node.prototype.contains.call(host, each));
  const isWhole = box.width >= innerWidth && box.height >= innerHeight;
  if (at === -1) return !isWhole && !(Number(computed(element).zIndex) < 0); // takes no mouse
  if (stack.slice(0, at).some((each) => !isHeldByWindow(each))) return false; // a background of the page
  const behind = stack.slice(at).filter((each) => !Node.prototype.contains.call(host, each) && !isRoot(each));
  return !isWhole || behind.length > 0; // otherwise it is the page
}

function isRoot(element: Element): boolean {
  return element === read(Document.prototype, document, 'body') || element === rootElement();
}
