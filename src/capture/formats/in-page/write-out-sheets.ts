import type { RootsOf } from '../../../steps/in-page/roots-of.ts';

/**
 * Converts constructed style sheets of the document, frames and shadow trees to style elements, because a saved page
 * contains only those (Chromium 153). Runs in the page.
 */
export function writeOutSheets(rootsOf: RootsOf): void {
  const own: unknown = Reflect.get(globalThis, 'captureOwnChange'); // tells `watchChanges` that this change is ours
  if (typeof own === 'function') own();
  for (const root of rootsOf(document)) {
    const rules = [...root.adoptedStyleSheets].flatMap(({ cssRules }) => [...cssRules].map(({ cssText }) => cssText));
    if (rules.length === 0) continue;
    // Creates the element with the namespace, because `createElement` in an XML document does not create a style
    // element.
    const style = (root.ownerDocument ?? root).createElementNS('http://www.w3.org/1999/xhtml', 'style');
    style.textContent = rules.join('\n');
    // pages can remove the root element
    const parent = root.ownerDocument === null ? root.querySelector(':root') : root;
    (root.querySelector('head') ?? parent)?.append(style);
  }
}
