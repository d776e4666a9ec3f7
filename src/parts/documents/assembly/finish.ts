import {
  PDFArray,
  type PDFContext,
  PDFDict,
  type PDFDocument,
  PDFHexString,
  PDFName,
  PDFNumber,
  PDFRef,
  PDFStream,
  PDFString,
} from '@cantoo/pdf-lib';
import { screenProfile } from '../../../features/documents/standards/colour-profile.ts';
import type { FacturX } from '../../../features/documents/standards/factur-x.ts';
import { xmpPacket } from '../../../features/documents/standards/xmp.ts';
import { makeArchive } from './archive.ts';
import { numbered } from './catalog-parts.ts';
import type { Claims } from './claims.ts';
import { writeFacts, type NewFacts } from './facts.ts';
import { dictOf, entriesOfTree, freeName, keyOf, listOf, name, nameTree, textOf } from './objects.ts';

/** A file that is put into the new document. */
export interface NewFile {
  readonly name: string;
  readonly content: Uint8Array;
  readonly mediaType: string;
  readonly description: string | undefined;
  /** Name of the relationship in a PDF, such as `Data`. */
  readonly relationship: string;
}

/** What the request sets. */
export interface Finishing {
  readonly facts: NewFacts;
  readonly files: readonly NewFile[];
  /** The standards that the document will claim. */
  readonly claims: Claims;
  readonly facturX: FacturX | undefined;
  /** Time of the assembly, in Unix milliseconds. */
  readonly nowMs: number;
}

/**
 * Adds metadata, files and the claims of standards, and returns the document.
 * @throws ArchiveError for a document that can't become an archive
 */
export async function finish(document: PDFDocument, finishing: Finishing): Promise<Uint8Array> {
  const { context, catalog } = document;
  addFiles(document, finishing);
  const now = new Date(finishing.nowMs).toISOString();
  writeFacts(document, { ModDate: now, ...finishing.facts });
  const { archivePart, isAccessible } = finishing.claims;
  // What parts say about themselves may be wrong.
  if (archivePart !== undefined) makeArchive(document, archivePart);
  if (archivePart === undefined && !isAccessible) catalog.delete(name('OutputIntents'));
  else await claim(document, finishing);
  context.trailerInfo.ID ??= context.obj([newId(finishing.nowMs), newId(finishing.nowMs)]);
  return await save(document);
}

/**
 * Writes a document without what nothing refers to any more, such as an author who was removed. Streams of objects
 * would take more time, and little less room.
 */
export async function save(document: PDFDocument): Promise<Uint8Array> {
  dropUnused(document.context);
  return await document.save({
    useObjectStreams: false,
    addDefaultPage: false,
    updateFieldAppearances: false,
    objectsPerTick: Infinity,
  });
}

function dropUnused(context: PDFContext): void {
  const { Root, Info, ID } = context.trailerInfo;
  const used = new Set<PDFRef>();
  const waiting = [Root, Info, ID].filter((value) => value !== undefined);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next instanceof PDFRef) {
      if (used.has(next)) continue;
      used.add(next);
    }
    const object = next instanceof PDFRef ? context.lookup(next) : next;
    const dict = object instanceof PDFStream ? object.dict : object;
    const values = dict instanceof PDFDict ? dict.values() : dict instanceof PDFArray ? dict.asArray() : [];
    for (const value of values) waiting.push(value);
  }
  for (const [ref] of context.enumerateIndirectObjects()) if (!used.has(ref)) context.delete(ref);
  context.largestObjectNumber = context
    .enumerateIndirectObjects()
    .reduce((most, [{ objectNumber }]) => Math.max(most, objectNumber), 0);
}

function newId(seed: number): PDFHexString {
  const digits = `${seed.toString(16)}${Math.trunc(performance.now() * 1e6).toString(16)}`;
  return PDFHexString.of(digits.padStart(32, '0').slice(-32).toUpperCase());
}

/** Adds files. Names that the parts have get a number, except for the invoice of an archive: there is only one. */
function addFiles({ context, catalog }: PDFDocument, { files, facturX }: Finishing): void {
  if (files.length === 0) return;
  const names = dictOf(context, catalog.get(name('Names'))) ?? context.obj({});
  const old = entriesOfTree(context, names.get(name('EmbeddedFiles')), 'Names').map(([key, value]) => {
    const spec = dictOf(context, value);
    const shown = [key, spec?.get(name('UF')), spec?.get(name('F'))].map((text) => textOf(context, text));
    return {
      key: keyOf(context, key) ?? '',
      value,
      isReplaced: facturX !== undefined && shown.includes(facturX.fileName),
      shown,
    };
  });
  const left = old.filter(({ isReplaced }) => !isReplaced);
  const replaced = new Set(old.filter(({ isReplaced }) => isReplaced).map(({ value }) => value));
  const all = new Map(left.map(({ key, value }) => [key, value]));
  const taken = new Set(left.flatMap(({ shown }) => shown.filter((text) => text !== undefined)));
  const associated = context.obj(listOf(context, catalog.get(name('AF'))).filter((file) => !replaced.has(file)));
  for (const { name: given, content, mediaType, description, relationship } of files) {
    const stream = context.flateStream(content, {
      Type: 'EmbeddedFile',
      Subtype: PDFName.of(mediaType),
      Params: { Size: PDFNumber.of(content.length) },
    });
    const text = PDFHexString.fromText(freeName(given, taken, (number) => numbered(given, number)));
    const file = context.register(stream);
    const spec = context.register(
      context.obj({
        Type: 'Filespec',
        F: text,
        UF: text,
        AFRelationship: PDFName.of(relationship),
        ...(description !== undefined && { Desc: PDFHexString.fromText(description) }),
        EF: { F: file, UF: file },
      }),
    );
    all.set(Buffer.from(text.asBytes()).toString('latin1'), spec);
    associated.push(spec);
  }
  names.set(name('EmbeddedFiles'), nameTree(context, all));
  catalog.set(name('Names'), names);
  catalog.set(name('AF'), associated);
}

/** Writes what archives and screen readers look for. */
async function claim(document: PDFDocument, { claims, facturX }: Finishing): Promise<void> {
  const { context, catalog } = document;
  const { archivePart, isAccessible } = claims;
  const info = dictOf(context, context.trailerInfo.Info);
  const texts = (info?.entries() ?? []).flatMap(([key, value]): [string, string][] => {
    const text = textOf(context, value);
    return text === undefined ? [] : [[key.decodeText(), text]];
  });
  const language = textOf(context, catalog.get(name('Lang')));
  const packet = xmpPacket({ info: new Map(texts), language, archivePart, isAccessible, facturX });
  const stream = context.stream(Buffer.from(packet, 'utf8'), { Type: 'Metadata', Subtype: 'XML' });
  catalog.set(name('Metadata'), context.register(stream));
  if (isAccessible) catalog.set(name('ViewerPreferences'), context.obj({ DisplayDocTitle: true }));
  if (archivePart === undefined) catalog.delete(name('OutputIntents'));
  else {
    const profile = context.flateStream(await screenProfile(), { N: 3, Alternate: 'DeviceRGB' });
    const intent = context.obj({
      Type: 'OutputIntent',
      S: PDFName.of('GTS_PDFA1'),
      OutputConditionIdentifier: PDFString.of('sRGB'),
      Info: PDFString.of('sRGB'),
      DestOutputProfile: context.register(profile),
    });
    catalog.set(name('OutputIntents'), context.obj([intent]));
  }
}
