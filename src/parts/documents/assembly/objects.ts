import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRef,
  PDFStream,
  PDFString,
} from '@cantoo/pdf-lib';

/** Entries of trees and lists that are followed: a document may claim to have any number. */
export const MOST_NODES = 200_000;

export const name = PDFName.of;

type Value = PDFObject | undefined;

/** Follows references. A reference to a reference, which no document should have, is followed a few times. */
export function resolved(context: PDFContext, value: Value): Value {
  let found = value;
  for (let left = 8; found instanceof PDFRef && left > 0; left--) found = context.lookup(found);
  return found instanceof PDFRef ? undefined : found;
}

export function dictOf(context: PDFContext, value: Value): PDFDict | undefined {
  const found = resolved(context, value);
  if (found instanceof PDFStream) return found.dict;
  return found instanceof PDFDict ? found : undefined;
}

export function arrayOf(context: PDFContext, value: Value): PDFArray | undefined {
  const found = resolved(context, value);
  return found instanceof PDFArray ? found : undefined;
}

export function numberOf(context: PDFContext, value: Value): number | undefined {
  const found = resolved(context, value);
  return found instanceof PDFNumber ? found.asNumber() : undefined;
}

export function nameOf(context: PDFContext, value: Value): string | undefined {
  const found = resolved(context, value);
  return found instanceof PDFName ? found.decodeText() : undefined;
}

/** Returns a text, or a name where old documents have one. */
export function textOf(context: PDFContext, value: Value): string | undefined {
  const found = resolved(context, value);
  if (found instanceof PDFString || found instanceof PDFHexString) return found.decodeText();
  return found instanceof PDFName ? found.decodeText() : undefined;
}

/** Returns the bytes of a text as they are compared in trees of names. */
export function keyOf(context: PDFContext, value: Value): string | undefined {
  const found = resolved(context, value);
  if (found instanceof PDFString || found instanceof PDFHexString)
    return Buffer.from(found.asBytes()).toString('latin1');
  return found instanceof PDFName ? Buffer.from(found.decodeText(), 'utf8').toString('latin1') : undefined;
}

/** Returns a text object with exactly these bytes, one for each character. */
export function keyObject(key: string): PDFHexString {
  return PDFHexString.of(Buffer.from(key, 'latin1').toString('hex').toUpperCase());
}

/** Returns the elements of an array, or the value alone. */
export function listOf(context: PDFContext, value: Value): readonly PDFObject[] {
  const found = resolved(context, value);
  if (found instanceof PDFArray) return found.asArray();
  return value === undefined || found === undefined ? [] : [value];
}

/** Returns the entries of a tree of names or numbers in their order. Each node is visited once. */
export function entriesOfTree(
  context: PDFContext,
  root: Value,
  leaves: 'Names' | 'Nums',
): readonly (readonly [key: PDFObject, value: PDFObject])[] {
  const entries: [PDFObject, PDFObject][] = [];
  const waiting: Value[] = [root];
  const seen = new Set<PDFDict>();
  while (waiting.length > 0 && entries.length < MOST_NODES) {
    const node = dictOf(context, waiting.pop());
    if (node === undefined || seen.has(node)) continue;
    seen.add(node);
    const pairs = arrayOf(context, node.get(name(leaves)))?.asArray() ?? [];
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      const [key, value] = [pairs[at], pairs[at + 1]];
      if (key !== undefined && value !== undefined) entries.push([key, value]);
    }
    waiting.push(...listOf(context, node.get(name('Kids'))).toReversed());
  }
  return entries;
}

/** Returns a tree of names with one node. Readers search it, so it is sorted by bytes. */
export function nameTree(context: PDFContext, entries: ReadonlyMap<string, PDFObject>): PDFRef {
  const tree = PDFDict.withContext(context);
  const pairs = PDFArray.withContext(context);
  for (const [key, value] of [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    pairs.push(keyObject(key));
    pairs.push(value);
  }
  tree.set(name('Names'), pairs);
  return context.register(tree);
}

/** Returns the first of `key`, `key-2`, `key-3` and so on that is not taken, and takes it. */
export function freeName(key: string, taken: Set<string>, place: (number: number) => string): string {
  const numbers = nextNumbers.get(taken) ?? new Map<string, number>();
  nextNumbers.set(taken, numbers);
  let free = key;
  let number = numbers.get(key) ?? 2;
  while (taken.has(free)) free = place(number++);
  if (free !== key) numbers.set(key, number);
  taken.add(free);
  return free;
}

/** The number after which each name was free: 60,000 fields of one name would try them all. */
const nextNumbers = new WeakMap<Set<string>, Map<string, number>>();

/** Returns a tree of numbers, as one node. */
export function numberTree(
  context: PDFContext,
  entries: readonly (readonly [number: number, value: PDFObject])[],
): PDFRef {
  const numbers = PDFArray.withContext(context);
  for (const [number, value] of entries.toSorted(([a], [b]) => a - b)) {
    numbers.push(PDFNumber.of(number));
    numbers.push(value);
  }
  return context.register(context.obj({ Nums: numbers }));
}
