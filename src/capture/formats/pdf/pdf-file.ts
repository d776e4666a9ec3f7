/** What is read of a document that Chrome has written: a plain table of objects at its end, each object in plain text. */
export interface PdfFile {
  /** How many pages it has. */
  readonly pageCount: number;
  /** Of the first page, in points. */
  readonly firstPage: { readonly width: number; readonly height: number };
  /** Where its table of objects begins. */
  readonly tableAt: number;
  /** How many objects it has, the one that is none included. */
  readonly size: number;
  /** Numbers of the catalogue and, where there is one, of what says who made it and when. */
  readonly root: number;
  readonly info: number | undefined;
  /** What stands between `N 0 obj` and `endobj`. */
  readonly objectText: (number: number) => string;
}

const END_BYTES = 1_024;
const ENTRY_BYTES = 20; // of the table: the format fixes it
const MAX_DEPTH = 32;

/**
 * Reads the end of a document, and what that points to; nothing of its pages is decoded.
 * @throws Error for a document that is not built as Chrome builds them.
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

  const objectText = (number: number): string => {
    const entryAt = tableAt + tableHead.length + number * ENTRY_BYTES;
    const at = Number.parseInt(body.toString('latin1', entryAt, entryAt + 10), 10);
    const endAt = body.indexOf('\nendobj\n', at, 'latin1');
    const text = body.toString('latin1', at, endAt);
    const [begin] = new RegExp(`^${number} 0 obj\\s`).exec(text) ?? [];
    if (begin === undefined || endAt === -1) throw notAsExpected(`object ${number}`);
    return text.slice(begin.length);
  };

  const pages = numberAfter(objectText(root), '/Pages') ?? 0;
  let first = objectText(pages);
  const pageCount = numberAfter(first, '/Count');
  for (let depth = 0; /\/Type \/Pages\b/.test(first) && depth < MAX_DEPTH; depth++) {
    first = objectText(numberAfter(first, '/Kids \\[') ?? 0);
  }
  const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(first) ?? [];
  if (pageCount === undefined || width === undefined) throw notAsExpected('its pages');
  return {
    pageCount,
    firstPage: { width: Number(width), height: Number(height) },
    tableAt,
    size,
    root,
    info: numberAfter(trailer, '/Info'),
    objectText,
  };
}

function numberAfter(text: string, key: string): number | undefined {
  const [, digits] = new RegExp(`${key}\\s*(\\d+)`).exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function notAsExpected(what: string): Error {
  return new Error(`The document is not built as expected: ${what}`);
}
