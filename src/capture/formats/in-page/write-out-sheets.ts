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
    const style = (root.ownerDocument ?? document).createElement('style');
    style.textContent = rules.join('\n');
    (
      root.querySelector('head') ??
      (root.ownerDocument === null ? root.querySelector('html') : root) ??
      root
    ).append(style);
  }
}
