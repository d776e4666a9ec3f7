import type { RootsOf } from './roots-of.ts';

/**
 * The first match in the document, then in its open shadow trees and frames of the same origin. Null when there is none. Runs in the
 * page.
 */
export function findElement(selector: string, rootsOf: RootsOf): Element | null {
  for (const root of rootsOf(document)) {
    const found = root.querySelector(selector);
    if (found !== null) return found;
  }
  return null;
}
