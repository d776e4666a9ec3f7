/** Length in UTF-16 code units, as in JavaScript. */
export interface SourceBounds {
  /** Maximum length. Longer sources are not returned at all. */
  readonly maxLength: number;
  readonly partLength: number;
}

export interface SourcePart {
  /** Length of the whole source. */
  readonly length: number;
  readonly part: string;
}

/** Type of `sourcePart`. */
export type ReadPart = typeof sourcePart;

/**
 * Returns a part of a source that was too long for one answer. Null if the document was replaced. Runs in the isolated
 * world.
 */
export function sourcePart(start: number, partLength: number): string | null {
  const text: unknown = Reflect.get(globalThis, 'captureSource');
  if (typeof text !== 'string') return null;
  // Does not split a surrogate pair.
  const isSplit = (text.charCodeAt(start + partLength - 1) & 0xfc00) === 0xd800;
  const end = isSplit ? start + partLength - 1 : start + partLength;
  if (end >= text.length) Reflect.set(globalThis, 'captureSource', undefined);
  return text.slice(start, end);
}
