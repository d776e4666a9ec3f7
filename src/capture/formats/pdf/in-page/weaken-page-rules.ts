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
  const weakenRule = (style: CSSPageRule['style']): void => {
    for (const name of Array.from(style)) {
      if (style.getPropertyPriority(name) !== '') style.setProperty(name, style.getPropertyValue(name));
    }
  };
  const weakenSheet = (sheet: CSSStyleSheet | null): void => {
    try {
      if (sheet !== null) weaken(sheet.cssRules);
    } catch {
      return; // cross-origin style sheet
    }
  };
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) weakenSheet(sheet);
}
