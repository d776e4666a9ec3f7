import { sizeOf } from '../../../in-page/clippers.ts';
import { boxOf, computed, outerOf, pageScroller, read, rootElement } from '../../../in-page/nodes.ts';
import { documentInside, everywhere } from '../../../in-page/roots-of.ts';
import { insideOf } from './inside-of.ts';
import { bottomOfContent } from './shells.ts';

// Lists that contain only the items that are scrolled to.

/**
 * True for a list that contains only the items that are scrolled to, so that opening it shows nothing more: of a
 * content of four screens or more, nothing begins below the third, and no text or picture reaches below it.
 */
export function isVirtual(scroller: Element): boolean {
  const { top, height } = boxOf(scroller);
  if (documentInside(scroller) !== null || sizeOf(scroller, 'scrollHeight') < 4 * height) return false;
  const end = top + 3 * height;
  const isBelow = (element: Element): boolean =>
    bottomOfContent(element) > end || (isLeaf(element) && boxOf(element).top >= end - 1);
  return ![...insideOf(scroller)].toReversed().some(isBelow);
}

/**
 * True if an opened list has items to its end, at the latest after it was told of its new height. A window that had the
 * height of the paper before does not tell it.
 */
export function reachesItsEnd(opened: Element): boolean {
  const reachesEnd = (): boolean => {
    const end = boxOf(opened).bottom - innerHeight / 2;
    return end <= innerHeight || [...insideOf(opened)].toReversed().some((element) => bottomOfContent(element) > end);
  };
  if (reachesEnd()) return true;
  for (const target of [opened, globalThis])
    for (const type of ['scroll', 'resize']) EventTarget.prototype.dispatchEvent.call(target, new Event(type));
  return reachesEnd();
}

/** Screens that a footer fills at most, and screens of a page from which it may have one. */
const MOST_FOOTER = 1.5;
const LEAST_WITH_FOOTER = 8;

/** A page that is such a list, in CSS pixels. */
interface VirtualPage {
  readonly height: number;
  /** False if a part of the page fills the window, and would grow with it. */
  readonly mayGrow: boolean;
}

/** Returns undefined for a page that has content in its middle, or nowhere to scroll to. Runs in the page. */
export function virtualPage(): VirtualPage | undefined {
  const height = pageHeight();
  if (height < 4 * innerHeight || hasContentInMiddle(innerHeight)) return undefined;
  return { height, mayGrow: !everywhere('*').some(fillsWindow) };
}

/** True if the window shows text or a picture that moves with the page. Runs in the page. */
export function showsContent(): boolean {
  const root = rootElement();
  return root !== null && insideOf(root).some((element) => isShown(element) && !isHeldByWindow(element));
}

function isShown(element: Element): boolean {
  return bottomOfContent(element) > 0 && boxOf(element).top < innerHeight;
}

/** True for a part of a fixed or sticky element. */
export function isHeldByWindow(element: Element): boolean {
  for (let outer: Element | null = element; outer !== null; outer = outerOf(outer))
    if (/^(?:fixed|sticky)$/.test(computed(outer).position)) return true;
  return false;
}

/** Lets the page see that its window is taller: many lists look at the window when it is scrolled. Runs in the page. */
export function announceWindow(): void {
  document.dispatchEvent(new Event('scroll', { bubbles: true }));
}

/** Returns the height of the page in CSS pixels. Runs in the page. */
export function pageHeight(): number {
  const root = pageScroller();
  return root === null ? 0 : sizeOf(root, 'scrollHeight');
}

/**
 * True if the page has text, a picture or a colour below its first three screens, not counting a footer at the
 * end of a high page. Runs in the page.
 * @param screen height of a screen in CSS pixels
 */
export function hasContentInMiddle(screen: number): boolean {
  const root = rootElement();
  const [from, height] = [3 * screen, pageHeight()];
  const to = height < LEAST_WITH_FOOTER * screen ? Infinity : height - MOST_FOOTER * screen;
  const isBetween = (place: number): boolean => place > from && place <= to;
  const inside = root === null ? [] : [...insideOf(root)].toReversed();
  return inside.some(
    (element) =>
      isBetween(bottomOfContent(element)) ||
      (isLeaf(element) && isBetween(boxOf(element).top + 2) && isPainted(element)),
  );
}

function isPainted(element: Element): boolean {
  const { backgroundColor, backgroundImage, borderBottomWidth } = computed(element);
  return !/^rgba\(.*, 0\)$/.test(backgroundColor) || backgroundImage !== 'none' || borderBottomWidth !== '0px';
}

/** True for a part of the page that is as large as the window, and no wrapper of taller content. */
function fillsWindow(element: Element): boolean {
  const { width, height } = boxOf(element);
  if (Math.abs(height - innerHeight) > 1 || width <= innerWidth / 2) return false;
  return sizeOf(element, 'scrollHeight') <= sizeOf(element, 'clientHeight') + 1;
}

function isLeaf(element: Element): boolean {
  return read(Element.prototype, element, 'childElementCount') === 0;
}
