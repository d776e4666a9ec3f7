import type { RootsOf } from './roots-of.ts';

/** Type of `adoptStyleSheet`. */
export type AdoptStyleSheet = (css: string, rootsOf: RootsOf) => void;

/**
 * Adds CSS rules to the page, its same-origin frames and open shadow trees. Uses constructed style sheets, which no
 * content security policy blocks and which leave the markup unchanged. Repeated calls with the same name replace the
 * rules. Runs in the page.
 */
export function adoptStyleSheet(css: string, rootsOf: RootsOf, name = css): void {
  for (const root of rootsOf(document)) {
    const view = ('defaultView' in root ? root : root.ownerDocument).defaultView;
    const known = root.adoptedStyleSheets.find((sheet) => Reflect.get(sheet, 'rulesOfClient') === name);
    if (name !== css) known?.replaceSync(css);
    if (known !== undefined || view === null) continue;
    const sheet = new view.CSSStyleSheet(); // a style sheet belongs to the document of its window
    sheet.replaceSync(css);
    Reflect.set(sheet, 'rulesOfClient', name); // property in the isolated world, invisible to the page
    root.adoptedStyleSheets.push(sheet);
  }
}

/** Adopts several style sheets. An unclosed comment or rule ends with its own sheet. Runs in the page. */
export function adoptStyleSheets(sheets: readonly string[], rootsOf: RootsOf, adopt: AdoptStyleSheet): void {
  for (const css of sheets) adopt(css, rootsOf);
}
