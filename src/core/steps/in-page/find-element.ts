import { first } from './nodes.ts';
import { rootsOf } from './roots-of.ts';

/**
 * Returns the first match in the document, its open shadow trees and same-origin frames. Null if there is none. Runs in
 * the page.
 */
export function findElement(selector: string): Element | null {
  for (const root of rootsOf()) {
    const found = first(root, selector);
    if (found !== null) return found;
  }
  return null;
}

/** True if the browser accepts the text as a CSS selector. Runs in the page. */
export function isSelector(selector: string): boolean {
  try {
    first(new DocumentFragment(), selector);
    return true;
  } catch {
    return false;
  }
}
