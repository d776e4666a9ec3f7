import {
  type PDFContext,
  PDFDict,
  type PDFDocument,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRef,
  PDFString,
} from '@cantoo/pdf-lib';
import { isoOf, pdfDateOf } from '../document-date.ts';
import type { Adoption } from './adoption.ts';
import { claimsOf, metadataOf } from './claims.ts';
import { changedPacket, readPacket, withoutClaims } from './xmp-packet.ts';
import { arrayOf, dictOf, entriesOfTree, keyOf, name, nameOf, numberOf, resolved, textOf } from './objects.ts';
import { boxOf, type SourceDocument } from './source-document.ts';

/** A bookmark as JSON. `page` is the number of its page, from 1. */
interface ListedBookmark {
  readonly title: string;
  readonly page: number | null;
  readonly children: readonly ListedBookmark[];
}

/** What a document says about itself. */
export interface DocumentFacts {
  readonly pages: number;
  /** Sizes as they are seen, in points: of the first 1,000 pages. */
  readonly page_sizes: readonly { readonly width: number; readonly height: number }[];
  readonly version: string;
  readonly language: string | null;
  readonly tagged: boolean;
  /** Standards that it claims to meet. */
  readonly standards: readonly string[];
  /** Entries of the document information. Dates are ISO 8601. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly bookmarks: readonly ListedBookmark[];
  readonly attachments: readonly string[];
}

const MOST_SIZES = 1_000;
const MOST_BOOKMARKS = 10_000;
const MOST_LEVELS = 50;

/** Returns the title of a document. Undefined without one. */
export function titleOf({ context }: SourceDocument): string | undefined {
  const info = dictOf(context, context.trailerInfo.Info);
  const title = textOf(context, info?.get(name('Title')));
  return title === '' ? undefined : title;
}

/** Copies the metadata, the language and the way in which a document is shown into a new one. */
export function copyFacts({ context, catalog }: SourceDocument, to: PDFDocument, adoption: Adoption): void {
  for (const key of ['Lang', 'URI', 'ViewerPreferences', 'PageMode', 'PageLayout', 'OutputIntents']) {
    const value = catalog.get(name(key));
    if (value !== undefined) to.catalog.set(name(key), adoption.adopt(value));
  }
  const opening = arrayOf(context, catalog.get(name('OpenAction')));
  const page = opening !== undefined && opening.size() > 0 ? opening.get(0) : undefined;
  const isThere = page instanceof PDFRef && adoption.has(page);
  if (opening !== undefined && isThere) to.catalog.set(name('OpenAction'), adoption.adopt(opening));
  const info = dictOf(context, context.trailerInfo.Info);
  if (info !== undefined) to.context.trailerInfo.Info = to.context.register(adoption.adopt(info));
  // The new document claims nothing by itself.
  const packet = metadataOf({ context, catalog });
  const plain = packet === '' ? '' : withoutClaims(packet, 'all');
  if (plain !== '') writePacket(to, plain);
}

export function readFacts(source: SourceDocument): DocumentFacts {
  const { context, catalog, pages } = source;
  const info = dictOf(context, context.trailerInfo.Info);
  const metadata = new Map(readPacket(metadataOf(source)));
  for (const [key, value] of info?.entries() ?? []) {
    const text = textOf(context, value);
    if (text !== undefined && text !== '') metadata.set(key.decodeText(), isoOf(text) ?? text);
  }
  const { archivePart, isAccessible } = claimsOf(source);
  const marks = dictOf(context, catalog.get(name('MarkInfo')));
  const names = dictOf(context, catalog.get(name('Names')));
  return {
    pages: pages.length,
    page_sizes: pages.slice(0, MOST_SIZES).map((page) => {
      const { width, height, rotate } = boxOf(source, page);
      const unit = numberOf(context, page.dict.get(name('UserUnit'))) ?? 1;
      const size = [width, height].map((side) => Math.round(side * unit * 100) / 100);
      const [w = 0, h = 0] = rotate % 180 === 0 ? size : size.toReversed();
      return { width: w, height: h };
    }),
    version: nameOf(context, catalog.get(name('Version'))) ?? context.header.getVersionString(),
    language: textOf(context, catalog.get(name('Lang'))) ?? null,
    tagged: String(marks?.get(name('Marked'))) === 'true',
    standards: [...(archivePart === undefined ? [] : [`PDF/A-${archivePart}b`]), ...(isAccessible ? ['PDF/UA-1'] : [])],
    metadata: Object.fromEntries(metadata),
    bookmarks: listBookmarks(source),
    attachments: entriesOfTree(context, names?.get(name('EmbeddedFiles')), 'Names').map(([key, value]) => {
      const file = dictOf(context, value);
      return (
        textOf(context, file?.get(name('UF'))) ?? textOf(context, file?.get(name('F'))) ?? textOf(context, key) ?? ''
      );
    }),
  };
}

function listBookmarks({ context, catalog, pages }: SourceDocument): readonly ListedBookmark[] {
  const numbers = new Map(pages.map(({ ref }, index) => [ref, index + 1]));
  const names = dictOf(context, catalog.get(name('Names')));
  const places = new Map<string, PDFObject>();
  for (const [key, value] of dictOf(context, catalog.get(name('Dests')))?.entries() ?? [])
    places.set(keyOf(context, key) ?? '', value);
  for (const [key, value] of entriesOfTree(context, names?.get(name('Dests')), 'Names'))
    places.set(keyOf(context, key) ?? '', value);
  const pageOf = (item: PDFDict): number | null => {
    const action = dictOf(context, item.get(name('A')));
    let place = resolved(context, item.get(name('Dest')) ?? action?.get(name('D')));
    const key = keyOf(context, place);
    if (key !== undefined) place = resolved(context, places.get(key));
    const list = place instanceof PDFDict ? arrayOf(context, place.get(name('D'))) : arrayOf(context, place);
    const page = list !== undefined && list.size() > 0 ? list.get(0) : undefined;
    if (page instanceof PDFNumber) return page.asNumber() < pages.length ? page.asNumber() + 1 : null;
    return page instanceof PDFRef ? (numbers.get(page) ?? null) : null;
  };
  const seen = new Set<PDFDict>();
  const childrenOf = (above: PDFDict | undefined, depth: number): ListedBookmark[] => {
    const found: ListedBookmark[] = [];
    let item = dictOf(context, above?.get(name('First')));
    while (item !== undefined && !seen.has(item) && seen.size < MOST_BOOKMARKS) {
      seen.add(item);
      const title = textOf(context, item.get(name('Title'))) ?? '';
      found.push({ title, page: pageOf(item), children: depth < MOST_LEVELS ? childrenOf(item, depth + 1) : [] });
      item = dictOf(context, item.get(name('Next')));
    }
    return found;
  };
  return childrenOf(dictOf(context, catalog.get(name('Outlines'))), 0);
}

/** Entries of the document information that are set, or removed if they are null. */
export type NewFacts = Readonly<Record<string, string | null>>;

const DATES: ReadonlySet<string> = new Set(['CreationDate', 'ModDate']);

/** Changes the document information, and says the same in the XMP, if the document has it: archives must not differ. */
export function writeFacts(document: PDFDocument, facts: NewFacts): void {
  const { context, catalog } = document;
  const before = dictOf(context, context.trailerInfo.Info);
  const info = PDFDict.fromMapWithContext(new Map(before?.entries()), context);
  context.trailerInfo.Info = context.register(info);
  for (const [key, value] of Object.entries(facts)) {
    const text = value !== null && DATES.has(key) ? (pdfDateOf(value) ?? value) : value;
    if (text === null) info.delete(PDFName.of(key));
    else info.set(PDFName.of(key), entryOf(key, text));
  }
  const packet = metadataOf({ context, catalog });
  if (packet !== '') writePacket(document, changedPacket(packet, facts, textsIn(context, info)));
}

function textsIn(context: PDFContext, info: PDFDict): ReadonlyMap<string, string> {
  const texts = info.entries().map(([key, value]) => [key.decodeText(), textOf(context, value) ?? ''] as const);
  return new Map(texts);
}

/** Gives the document the XMP of another one. */
function writePacket({ context, catalog }: PDFDocument, packet: string): void {
  const stream = context.stream(Buffer.from(packet, 'utf8'), { Type: 'Metadata', Subtype: 'XML' });
  catalog.set(name('Metadata'), context.register(stream));
}

/** Removes the claim to be made for screen readers. */
export function withdrawClaim(document: PDFDocument): void {
  const packet = metadataOf(document);
  if (packet.includes('pdfuaid')) writePacket(document, withoutClaims(packet, 'screen readers'));
}

function entryOf(key: string, text: string): PDFObject {
  if (key === 'Trapped' && TRAPPED.has(text)) return name(text);
  return DATES.has(key) ? PDFString.of(text) : PDFHexString.fromText(text);
}

/** Whether a document is prepared for printing presses is no text. */
const TRAPPED: ReadonlySet<string> = new Set(['True', 'False', 'Unknown']);
