/** True if the page may set its paper size (`@page { size }`), or has unreadable style sheets. Runs in the page. */
export function namesItsPaper(): boolean {
  const mayName = (rule: CSSRule): boolean =>
    rule instanceof CSSImportRule || /@page[^}]*\bsize\s*:/.test(rule.cssText);
  return [...document.styleSheets].some((sheet) => {
    try {
      return [...sheet.cssRules].some(mayName);
    } catch {
      return true; // cross-origin style sheet
    }
  });
}
