import { findElement } from './find-element.ts';
import { bodyOf, rootElement } from './nodes.ts';

/**
 * True if the first match is the root element or the body: they are the page, whatever their height is. Runs in the
 * page.
 */
export function selectsPage(selector: string): boolean {
  const found = findElement(selector);
  return found !== null && (found === rootElement() || found === bodyOf(document));
}
