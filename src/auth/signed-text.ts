/*
 * What a signature is made over. Web standards alone: the client signs by the same rules, in browsers too.
 */

/** A parameter whose value could be read as another parameter. */
interface HiddenField {
  /** The parameter. */
  readonly name: string;
  /** What its value hides. */
  readonly field: string;
}

/** The text that is signed: every parameter but `signature`, sorted by name, raw values: they are encoded as a query only after that. */
export function stringToSign(params: ReadonlyMap<string, string>): string {
  return [...params]
    .filter(([name]) => name !== 'signature')
    .sort(([left], [right]) => compareCodePoints(left, right))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/**
 * Raw values make one signed text fit several sets of parameters: `url=https://a/?x=1&window_width=9` is one
 * parameter or two, and a holder could cut or join them without breaking the signature. Joining is the worse one:
 * it makes `expires` vanish into a neighbour (`block_media=true&expires=9`, or a parameter whose very name is
 * `expires=9&url`), and a link without `expires` never ends.
 * @returns the first value that hides one of the fields, or `expires`; undefined when none does
 */
export function findHiddenField(
  params: ReadonlyMap<string, string>,
  knownFields: Iterable<string>,
): HiddenField | undefined {
  const fields = [...new Set([...knownFields, 'expires'])];
  for (const [name, value] of params) {
    if (!value.includes('&')) continue;
    const field = fields.find((each) => compareCodePoints(each, name) > 0 && value.includes(`&${each}=`));
    if (field !== undefined) return { name, field };
  }
  return undefined;
}

/** What is wrong, and how to mend it, in words for whoever signs. */
export function describeHiddenField({ name, field }: HiddenField): string {
  return (
    `The value of "${name}" contains "&${field}=", which the signature cannot tell from the parameter ` +
    `"${field}". Percent-encode that "&" as %26 inside the target address, then sign again.`
  );
}

/** JavaScript compares UTF-16 units, which puts U+1F600 before U+FF5E; UTF-8 bytes sort as code points do. */
function compareCodePoints(left: string, right: string): number {
  const [a, b] = [codePointsOf(left), codePointsOf(right)];
  const at = a.findIndex((point, index) => point !== b[index]);
  return at === -1 ? a.length - b.length : (a[at] ?? -1) - (b[at] ?? -1);
}

function codePointsOf(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}
