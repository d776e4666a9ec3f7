import { sizeOf } from '../../../in-page/clippers.ts';
import { boxOf, pageScroller, read, scrollElement } from '../../../in-page/nodes.ts';
import { styleForPicture } from '../../../in-page/for-picture.ts';
import { documentInside, everywhere } from '../../../in-page/roots-of.ts';
import { loadLazy } from './load-lazy.ts';
import { findShells } from './shells.ts';

/** Something that is scrolled through: the page, a shell, or the area of an element. */
export interface Target {
  readonly element: Element;
  /** True if its content is scrolled. False if it is scrolled past the window. */
  readonly isScroller: boolean;
}

/** Lengths of a target in CSS pixels. */
export interface Extent {
  readonly height: number;
  /** Height of its visible part. */
  readonly step: number;
}

export const LAZY = '[loading="lazy" i]';
const TARGETS = 'captureTargets'; // property of the isolated world's window, invisible to the page

/** Chooses the page and its shells as targets. Returns their extents. Runs in the page. */
export function aimAtPage(): Extent[] {
  loadLazy(everywhere(LAZY));
  const root = pageScroller();
  return aim((root === null ? [] : [root]).concat(findShells()).map((element) => ({ element, isScroller: true })));
}

/** Chooses the targets. Returns their extents. */
export function aim(targets: readonly Target[]): Extent[] {
  Reflect.set(globalThis, TARGETS, targets);
  return targets.map(measure);
}

/** True for a part of the element that is captured. */
export function isInTarget(element: Element): boolean {
  const target = targetAt(0);
  return target?.isScroller === false && Node.prototype.contains.call(target.element, element);
}

/** Returns the present extent of a target. */
export function extentOf(index: number): Extent {
  const target = targetAt(index);
  return target === undefined ? { height: 0, step: innerHeight } : measure(target);
}

/** Loads the pictures that have appeared, and returns the extent of a target. Runs in the page. */
export function loadAround(index: number): Extent {
  loadLazy(everywhere(LAZY));
  return extentOf(index);
}

/** Scrolls a target. */
export function scrollTarget(index: number, top: number): void {
  const target = targetAt(index);
  if (target === undefined) return;
  if (target.isScroller) scrollElement(scrolledBy(target), { top });
  else scrollPast(target.element, top);
}

/** Undefined if another document has replaced the one of the targets. */
function targetAt(index: number): Target | undefined {
  const targets: unknown = Reflect.get(globalThis, TARGETS);
  return Array.isArray(targets) ? targets[index] : undefined;
}

function measure(target: Target): Extent {
  if (!target.isScroller) return { height: boxOf(target.element).height, step: innerHeight };
  const scroller = scrolledBy(target);
  const isPage = scroller === pageScroller();
  return {
    height: sizeOf(scroller, 'scrollHeight'),
    step: isPage ? innerHeight : sizeOf(target.element, 'clientHeight'),
  };
}

function scrolledBy({ element }: Target): Element {
  const framed = documentInside(element);
  return framed === null ? element : (read(Document.prototype, framed, 'scrollingElement') ?? element);
}

/** Scrolls everything around an element, so that a place in it is at the top of the window. */
function scrollPast(element: Element, top: number): void {
  styleForPicture(element, { 'scroll-margin-top': `${-top}px` });
  Element.prototype.scrollIntoView.call(element, { block: 'start', inline: 'nearest', behavior: 'instant' });
}
