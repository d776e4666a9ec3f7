/** Comments, rules that load nothing, addresses, imports and other strings of CSS. */
const TOKENS =
  /\/\*[^]*?(?:\*\/|$)|@(?:charset|namespace)\b[^;{}]{0,2000};?|url\(\s*(?:"((?:[^"\\\n]|\\[^])*)"|'((?:[^'\\\n]|\\[^])*)'|((?:[^\s"'()\\]|\\[^])*))\s*\)|@import\s+(?:"((?:[^"\\\n]|\\[^])*)"|'((?:[^'\\\n]|\\[^])*)')|"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'/gi;
const ESCAPE = /\\(?:([\dA-Fa-f]{1,6})\s?|([^\n]))/g;

/** Returns CSS with other addresses. @param replace returns the new address */
export function rewriteCss(css: string, replace: (address: string) => string): string {
  return css.replaceAll(TOKENS, (whole, ...groups: readonly (string | undefined)[]) => {
    if (/^@charset/i.test(whole)) return '';
    const [inDouble, inSingle, bare, importedDouble, importedSingle] = groups;
    const imported = importedDouble ?? importedSingle;
    const address = inDouble ?? inSingle ?? bare ?? imported;
    if (address === undefined) return whole;
    const written = `url("${replace(unescaped(address)).replaceAll(/["\\\n]/g, encodeURIComponent)}")`;
    return imported === undefined ? written : `@import ${written}`;
  });
}

function unescaped(text: string): string {
  return text.replaceAll(ESCAPE, (_whole, code: string | undefined, character: string | undefined) =>
    code === undefined ? (character ?? '') : String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10_ff_ff)),
  );
}
