import { adoptRules, sheetsOf } from './nodes.ts';
import { rootsOf } from './roots-of.ts';

/**
 * Adds CSS rules to the page, its same-origin frames and open shadow trees. Uses constructed style sheets, which no
 * content security policy blocks and which leave the markup unchanged. Repeated calls with the same name replace the
 * rules. Runs in the page.
 */
export function adoptStyleSheet(css: string, name = css): void {
  for (const root of rootsOf()) {
    const known = sheetsOf(root).find((sheet) => Reflect.get(sheet, 'rulesOfClient') === name);
    if (name !== css) known?.replaceSync(css);
    if (known !== undefined) continue;
    const sheet = adoptRules(root, css);
    if (sheet !== undefined) Reflect.set(sheet, 'rulesOfClient', name); // in the isolated world, invisible to the page
  }
}

/** Adopts several style sheets. An unclosed comment or rule ends with its own sheet. Runs in the page. */
export function adoptStyleSheets(sheets: readonly string[]): void {
  for (const css of sheets) adoptStyleSheet(css);
}
