/**
 * Takes the `!important` off what the page's own @page rules say, so that ours can win: of two such rules Chrome follows the first, and a
 * `:first` before either (Chromium 153). Sheets of other origins can't be read, and stay. Runs in the page.
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
      return; // of another origin
    }
  };
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) weakenSheet(sheet);
}
