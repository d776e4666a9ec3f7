import type { RootsOf } from '../../../steps/in-page/roots-of.ts';

/**
 * Makes elements of the style sheets that scripts have given to the document, its frames and its shadow trees, ours among them: a saved
 * page has those of elements alone (Chromium 153). Runs in the page.
 */
export function writeOutSheets(rootsOf: RootsOf): void {
  const own: unknown = Reflect.get(globalThis, 'captureOwnChange'); // whoever watches for changes of the page
  if (typeof own === 'function') own();
  for (const root of rootsOf(document)) {
    const rules = [...root.adoptedStyleSheets].flatMap(({ cssRules }) =>
      [...cssRules].map(({ cssText }) => cssText),
    );
    if (rules.length === 0) continue;
    // By its namespace: in an XML document, `createElement` makes an element that is no style.
    const style = (root.ownerDocument ?? root).createElementNS('http://www.w3.org/1999/xhtml', 'style');
    style.textContent = rules.join('\n');
    const parent = root.ownerDocument === null ? root.querySelector(':root') : root; // a page may remove its root
    (root.querySelector('head') ?? parent)?.append(style);
  }
}
