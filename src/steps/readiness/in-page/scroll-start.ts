/**
 * Makes lazy pictures and frames load now, as those that no scrolling brings near (in a carousel, or not shown yet) would be waited for
 * in vain; and tells how far there is to scroll, in CSS pixels, and whether anything would notice. Runs in the page.
 */
export function scrollStart(
  isScripted: boolean,
  canAct: () => boolean,
): { height: number; step: number; isNoticed: boolean } {
  for (const lazy of document.querySelectorAll('[loading="lazy" i]')) lazy.setAttribute('loading', 'eager');
  const root = document.scrollingElement ?? document.querySelector(':root'); // a page may remove its root
  return { height: root?.scrollHeight ?? 0, step: innerHeight, isNoticed: isScripted || canAct() };
}
