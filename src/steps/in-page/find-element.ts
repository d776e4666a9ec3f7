import type { RootsOf } from './roots-of.ts';

/**
 * Returns the first match in the document, its open shadow trees and same-origin frames. Null if there is none. Runs in
 * the page.
 */
export function findElement(selector: string, rootsOf: RootsOf): Element | null {
  for (const root of rootsOf(document)) {
    const found = root.querySelector(selector);
    if (found !== null) return found;
  }
  return null;
}
