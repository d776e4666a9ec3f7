import { boxOf, isRendered } from '../../../core/steps/in-page/nodes.ts';
import { everywhere } from '../../../core/steps/in-page/roots-of.ts';

/**
 * Returns the first visible match, or the first match if none is visible, so that the error can report it. For example,
 * a menu may exist twice, once for phones. Null if nothing matches. Runs in the page.
 */
export function pickElement(selector: string): Element | null {
  const maxChecks = 2_000; // each check may cause a layout
  let firstMatch: Element | null = null;
  let checks = 0;
  for (const element of everywhere(selector)) {
    firstMatch ??= element;
    const { width, height } = boxOf(element);
    if (width > 0 && height > 0 && isRendered(element, { visibilityProperty: true })) return element;
    if (++checks >= maxChecks) return firstMatch;
  }
  return firstMatch;
}
