/** Accents that stand alone, and those that join the letter before them, with the latter. */
export const ACCENTS: Readonly<Record<string, string>> = {
  '`': '\u0300',
  '\u00b4': '\u0301',
  '\u02c6': '\u0302',
  '\u02dc': '\u0303',
  '\u00af': '\u0304',
  '\u02d8': '\u0306',
  '\u02d9': '\u0307',
  '\u00a8': '\u0308',
  '\u02da': '\u030a',
  '\u02dd': '\u030b',
  '\u02c7': '\u030c',
  '\u00b8': '\u0327',
  '\u02db': '\u0328',
  '\u0308': '\u0308',
  '\u0301': '\u0301',
  '\u030c': '\u030c',
};

/** Adds an accent to the last letter. TeX writes accents over letters without a dot. */
export function withAccent(text: string, mark: string): string {
  return text.replace(/\u0131$/, 'i').replace(/\u0237$/, 'j') + mark;
}
