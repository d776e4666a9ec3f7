import { isOfWindow, isScroller, sizeOf } from '../../../in-page/clippers.ts';
import {
  bodyOf,
  boxOf,
  computed,
  isRendered,
  nameOf,
  pageScroller,
  read,
  rootElement,
  typeOf,
} from '../../../in-page/nodes.ts';
import { inTopWindow } from '../../../in-page/placement.ts';
import { documentInside, everywhere } from '../../../in-page/roots-of.ts';
import { insideOf } from './inside-of.ts';

const MAX_ACCIDENT = 8; // pixels that something may scroll by accident
/** Least share of the window that a shell fills: one of two columns is one, a menu is none. */
const LEAST_WIDTH = 1 / 3;
const LEAST_HEIGHT = 1 / 2;

/** Returns the height that an element hides from its user, in CSS pixels. */
export function hiddenBy(element: Element): number {
  const framed = documentInside(element);
  if (framed !== null) return sizeOf(scrollerOf(framed), 'scrollHeight') - sizeOf(element, 'clientHeight');
  return sizeOf(element, 'scrollHeight') - sizeOf(element, 'clientHeight');
}

/** Returns the height that the page itself scrolls, in CSS pixels. */
export function ownHeight(): number {
  const root = pageScroller();
  return root === null || isLocked() ? 0 : sizeOf(root, 'scrollHeight') - innerHeight;
}

/**
 * Returns the elements and frames that scroll the content of the page instead of the page itself, those with the
 * largest visible area first. Only those that hide more than `least`, the height that the page itself scrolls.
 */
export function findShells(least = ownHeight()): Element[] {
  const leastHeight = innerHeight * LEAST_HEIGHT;
  return everywhere('*')
    .filter((element) => sizeOf(element, 'clientHeight') >= leastHeight && isShell(element, least))
    .toArray()
    .toSorted((a, b) => areaInWindow(b) - areaInWindow(a));
}

/** True if the element hides more than `least`, and fills much of the window. */
export function isShell(element: Element, least: number): boolean {
  return (
    hiddenBy(element) > Math.max(MAX_ACCIDENT, least) &&
    areaInWindow(element) > 0 &&
    scrolls(element) &&
    isRendered(element, { visibilityProperty: true, opacityProperty: true })
  );
}

function scrolls(element: Element): boolean {
  const framed = documentInside(element);
  if (framed === null) return isScroller(element);
  return computed(scrollerOf(framed)).overflowY !== 'hidden';
}

function scrollerOf(framed: Document): Element {
  return read(Document.prototype, framed, 'scrollingElement') ?? read(Document.prototype, framed, 'documentElement');
}

/** True if the user can't scroll the page itself, for example below an open dialog. */
function isLocked(): boolean {
  return [rootElement(), bodyOf(document)].some(
    (element) => element !== null && isOfWindow(element) && /hidden|clip/.test(computed(element).overflowY),
  );
}

/**
 * True if a box that fills the window hides text or pictures which only a script can bring into view, as slides do and
 * boxes with their own scroll bars.
 */
export function hidesContent(): boolean {
  return everywhere('*').some(
    (element) =>
      sizeOf(element, 'clientHeight') >= innerHeight * LEAST_HEIGHT &&
      hiddenBy(element) >= innerHeight * LEAST_HEIGHT &&
      areaInWindow(element) > (innerWidth * innerHeight) / 2 &&
      computed(element).overflowY === 'hidden' &&
      !isOfWindow(element) &&
      insideOf(element).some(endsBelowWindow),
  );
}

function endsBelowWindow(element: Element): boolean {
  return (
    bottomOfContent(element) > innerHeight * (1 + LEAST_HEIGHT) &&
    isRendered(element, { visibilityProperty: true, opacityProperty: true })
  );
}

/** Returns the visible area of an element that fills most of the window's height. 0 for others. */
function areaInWindow(element: Element): number {
  const { x, y, width, height } = inTopWindow(element, boxOf(element));
  const across = Math.min(x + width, innerWidth) - Math.max(x, 0);
  const down = Math.min(y + height, innerHeight) - Math.max(y, 0);
  return across < innerWidth * LEAST_WIDTH || down < innerHeight * LEAST_HEIGHT ? 0 : across * down;
}

/** Returns the lower edge of the text or picture that an element has itself. -Infinity for one without. */
export function bottomOfContent(element: Element): number {
  if (/^(?:img|svg|video|canvas|iframe|object|embed|input|textarea|select|button|hr)$/.test(nameOf(element)))
    return boxOf(element).bottom;
  let bottom = -Infinity;
  for (const node of read(Node.prototype, element, 'childNodes')) {
    if (typeOf(node) !== Node.TEXT_NODE || (node.nodeValue ?? '').trim() === '') continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    bottom = Math.max(bottom, range.getBoundingClientRect().bottom);
  }
  return bottom;
}
