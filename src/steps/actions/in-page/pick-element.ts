import type { RootsOf } from '../../in-page/roots-of.ts';

/**
 * The element that a visitor would mean: the first match that is visible, or the first where none is, so that it can be said of that one
 * that it is not. Where a menu is there twice, once for phones, the other is hidden. Null when nothing matches. Runs in the page.
 */
export function pickElement(selector: string, rootsOf: RootsOf): Element | null {
  const maxLooks = 2_000; // each may lay the page out anew
  let first: Element | null = null;
  let looks = 0;
  for (const root of rootsOf(document)) {
    for (const element of root.querySelectorAll(selector)) {
      first ??= element;
      const { width, height } = element.getBoundingClientRect();
      if (width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true })) return element;
      if (++looks >= maxLooks) return first;
    }
  }
  return first;
}
