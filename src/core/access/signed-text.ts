/**
 * The text that a signature covers. Uses web standards only, because the client signs with the same code in browsers.
 */

/**
 * The parameter that names the key in signed links of ScreenshotOne. Their text is a query with this parameter, ours
 * has none. So no signature is valid for both.
 */
export const THEIR_KEY = 'access_key';

/** A parameter whose value can be read as another parameter. */
interface HiddenField {
  /** Name of the parameter. */
  readonly name: string;
  /** Name of the field that its value hides. */
  readonly field: string;
}

/**
 * Returns the text to sign: all parameters except `signature`, sorted by name, with raw values. They are
 * percent-encoded later.
 */
export function stringToSign(params: ReadonlyMap<string, string>): string {
  return [...params]
    .filter(([name]) => name !== 'signature')
    .sort(([left], [right]) => compareCodePoints(left, right))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/**
 * Finds a value that makes the signed text ambiguous. With raw values, `url=https://a/?x=1&window_width=9` is one
 * parameter or two, and a holder could split or join them without changing the signature. Joining is worse: it hides
 * `expires` in a neighbour (`block_media=true&expires=9`, or a parameter named `expires=9&url`), and a link without
 * `expires` never ends. A link without `key` belongs to the default key.
 * @returns the first value that hides a field, `expires` or `key`; undefined if none does
 */
export function findHiddenField(
  params: ReadonlyMap<string, string>,
  knownFields: Iterable<string>,
): HiddenField | undefined {
  const fields = [...new Set([...knownFields, 'expires', 'key'])];
  for (const [name, value] of params) {
    if (`&${name}=${value}`.includes(`&${THEIR_KEY}=`)) return { name, field: THEIR_KEY };
    if (!value.includes('&')) continue;
    const field = fields.find((each) => compareCodePoints(each, name) > 0 && value.includes(`&${each}=`));
    if (field !== undefined) return { name, field };
  }
  return undefined;
}

/** Returns the problem and its fix, for the person who signs. */
export function describeHiddenField({ name, field }: HiddenField): string {
  if (name === field) return `"${name}" is not a known field`;
  return (
    `The value of "${name}" contains "&${field}=", which the signature cannot distinguish from the parameter ` +
    `"${field}". Percent-encode that "&" as %26 inside the target address, then sign again.`
  );
}

/** JavaScript compares UTF-16 units, which sorts U+1F600 before U+FF5E. UTF-8 bytes sort like code points. */
function compareCodePoints(left: string, right: string): number {
  const end = Math.min(left.length, right.length);
  for (let at = 0; at < end; at++) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)];
    if (a !== b) return isSurrogate(a) === isSurrogate(b) ? a - b : isSurrogate(a) ? 1 : -1;
  }
  return left.length - right.length;
}

/** True for one of the two units of a code point above U+FFFF. */
function isSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdf_ff;
}
