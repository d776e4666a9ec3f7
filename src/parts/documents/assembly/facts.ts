import { PDFDict, type PDFDocument, PDFHexString, PDFName, type PDFObject, PDFRef, PDFString } from '@cantoo/pdf-lib';
import { claimsOf, metadataOf } from './claims.ts';
import { arrayOf, dictOf, entriesOfTree, keyOf, name, nameOf, resolved, textOf } from './objects.ts';
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

export function readFacts(source: SourceDocument): DocumentFacts {
  const { context, catalog, pages } = source;
  const info = dictOf(context, context.trailerInfo.Info);
  const metadata = (info?.entries() ?? []).flatMap(([key, value]): [string, string][] => {
    const text = textOf(context, value);
    return text === undefined || text === '' ? [] : [[key.decodeText(), isoOf(text) ?? text]];
  });
  const { archivePart, isAccessible } = claimsOf(source);
  const marks = dictOf(context, catalog.get(name('MarkInfo')));
  const names = dictOf(context, catalog.get(name('Names')));
  return {
    pages: pages.length,
    page_sizes: pages.slice(0, MOST_SIZES).map((page) => {
      const { width, height, rotate } = boxOf(source, page);
      const size = [width, height].map((side) => Math.round(side * 100) / 100);
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

/** Names of XMP for entries of the document information. */
const PROPERTIES: Readonly<Record<string, string>> = {
  Title: 'dc:title',
  Author: 'dc:creator',
  Subject: 'dc:description',
  Keywords: 'pdf:Keywords',
  Creator: 'xmp:CreatorTool',
  Producer: 'pdf:Producer',
  CreationDate: 'xmp:CreateDate',
  ModDate: 'xmp:ModifyDate',
};
const DATES: ReadonlySet<string> = new Set(['CreationDate', 'ModDate']);

/** Changes the document information, and says the same in the XMP, if the document has it: archives must not differ. */
export function writeFacts(document: PDFDocument, facts: NewFacts): void {
  const { context, catalog } = document;
  const before = dictOf(context, context.trailerInfo.Info);
  const info = PDFDict.fromMapWithContext(new Map(before?.entries()), context);
  context.trailerInfo.Info = context.register(info);
  let packet = metadataOf({ context, catalog });
  for (const [key, value] of Object.entries(facts)) {
    const text = value !== null && DATES.has(key) ? (pdfDateOf(value) ?? value) : value;
    if (text === null) info.delete(PDFName.of(key));
    else info.set(PDFName.of(key), entryOf(key, text));
    const property = PROPERTIES[key];
    if (packet !== '' && property !== undefined) packet = withProperty(packet, property, value);
  }
  if (packet === '') return;
  const stream = context.stream(Buffer.from(packet, 'utf8'), { Type: 'Metadata', Subtype: 'XML' });
  catalog.set(name('Metadata'), context.register(stream));
}

function entryOf(key: string, text: string): PDFObject {
  if (key === 'Trapped' && TRAPPED.has(text)) return name(text);
  return DATES.has(key) ? PDFString.of(text) : PDFHexString.fromText(text);
}

/** Whether a document is prepared for printing presses is no text. */
const TRAPPED: ReadonlySet<string> = new Set(['True', 'False', 'Unknown']);

const NAMESPACES = {
  dc: 'http://purl.org/dc/elements/1.1/',
  pdf: 'http://ns.adobe.com/pdf/1.3/',
  xmp: 'http://ns.adobe.com/xap/1.0/',
} as const;
/** How lists of XMP are written. */
const LISTS: Readonly<Record<string, readonly [kind: string, attributes: string]>> = {
  'dc:title': ['Alt', ' xml:lang="x-default"'],
  'dc:description': ['Alt', ' xml:lang="x-default"'],
  'dc:creator': ['Seq', ''],
};

/** Replaces a property of an XMP packet. Undamaged packets of all known programs have it as an element or attribute. */
function withProperty(packet: string, property: string, value: string | null): string {
  const without = withoutElement(packet, property).replaceAll(
    new RegExp(`\\s${property}\\s*=\\s*(?:"[^"]*"|'[^']*')`, 'g'),
    '',
  );
  const end = without.lastIndexOf('</rdf:RDF>');
  if (value === null || end === -1) return without;
  const [kind, attributes] = LISTS[property] ?? [];
  const [prefix = ''] = property.split(':');
  const text = escaped(value);
  const content = kind === undefined ? text : `<rdf:${kind}><rdf:li${attributes}>${text}</rdf:li></rdf:${kind}>`;
  const space = Object.entries(NAMESPACES).find(([known]) => known === prefix)?.[1] ?? '';
  const added = `<rdf:Description rdf:about="" xmlns:${prefix}="${space}"><${property}>${content}</${property}></rdf:Description>`;
  return `${without.slice(0, end)}${added}\n${without.slice(end)}`;
}

/** Without an expression, whose time could grow with the square of the packet. */
function withoutElement(packet: string, property: string): string {
  const [open, close] = [`<${property}`, `</${property}>`];
  let rest = packet;
  for (let left = 10; left > 0; left--) {
    const from = rest.indexOf(open);
    const to = from === -1 ? -1 : rest.indexOf(close, from);
    if (to === -1 || !/[\s>]/.test(rest[from + open.length] ?? '')) return rest;
    rest = rest.slice(0, from) + rest.slice(to + close.length);
  }
  return rest;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Returns a date of a document as ISO 8601. Undefined for other texts. */
function isoOf(text: string): string | undefined {
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    sign,
    zoneHour = '00',
    zoneMinute = '00',
  ] = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([Zz+-])(?:(\d\d)'?(\d\d)?'?)?)?/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const zone = sign === '+' || sign === '-' ? `${sign}${zoneHour}:${zoneMinute}` : 'Z';
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
}

/** Returns a date in ISO 8601 as documents write it. Undefined for other texts. */
function pdfDateOf(text: string): string | undefined {
  const [, year, month, day, hour = '00', minute = '00', second = '00', zone = 'Z'] =
    /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/.exec(text) ?? [];
  if (year === undefined || Number.isNaN(Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)))
    return undefined;
  const offset = zone === 'Z' ? 'Z' : `${zone.slice(0, 3)}'${zone.slice(-2)}'`;
  return `D:${year}${month}${day}${hour}${minute}${second}${offset}`;
}
