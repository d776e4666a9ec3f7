import { createHash } from 'node:crypto';
import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFNull,
  type PDFObject,
  PDFRawStream,
  PDFRef,
  PDFStream,
} from '@cantoo/pdf-lib';

/** Copies objects from one document to another. The first is not changed. */
export interface Adoption {
  /** Returns the value with references of the new document, and copies all that it refers to. */
  readonly adopt: (value: PDFObject) => PDFObject;
  /** Returns the new reference of an object. Undefined if it was left out. */
  readonly adoptRef: (ref: PDFRef) => PDFRef | undefined;
  /** True for an object that was copied. */
  readonly has: (ref: PDFRef) => boolean;
}

interface AdoptionOptions {
  readonly from: PDFContext;
  readonly to: PDFContext;
  /** What references to these objects become. Undefined: nothing. */
  readonly instead: ReadonlyMap<PDFRef, PDFRef | undefined>;
  /** True for other objects that references to become nothing. */
  readonly isLeftOut: (ref: PDFRef) => boolean;
  /** Dictionaries that take the place of others of the source. */
  readonly edits: Edits;
  /** Changes the copy of a dictionary before its values are followed. They are those of the source. */
  readonly visit: (dict: PDFDict) => void;
  /** Streams without references that the new document has, by their content. */
  readonly known: Map<string, PDFRef>;
}

/** Copies of dictionaries of a source that are changed, by the original. */
export type Edits = Map<PDFDict, PDFDict>;

/** Returns the copy of a dictionary that may be changed. */
export function editable(edits: Edits, dict: PDFDict): PDFDict {
  const known = edits.get(dict);
  if (known !== undefined) return known;
  const copy = PDFDict.fromMapWithContext(new Map(dict.entries()), dict.context);
  edits.set(dict, copy);
  return copy;
}

/** Writes edits into the source itself. */
export function applyEdits(edits: Edits): void {
  for (const [original, copy] of edits) {
    for (const key of original.keys()) original.delete(key);
    for (const [key, value] of copy.entries()) original.set(key, value);
  }
}

/** Smaller streams are not worth a comparison. */
const LEAST_SHARED_BYTES = 512;

/** Without recursion: objects may be nested a million levels deep. */
export function createAdoption({ from, to, instead, isLeftOut, edits, visit, known }: AdoptionOptions): Adoption {
  const moved = new Map<PDFRef, PDFRef>();
  const waiting: (PDFDict | PDFArray)[] = [];

  const copyOf = (object: PDFObject): PDFObject => {
    if (object instanceof PDFDict) {
      const copy = PDFDict.fromMapWithContext(new Map((edits.get(object) ?? object).entries()), to);
      waiting.push(copy);
      return copy;
    }
    if (object instanceof PDFArray) {
      const copy = PDFArray.withContext(to);
      for (const value of object.asArray()) copy.push(value);
      waiting.push(copy);
      return copy;
    }
    if (!(object instanceof PDFStream)) return object;
    const dict = PDFDict.fromMapWithContext(new Map((edits.get(object.dict) ?? object.dict).entries()), to);
    waiting.push(dict);
    return PDFRawStream.of(dict, object instanceof PDFRawStream ? object.contents : object.getContents());
  };
  const refOf = (ref: PDFRef): PDFRef | undefined => {
    if (instead.has(ref)) return instead.get(ref);
    const before = moved.get(ref);
    if (before !== undefined) return before;
    if (isLeftOut(ref)) return undefined;
    const object = from.lookup(ref);
    if (object === undefined || object instanceof PDFRef) return undefined;
    const same = sharedKey(object);
    const shared = same === undefined ? undefined : known.get(same);
    const next = shared ?? to.nextRef();
    moved.set(ref, next);
    if (shared !== undefined) return shared;
    if (same !== undefined) known.set(same, next);
    to.assign(next, copyOf(object));
    return next;
  };
  const valueOf = (value: PDFObject): PDFObject =>
    value instanceof PDFRef ? (refOf(value) ?? PDFNull) : copyOf(value);
  const follow = (): void => {
    for (let object = waiting.pop(); object !== undefined; object = waiting.pop()) {
      if (object instanceof PDFArray) {
        for (let index = 0; index < object.size(); index++) object.set(index, valueOf(object.get(index)));
        continue;
      }
      visit(object);
      for (const [key, value] of object.entries()) {
        const next = valueOf(value);
        if (next !== value) object.set(key, next);
      }
    }
  };
  return {
    adopt: (value) => {
      const next = valueOf(value);
      follow();
      return next;
    },
    adoptRef: (ref) => {
      const next = refOf(ref);
      follow();
      return next;
    },
    has: (ref) => moved.has(ref),
  };
}

/** Returns a text that is equal for equal streams, such as those of one font. Undefined for what is not compared. */
function sharedKey(object: PDFObject): string | undefined {
  if (!(object instanceof PDFRawStream) || object.contents.length < LEAST_SHARED_BYTES) return undefined;
  const entries = object.dict.entries();
  if (!entries.every(([, value]) => isPlain(value))) return undefined;
  const described = entries.map(([key, value]) => `${String(key)} ${String(value)}`).toSorted();
  return createHash('sha256').update(described.join('\n')).update(object.contents).digest('base64');
}

function isPlain(value: PDFObject): boolean {
  return !(
    value instanceof PDFRef ||
    value instanceof PDFDict ||
    value instanceof PDFArray ||
    value instanceof PDFStream
  );
}
