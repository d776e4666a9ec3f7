/** In UTF-16 code units, as script counts. */
export interface SourceBounds {
  /** A longer source is not given at all. */
  readonly maxLength: number;
  readonly partLength: number;
}

export interface SourcePart {
  /** Of the whole source. */
  readonly length: number;
  readonly part: string;
}

/** Gives the parts of a source, as `sourcePart`. */
export type ReadPart = typeof sourcePart;

/** The part that starts here, of what was too long to be given at once; null when it is gone. Runs in the page, in our own world. */
export function sourcePart(start: number, partLength: number): string | null {
  const text: unknown = Reflect.get(globalThis, 'captureSource');
  if (typeof text !== 'string') return null;
  // No character is cut in two.
  const isSplit = (text.charCodeAt(start + partLength - 1) & 0xfc00) === 0xd800;
  const end = isSplit ? start + partLength - 1 : start + partLength;
  if (end >= text.length) Reflect.set(globalThis, 'captureSource', undefined);
  return text.slice(start, end);
}
