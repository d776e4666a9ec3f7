import { constants, inflateSync } from 'node:zlib';

/** The used parts of a PDF written by Chrome: a plain cross-reference table at the end, and objects in plain text. */
export interface PdfFile {
  /** Number of pages. */
  readonly pageCount: number;
  /** Object numbers of the pages, in their order. */
  readonly pages: () => readonly number[];
  /** Size of a page in points. */
  readonly sizeOf: (page: number) => { readonly width: number; readonly height: number };
  /** Byte offset of the cross-reference table. */
  readonly tableAt: number;
  /** Number of objects, the null object included. */
  readonly size: number;
  /** Object numbers of the catalogue and of the metadata, if any. */
  readonly root: number;
  readonly info: number | undefined;
  /** Returns the byte offset of `N 0 obj`. */
  readonly offsetOf: (number: number) => number;
  /** Returns the text between `N 0 obj` and `endobj`. */
  readonly objectText: (number: number) => string;
  /** Object number of the drawing commands of a page. Undefined for an empty one. */
  readonly contentsOf: (page: number) => number | undefined;
  /** Returns the dictionary of a stream, and its bytes as they are stored. Undefined for other objects. */
  readonly streamOf: (number: number) => { readonly dictionary: string; readonly stored: Buffer } | undefined;
  /** Returns the document with other bytes for some objects, from `N 0 obj` to `endobj`. */
  readonly withReplaced: (objects: ReadonlyMap<number, Buffer>) => Buffer;
  /** Returns the drawing commands of a page, or those in their first compressed bytes. Empty if there are none. */
  readonly commandsOf: (page: number, maxBytes?: number) => string;
}

const END_BYTES = 1_024;
const ENTRY_BYTES = 20; // bytes of an entry in the cross-reference table, fixed by the format
const MAX_DEPTH = 32;
const HEAD_BYTES = 8_192; // of an object, with its dictionary
const STREAM_HEAD = /^\d+ 0 obj\s+<<((?:(?!endobj)[\s\S])*?)\/Length (\d+)>>\s*stream\r?\n/;
const COMMAND_BYTES = 512; // compressed
/** Length of the commands that are read, for each compressed byte. */
const MOST_EXPANDED = 8;

/**
 * Reads the end of a document and the objects it refers to.
 * @throws Error if the document is not structured as Chrome writes it
 */
export function readPdfFile(body: Buffer): PdfFile {
  const end = body.toString('latin1', Math.max(body.length - END_BYTES, 0));
  const trailer = end.slice(end.lastIndexOf('trailer'));
  const tableAt = numberAfter(trailer, 'startxref');
  const root = numberAfter(trailer, '/Root');
  const size = numberAfter(trailer, '/Size');
  if (tableAt === undefined || root === undefined || size === undefined) throw notAsExpected('its end');
  const [tableHead] = /^xref\s+0 \d+\s+/.exec(body.toString('latin1', tableAt, tableAt + 64)) ?? [];
  if (tableHead === undefined) throw notAsExpected('its table of objects');

  const offsetOf = (number: number): number => {
    const entryAt = tableAt + tableHead.length + number * ENTRY_BYTES;
    return Number.parseInt(body.toString('latin1', entryAt, entryAt + 10), 10);
  };
  const objectText = (number: number): string => {
    const at = offsetOf(number);
    const endAt = body.indexOf('\nendobj\n', at, 'latin1');
    const text = body.toString('latin1', at, endAt);
    const [begin] = new RegExp(`^${number} 0 obj\\s`).exec(text) ?? [];
    if (begin === undefined || endAt === -1) throw notAsExpected(`object ${number}`);
    return text.slice(begin.length);
  };

  const tree = numberAfter(objectText(root), '/Pages') ?? 0;
  const pageCount = numberAfter(objectText(tree), '/Count');
  if (pageCount === undefined) throw notAsExpected('its pages');
  const pagesIn = (node: number, depth: number): number[] => {
    const text = objectText(node);
    if (!/\/Type \/Pages\b/.test(text) || depth === MAX_DEPTH) return [node];
    const [, kids = ''] = /\/Kids \[([^\]]*)\]/.exec(text) ?? [];
    return [...kids.matchAll(/(\d+) 0 R/g)].flatMap(([, kid]) => pagesIn(Number(kid), depth + 1));
  };
  const contentsOf = (page: number): number | undefined => numberAfter(objectText(page), '/Contents');
  let pages: readonly number[] | undefined;
  return {
    pageCount,
    pages: () => (pages ??= pagesIn(tree, 0)),
    sizeOf: (page) => {
      const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(objectText(page)) ?? [];
      if (width === undefined) throw notAsExpected(`page ${page}`);
      return { width: Number(width), height: Number(height) };
    },
    tableAt,
    size,
    root,
    info: numberAfter(trailer, '/Info'),
    offsetOf,
    objectText,
    contentsOf,
    streamOf: (number) => {
      const at = offsetOf(number);
      const head = body.toString('latin1', at, at + HEAD_BYTES);
      const [begin, dictionary = '', length] = STREAM_HEAD.exec(head) ?? [];
      if (begin === undefined) return undefined;
      const startsAt = at + begin.length;
      return { dictionary, stored: body.subarray(startsAt, startsAt + Number(length)) };
    },
    withReplaced: (objects) => {
      const places = Array.from({ length: size - 1 }, (_, index) => ({ number: index + 1, at: offsetOf(index + 1) }));
      const sorted = places.toSorted((a, b) => a.at - b.at);
      const parts = [body.subarray(0, sorted[0]?.at)];
      const entries = [...Array(size)].map(() => '0000000000 65535 f \n');
      let length = parts[0]?.length ?? 0;
      for (const [index, { number, at }] of sorted.entries()) {
        const part = objects.get(number) ?? body.subarray(at, sorted[index + 1]?.at ?? tableAt);
        entries[number] = `${String(length).padStart(10, '0')} 00000 n \n`;
        parts.push(part);
        length += part.length;
      }
      const table = `${tableHead}${entries.join('')}${trailer.slice(0, trailer.indexOf('startxref'))}`;
      return Buffer.concat([...parts, Buffer.from(`${table}startxref\n${length}\n%%EOF\n`, 'latin1')]);
    },
    commandsOf: (page, maxBytes = COMMAND_BYTES) => {
      const contents = contentsOf(page);
      return contents === undefined ? '' : beginningOf(body, offsetOf(contents), maxBytes);
    },
  };
}

/** Returns the beginning of a compressed stream as text. Empty if the object at this offset is none. */
function beginningOf(body: Buffer, at: number, maxBytes: number): string {
  const [head] = /^\d+ 0 obj\s+<<[^>]*>>\s*stream\r?\n/.exec(body.toString('latin1', at, at + 256)) ?? [];
  if (head === undefined || !head.includes('/FlateDecode')) return '';
  const compressed = body.subarray(at + head.length, at + head.length + maxBytes);
  return inflateSync(compressed, { finishFlush: constants.Z_SYNC_FLUSH }).toString(
    'latin1',
    0,
    MOST_EXPANDED * maxBytes,
  );
}

function numberAfter(text: string, key: string): number | undefined {
  const [, digits] = new RegExp(`${key}\\s*(\\d+)`).exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function notAsExpected(what: string): Error {
  return new Error(`The document is not built as expected: ${what}`);
}
