/** Control, format and line-separating characters, except the joiners that scripts and emoji need. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Quotes untrusted text for a line of the service: one line, quotes and invisible characters escaped, at most
 * `maxLength` characters of the text. So line breaks, quotes or bidi controls of a page can't forge lines or words of
 * the service.
 */
export function quoted(text: string, maxLength: number): string {
  return JSON.stringify(text.slice(0, maxLength).toWellFormed()).replaceAll(INVISIBLE, escapeCharacter);
}

/** Escapes line breaks in a text of the service that contains some untrusted words. */
export function onOneLine(text: string): string {
  return text.toWellFormed().replaceAll(INVISIBLE, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return point > 0xff_ff ? String.raw`\u{${point.toString(16)}}` : String.raw`\u${point.toString(16).padStart(4, '0')}`;
}
