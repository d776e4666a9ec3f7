import { computed, pageScroller, parentElementOf, read, scrollElement } from '../../../core/steps/in-page/nodes.ts';

/** A position in CSS pixels from the top left corner of the page, or an end of the page. */
export type ScrollGoal = {
  readonly to?: 'top' | 'bottom' | undefined;
  readonly x?: number | undefined;
  readonly y?: number | undefined;
};

/**
 * Scrolls the page. If the page itself does not scroll, scrolls the element that a mouse wheel in the middle of the
 * window would scroll. Runs in the page.
 */
export function scrollPage({ to, x, y }: ScrollGoal): void {
  const root = pageScroller();
  if (root === null) return;
  const isScrollable = (element: Element): boolean =>
    size(element, 'scrollHeight') > size(element, 'clientHeight') + 1 &&
    /auto|scroll/.test(computed(element).overflowY);
  let scroller: Element | null = root;
  if (size(root, 'scrollHeight') <= innerHeight && size(root, 'scrollWidth') <= innerWidth) {
    scroller = Document.prototype.elementFromPoint.call(document, innerWidth / 2, innerHeight / 2);
    while (scroller !== null && !isScrollable(scroller)) scroller = parentElementOf(scroller);
    scroller ??= root;
  }
  const ends = { top: 0, bottom: size(scroller, 'scrollHeight') };
  const top = to === undefined ? y : ends[to];
  scrollElement(scroller, {
    ...(x !== undefined && { left: x }),
    ...(top !== undefined && { top }),
  });
}

function size(element: Element, name: 'scrollHeight' | 'scrollWidth' | 'clientHeight'): number {
  return read(Element.prototype, element, name);
}
