import type { RootsOf } from './roots-of.ts';

/** Lays rules over a page, as `adoptStyleSheet`. */
export type AdoptStyleSheet = (css: string, rootsOf: RootsOf) => void;

/**
 * Lays the rules over the page, its frames of the same origin and its open shadow trees. Constructed sheets: no policy of the
 * page forbids them, and its markup stays as it is. Once for each tree, however often it is called; of the same name, the last rules
 * hold. Runs in the page.
 */
export function adoptStyleSheet(css: string, rootsOf: RootsOf, name = css): void {
  for (const root of rootsOf(document)) {
    const view = ('defaultView' in root ? root : root.ownerDocument).defaultView;
    const known = root.adoptedStyleSheets.find((sheet) => Reflect.get(sheet, 'rulesOfClient') === name);
    if (name !== css) known?.replaceSync(css);
    if (known !== undefined || view === null) continue;
    const sheet = new view.CSSStyleSheet(); // a sheet belongs to the document of its window
    sheet.replaceSync(css);
    Reflect.set(sheet, 'rulesOfClient', name); // in our world only: the page does not see it
    root.adoptedStyleSheets.push(sheet);
  }
}
