import { sheetsOf, viewOf } from './nodes.ts';
import { rootsOf } from './roots-of.ts';

/**
 * Adds CSS rules to the page, its same-origin frames and open shadow trees. Uses constructed style sheets, which no
 * content security policy blocks and which leave the markup unchanged. Repeated calls with the same name replace the
 * rules. Runs in the page.
 */
export function adoptStyleSheet(css: string, name = css): void {
  adopt(name, (sheet) => sheet.replaceSync(css), name !== css);
}

/** Adds the CSS of a client and further rules. A rule that is not closed ends with itself. Runs in the page. */
export function adoptRulesOfClient(css: string, rules: readonly string[]): void {
  if (css !== '') adoptStyleSheet(css);
  if (rules.length === 0) return;
  const fill = (sheet: CSSStyleSheet): void => {
    for (const rule of rules) {
      try {
        sheet.insertRule(rule);
      } catch {
        // the other rules apply
      }
    }
  };
  adopt(rules.join(' '), fill, false);
}

/** Adds one sheet for each document, which its shadow trees share: each of 8,000 trees had 100 sheets of its own. */
function adopt(name: string, fill: (sheet: CSSStyleSheet) => void, isReplaced: boolean): void {
  const ofViews = new Map<Window, CSSStyleSheet>();
  const filled = new Set<CSSStyleSheet>();
  for (const root of rootsOf()) {
    const view = viewOf(root);
    if (view === null) continue;
    const known = sheetsOf(root).find((each) => Reflect.get(each, 'rulesOfClient') === name);
    // A style sheet belongs to the document of its window.
    const sheet = known ?? ofViews.get(view) ?? new view.CSSStyleSheet();
    const isNew = known === undefined && !ofViews.has(view);
    ofViews.set(view, sheet);
    if (!filled.has(sheet) && (isNew || isReplaced)) {
      filled.add(sheet);
      fill(sheet);
    }
    if (known !== undefined) continue;
    sheetsOf(root).push(sheet);
    Reflect.set(sheet, 'rulesOfClient', name); // in the isolated world, invisible to the page
  }
}
