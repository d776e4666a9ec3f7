import { read, sheetsOf } from '../../../../steps/in-page/nodes.ts';

/**
 * Removes `!important` from the page's own @page rules, so that ours win: Chrome prefers the first such rule, and
 * `:first` over both (Chromium 153). Cross-origin style sheets can't be changed. Runs in the page.
 */
export function weakenPageRules(maxRules: number): void {
  let seen = 0;
  const weaken = (rules: CSSRuleList): void => {
    for (const rule of rules) {
      if (seen++ > maxRules) return;
      if (rule instanceof CSSImportRule) weakenSheet(rule.styleSheet);
      else if (rule instanceof CSSPageRule) weakenRule(rule.style);
      else if (rule instanceof CSSGroupingRule) weaken(rule.cssRules);
    }
  };
  const weakenSheet = (sheet: CSSStyleSheet | null): void => {
    try {
      if (sheet !== null) weaken(sheet.cssRules);
    } catch {
      return; // cross-origin style sheet
    }
  };
  for (const sheet of [...read(Document.prototype, document, 'styleSheets'), ...sheetsOf(document)]) weakenSheet(sheet);
}

/** True if the page may set its paper size (`@page { size }`), or has unreadable style sheets. Runs in the page. */
export function namesItsPaper(): boolean {
  return [...read(Document.prototype, document, 'styleSheets')].some((sheet) => {
    try {
      return [...sheet.cssRules].some(mayName);
    } catch {
      return true; // cross-origin style sheet
    }
  });
}

function weakenRule(style: CSSPageRule['style']): void {
  for (const name of Array.from(style)) {
    if (style.getPropertyPriority(name) !== '') style.setProperty(name, style.getPropertyValue(name));
  }
}

function mayName(rule: CSSRule): boolean {
  return rule instanceof CSSImportRule || /@page[^}]*\bsize\s*:/.test(rule.cssText);
}
