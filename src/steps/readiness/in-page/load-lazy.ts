import { all, computed, pageScroller, read, setAttribute, setStyles } from '../../in-page/nodes.ts';
import { everywhere } from '../../in-page/roots-of.ts';
import { canAct } from './can-act.ts';

/**
 * Lays out and paints content that the browser skips while it is out of view (`content-visibility: auto`). A full-page
 * picture shows it, and its estimated size would be wrong. Runs in the page.
 */
export function revealSkipped(): void {
  for (const element of everywhere('*'))
    if (computed(element).contentVisibility === 'auto') setStyles(element, { 'content-visibility': 'visible' });
}

/**
 * Loads lazy pictures and frames at once, because some never come into view by scrolling (in a carousel, or hidden).
 * Returns the scroll height in CSS pixels, and whether anything would notice scrolling. Runs in the page.
 */
export function scrollStart(isScripted: boolean): { height: number; step: number; isNoticed: boolean } {
  for (const lazy of all(document, '[loading="lazy" i]')) setAttribute(lazy, 'loading', 'eager');
  const root = pageScroller();
  const height = root === null ? 0 : read(Element.prototype, root, 'scrollHeight');
  return { height, step: innerHeight, isNoticed: isScripted || canAct() };
}
