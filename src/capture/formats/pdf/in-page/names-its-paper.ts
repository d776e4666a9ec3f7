/** Whether a rule of the page may name the paper that it is printed on (`@page { size }`); also where its rules can't be read. Runs in the page. */
export function namesItsPaper(): boolean {
  const mayName = (rule: CSSRule): boolean =>
    rule instanceof CSSImportRule || /@page[^}]*\bsize\s*:/.test(rule.cssText);
  return [...document.styleSheets].some((sheet) => {
    try {
      return [...sheet.cssRules].some(mayName);
    } catch {
      return true; // of another origin
    }
  });
}
