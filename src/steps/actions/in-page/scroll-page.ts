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
  const root = document.scrollingElement ?? document.querySelector(':root'); // pages can remove the root element
  if (root === null) return;
  const isScrollable = (element: Element): boolean =>
    element.scrollHeight > element.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(element).overflowY);
  let scroller: Element | null = root;
  if (root.scrollHeight <= innerHeight && root.scrollWidth <= innerWidth) {
    scroller = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
    while (scroller !== null && !isScrollable(scroller)) scroller = scroller.parentElement;
    scroller ??= root;
  }
  const ends = { top: 0, bottom: scroller.scrollHeight };
  const top = to === undefined ? y : ends[to];
  scroller.scrollTo({
    behavior: 'instant',
    ...(x !== undefined && { left: x }),
    ...(top !== undefined && { top }),
  });
}
