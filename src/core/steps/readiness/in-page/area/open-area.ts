import { clippersOf, isScroller } from '../../../in-page/clippers.ts';
import { bringIntoView } from '../../../in-page/bring-into-view.ts';
import { shownBy } from '../../../in-page/element-box.ts';
import { boxOf, computed, first, matches, outerOf, read, scrollElement } from '../../../in-page/nodes.ts';
import { styleForPicture } from '../../../in-page/for-picture.ts';
import { type Box, inTopWindow } from '../../../in-page/placement.ts';
import { documentInside, everywhere } from '../../../in-page/roots-of.ts';
import { insideOf } from './inside-of.ts';
import { loadLazy } from './load-lazy.ts';
import { openScroller } from './open-scroller.ts';
import { aim, type Extent, LAZY } from './scroll-targets.ts';
import { findShells, hidesContent, isShell, ownHeight } from './shells.ts';
import { reachesItsEnd, isVirtual } from './virtual.ts';

// What makes an area complete: the whole page, a rectangle of it, or an element.

const MOST_SHELLS = 4;
const IN_PLACE = { inFlow: false, isPrinted: false };

/** Elements that are searched for one that sticks to the window. */
const MOST_SEARCHED = 20_000;

/**
 * True if something scrolls instead of the page or sticks to the window, or hides what only a script can show. On
 * paper, the page may place all of it by other rules. Runs in the page.
 */
export function dependsOnWindow(): boolean {
  const least = ownHeight();
  if (findShells(least).length > 0 || (least <= 0 && hidesContent())) return true;
  return everywhere('*')
    .take(MOST_SEARCHED)
    .some((element) => computed(element).position === 'sticky');
}

/**
 * Opens what scrolls instead of the page. True if content stays hidden: a list contains only the items that are
 * scrolled to, or only a script can show it. Runs in the page.
 */
export function openShells(isPrinted: boolean): boolean {
  openPicture();
  const least = ownHeight(); // an open shell makes the page scroll
  const seen = new Set<Element>();
  let isCut = false;
  while (seen.size < MOST_SHELLS) {
    const shell = findShells(least).find((each) => !seen.has(each));
    if (shell === undefined) break;
    seen.add(shell);
    // Opened, the layers of a scroller with perspective would move apart.
    if (isVirtual(shell) || computed(shell).perspective !== 'none') isCut = true;
    else {
      openScroller(shell, { inFlow: true, isPrinted });
      if (isPrinted && !reachesItsEnd(shell)) isCut = true;
    }
  }
  return isCut || (seen.size === 0 && least <= 0 && hidesContent());
}

/** Shows a picture in its own size, if the address of the page is one. Chrome fits it into the window. */
function openPicture(): void {
  if (!read(Document.prototype, document, 'contentType').startsWith('image/')) return;
  const picture = first(document, 'body > img:only-child');
  if (picture !== null)
    styleForPicture(picture, { width: 'auto', height: 'auto', 'max-width': 'none', 'max-height': 'none' });
}

/**
 * Lays out and paints content that the browser skips while it is out of view (`content-visibility: auto`): its
 * estimated size would be wrong. Runs in the page.
 */
export function revealSkipped(): void {
  reveal(everywhere(':not(table, tbody, thead, tfoot, tr, th, td)')); // parts of tables are never skipped
}

/**
 * Scrolls an element into view, and opens what still cuts it, and the element itself if it scrolls instead of the page.
 * Runs in the page.
 */
export async function showElement(element: Element): Promise<void> {
  if (!isInView(element)) await bringIntoView(element);
  if (isShell(element, ownHeight()) && !isVirtual(element)) openScroller(element, IN_PLACE);
  for (const clipper of clippersOf(element)) {
    const box = inTopWindow(element, boxOf(element));
    const shown = inTopWindow(clipper, shownBy(clipper));
    if (isHigher(box, shown) && (isScroller(clipper) || documentInside(clipper) !== null))
      openScroller(clipper, IN_PLACE);
    else if (isHigher(box, shown)) scrollElement(clipper, { top: 0 }); // a user can't scroll it
    if (box.width > shown.width + 1 && /auto|scroll|overlay/.test(computed(clipper).overflowX))
      styleForPicture(clipper, { overflow: 'visible' });
  }
}

function isHigher(box: Box, shown: Box): boolean {
  return box.y < shown.y - 1 || box.y + box.height > shown.y + shown.height + 1;
}

/**
 * Reveals and loads everything inside an element. Returns what has to be scrolled through: nothing if the element is in
 * view. Runs in the page.
 */
export function fillElement(element: Element): Extent[] {
  const around: Element[] = [];
  for (let outer = outerOf(element); outer !== null; outer = outerOf(outer)) around.push(outer);
  const inside = [...insideOf(element)];
  reveal([...around, element, ...inside]);
  loadLazy([element, ...inside].filter((inner) => matches(inner, LAZY)));
  const targets = aim([{ element, isScroller: false }]);
  return isInView(element) ? [] : targets;
}

function isInView(element: Element): boolean {
  const { x, y, width, height } = inTopWindow(element, boxOf(element));
  const isInWindow = x >= 0 && y >= 0 && x + width <= innerWidth && y + height <= innerHeight;
  return isInWindow && ![...clippersOf(element)].some((clipper) => cuts(clipper, element));
}

function cuts(clipper: Element, element: Element): boolean {
  const box = inTopWindow(element, boxOf(element));
  const shown = inTopWindow(clipper, shownBy(clipper));
  return isHigher(box, shown) || box.x < shown.x - 1 || box.x + box.width > shown.x + shown.width + 1;
}

function reveal(elements: Iterable<Element>): void {
  const skipped: Element[] = [];
  for (const element of elements) if (computed(element).contentVisibility === 'auto') skipped.push(element);
  for (const element of skipped) styleForPicture(element, { 'content-visibility': 'visible' });
}
