/**
 * Characters that can end a text, an attribute without quotes, a string or comment of a script, or a declaration of a
 * style.
 */
const SPECIAL = /[^A-Za-z0-9#%,\-._\u0080-\u2027\u202a-\u{10ffff}]/gu;

/**
 * Escapes a value for HTML. Also escapes white space and all punctuation that has a meaning in scripts and styles. So a
 * value stays inside an attribute without quotes, and inside a string of a script, where browsers don't decode the
 * references.
 */
export function escapeValue(value: unknown): string {
  return toText(value).replaceAll(SPECIAL, (character) => `&#${character.codePointAt(0)};`);
}

const SAFE_PROTOCOLS = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** Returns the address if it is relative, or a link that runs no script. Otherwise `about:blank`. */
export function toSafeUrl(value: unknown): string {
  const address = toText(value);
  // The parser of browsers, which ignores white space in `java\nscript:`.
  const protocol = URL.parse(address, 'https://template.invalid/')?.protocol;
  return protocol !== undefined && SAFE_PROTOCOLS.has(protocol) ? address : 'about:blank';
}

/**
 * Returns JSON that can't end a script element or its strings. Only for script elements: attributes need other
 * characters escaped.
 */
export function toScriptJson(value: unknown): string {
  const json: string | undefined = JSON.stringify(value ?? null);
  return (json ?? 'null').replaceAll(/[<>&'`\u2028\u2029]/g, (character) => {
    return String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Returns the text that Liquid shows for a value: nothing for a missing one, and the joined entries of a list. */
function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(toText).join('');
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number') return `${value}`;
  const json: string | undefined = JSON.stringify(value);
  return json ?? '';
}
