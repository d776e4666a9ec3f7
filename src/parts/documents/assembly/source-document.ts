import { ParseSpeeds, type PDFContext, PDFDict, PDFDocument, PDFRef } from '@cantoo/pdf-lib';
import { PdfProblemError, withDocument, withForms } from '../../../features/pdf-reader/open-document.ts';
import type { Pdfium } from '../../../features/pdf-reader/pdfium.ts';
import { PartError } from './part-error.ts';
import { dictOf, listOf, MOST_NODES, name, nameOf, numberOf } from './objects.ts';

/** A document whose objects are in memory, without encryption. */
export interface SourceDocument {
  readonly document: PDFDocument;
  readonly context: PDFContext;
  readonly catalog: PDFDict;
  /** In their order. What pages inherit is in their own dictionaries. */
  readonly pages: readonly SourcePage[];
  /** All nodes above the pages. */
  readonly nodes: ReadonlySet<PDFRef>;
}

export interface SourcePage {
  readonly ref: PDFRef;
  readonly dict: PDFDict;
}

const INHERITED = ['Resources', 'MediaBox', 'CropBox', 'Rotate'].map(name);

/** Returns a function that reads something of a document once: all pieces of a document that is split share it. */
export function oncePerDocument<T>(read: (source: SourceDocument) => T): (source: SourceDocument) => T {
  const known = new WeakMap<SourceDocument, { readonly value: T }>();
  return (source) => {
    const found = known.get(source) ?? { value: read(source) };
    known.set(source, found);
    return found.value;
  };
}

/** A file that is opened, and the password that opens it. */
export interface GivenFile {
  readonly body: Uint8Array;
  readonly password?: string | undefined;
}

/**
 * Opens a document. What the library does not understand, what is encrypted, and what has several revisions, is
 * written anew by PDFium first.
 * @param index of the part, for the error
 * @throws PartError if PDFium can't open it either, or it has no pages
 */
export async function openSource(pdfium: Pdfium, { body, password }: GivenFile, index = 0): Promise<SourceDocument> {
  const direct = isPlain(body) ? await read(body).catch(() => undefined) : undefined;
  if (direct !== undefined && direct.pages.length > 0) return direct;
  try {
    const written = await read(withDocument(pdfium, { body, password }, (document) => pdfium.save(document)));
    if (written.pages.length > 0) return written;
  } catch (error) {
    throw new PartError(index, error instanceof PdfProblemError ? error.problem : 'not_a_pdf');
  }
  throw new PartError(index, 'has no pages');
}

/**
 * Returns a document whose form fields and annotations have appearances, also those that leave them to the reader.
 * @throws PartError if it can't be opened
 */
export function withAppearances(pdfium: Pdfium, { body, password }: GivenFile): Uint8Array {
  try {
    return withDocument(pdfium, { body, password }, (document) => {
      withForms(pdfium, document, (forms) => {
        const count = Math.min(pdfium.FPDF_GetPageCount(document), MOST_NODES);
        for (let index = 0; index < count; index++) forms.withPage(index, () => undefined);
      });
      return pdfium.save(document);
    });
  } catch (error) {
    throw new PartError(0, error instanceof PdfProblemError ? error.problem : 'not_a_pdf');
  }
}

/**
 * True for a document that was written at once, and is not encrypted. The library reads objects in the order of their
 * bytes, so older or withdrawn revisions could come back.
 */
function isPlain(body: Uint8Array): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (bytes.includes('/Encrypt', 0, 'latin1')) return false;
  const table = bytes.indexOf(TABLE, 0, 'latin1');
  const isLast = table > bytes.length - END_BYTES && bytes.indexOf(TABLE, table + 1, 'latin1') === -1;
  return table !== -1 && isLast && !hasTwins(bytes);
}

/** True if two objects have one number: the table of the document tells which of them counts. */
function hasTwins(bytes: Buffer): boolean {
  const numbers = new Set<string>();
  for (let at = bytes.indexOf(OBJECT); at !== -1; at = bytes.indexOf(OBJECT, at + OBJECT.length)) {
    const [, number] = HEAD.exec(bytes.toString('latin1', Math.max(0, at - HEAD_BYTES), at)) ?? [];
    if (number === undefined) continue;
    if (numbers.has(number)) return true;
    numbers.add(number);
  }
  return false;
}

/** How an object begins, behind its number and its generation. */
const OBJECT = ' obj';
const HEAD = /(\d+)\s+\d+$/;
const HEAD_BYTES = 24;

const TABLE = 'startxref';
/** Objects behind the table belong to nothing. */
const END_BYTES = 1_024;

async function read(body: Uint8Array): Promise<SourceDocument> {
  const document = await PDFDocument.load(body, {
    updateMetadata: false,
    parseSpeed: ParseSpeeds.Fastest,
    preserveXFA: true,
  });
  const { context, catalog } = document;
  return { document, context, catalog, ...pagesOf(context, catalog) };
}

/** Follows the tree of pages. Each node above pages counts once: some documents have circles. */
function pagesOf(context: PDFContext, catalog: PDFDict): Pick<SourceDocument, 'pages' | 'nodes'> {
  const pages: SourcePage[] = [];
  const nodes = new Set<PDFRef>();
  const root = catalog.get(name('Pages'));
  const waiting: { readonly ref: PDFRef; readonly above: PDFDict | undefined }[] = [];
  if (root instanceof PDFRef) waiting.push({ ref: root, above: undefined });
  let visited = 0;
  for (let next = waiting.pop(); next !== undefined && visited < MOST_NODES; next = waiting.pop()) {
    const { ref, above } = next;
    const dict = dictOf(context, ref);
    if (dict === undefined || nodes.has(ref)) continue;
    visited++;
    inherit(dict, above);
    const isNode = nameOf(context, dict.get(name('Type'))) === 'Pages' || dict.has(name('Kids'));
    if (isNode) {
      nodes.add(ref);
      // Some documents have pages that are no objects of their own.
      const kids = listOf(context, dict.get(name('Kids'))).flatMap((kid) =>
        kid instanceof PDFRef ? kid : kid instanceof PDFDict ? context.register(kid) : [],
      );
      waiting.push(...kids.toReversed().map((kid) => ({ ref: kid, above: dict })));
    } else pages.push({ ref, dict });
  }
  return { pages, nodes };
}

function inherit(dict: PDFDict, above: PDFDict | undefined): void {
  for (const key of INHERITED) {
    const value = above?.get(key);
    if (value !== undefined && dict.get(key) === undefined) dict.set(key, value);
  }
}

/** Writes the pages of a document below one node: some documents have circles, or a page twice. */
export function writePageTree({ context, catalog, pages }: SourceDocument): void {
  const tree = context.nextRef();
  const used = new Set<PDFRef>();
  const refs = pages.map(({ ref, dict }) => {
    dict.set(name('Parent'), tree);
    // A page that stands twice needs a page of its own for each place.
    const own = used.has(ref) ? context.register(dict.clone(context)) : ref;
    used.add(ref);
    return own;
  });
  context.assign(tree, context.obj({ Type: 'Pages', Kids: refs, Count: refs.length }));
  catalog.set(name('Pages'), tree);
}

/** Returns how much of a page is seen, in points, and how it is turned, in degrees. */
export function boxOf({ context }: Pick<SourceDocument, 'context'>, { dict }: Pick<SourcePage, 'dict'>) {
  const sides = (key: string): readonly number[] | undefined => {
    const numbers = listOf(context, dict.get(name(key))).map((side) => numberOf(context, side) ?? 0);
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = numbers;
    const box = [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)];
    return numbers.length === 4 && x1 !== x2 && y1 !== y2 ? box : undefined;
  };
  const media = sides('MediaBox') ?? [0, 0, 612, 792]; // as readers do
  const crop = sides('CropBox') ?? media;
  const [left = 0, bottom = 0, right = 0, top = 0] = crop.map((side, index) =>
    index < 2 ? Math.max(side, media[index] ?? 0) : Math.min(side, media[index] ?? 0),
  );
  const degrees = numberOf(context, dict.get(name('Rotate'))) ?? 0;
  return {
    left,
    bottom,
    width: right - left,
    height: top - bottom,
    rotate: (((Math.round(degrees / 90) * 90) % 360) + 360) % 360,
  };
}
