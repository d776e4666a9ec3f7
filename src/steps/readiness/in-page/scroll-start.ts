/**
 * Loads lazy pictures and frames at once, because some never come into view by scrolling (in a carousel, or hidden).
 * Returns the scroll height in CSS pixels, and whether anything would notice scrolling. Runs in the page.
 */
export function scrollStart(
  isScripted: boolean,
  canAct: () => boolean,
): { height: number; step: number; isNoticed: boolean } {
  for (const lazy of document.querySelectorAll('[loading="lazy" i]')) lazy.setAttribute('loading', 'eager');
  const root = document.scrollingElement ?? document.querySelector(':root'); // pages can remove the root element
  return { height: root?.scrollHeight ?? 0, step: innerHeight, isNoticed: isScripted || canAct() };
}
