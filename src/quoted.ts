/** Control, format and line-separating characters, except the joiners that scripts and emoji need. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Quotes untrusted text for a line that the service writes: one line, quotes and invisible characters escaped, at most `maxLength`
 * characters of the text. So a page can't forge a line, or words of the service, by a line break, a quote or a bidi control.
 */
export function quoted(text: string, maxLength: number): string {
  return JSON.stringify(text.slice(0, maxLength).toWellFormed()).replaceAll(INVISIBLE, escapeCharacter);
}

/** Escapes what would break a line of text that is the service's own but for a few words. */
export function onOneLine(text: string): string {
  return text.toWellFormed().replaceAll(INVISIBLE, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return point > 0xff_ff
    ? String.raw`\u{${point.toString(16)}}`
    : String.raw`\u${point.toString(16).padStart(4, '0')}`;
}
