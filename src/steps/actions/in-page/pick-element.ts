import type { RootsOf } from '../../in-page/roots-of.ts';

/**
 * Returns the first visible match, or the first match if none is visible, so that the error can report it. For example,
 * a menu may exist twice, once for phones. Null if nothing matches. Runs in the page.
 */
export function pickElement(selector: string, rootsOf: RootsOf): Element | null {
  const maxChecks = 2_000; // each check may cause a layout
  let first: Element | null = null;
  let checks = 0;
  for (const root of rootsOf(document)) {
    for (const element of root.querySelectorAll(selector)) {
      first ??= element;
      const { width, height } = element.getBoundingClientRect();
      if (width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true })) return element;
      if (++checks >= maxChecks) return first;
    }
  }
  return first;
}
