import {
  decodePDFRawStream,
  PDFArray,
  PDFBool,
  type PDFContext,
  PDFDict,
  type PDFDocument,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
  PDFStream,
} from '@cantoo/pdf-lib';
import { lookup } from 'mime-types';
import { arrayOf, dictOf, entriesOfTree, listOf, name, nameOf, numberOf, resolved, textOf } from './objects.ts';

/** A document can't become an archive. The message is for the client. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/** Bytes of drawing commands that are looked at: they may unpack to gigabytes. */
const MOST_COMMAND_BYTES = 100_000_000;
interface ArchiveState {
  /** Bytes of drawing commands that may still be looked at. */
  commandBytes: number;
  /** Files whose type and relationship are known. */
  readonly described: ReadonlySet<PDFDict>;
}

/** Types of annotations that play or run something. */
const ACTIVE = new Set(['Movie', 'Sound', 'Screen', '3D', 'RichMedia', 'TrapNet', 'FileAttachment']);
/** Actions that an archive may have. */
const PLAIN_ACTIONS = new Set(['GoTo', 'GoToR', 'GoToE', 'Thread', 'URI', 'Named', 'SubmitForm']);
const PRINTED = 4;
/** Flags of annotations that archives must not have: invisible, hidden, without a view, toggling its view. */
const UNSEEN = 1 | 2 | 32 | 256;

/**
 * Removes what archives must not have, if nobody would see the difference, and refuses what would change the pages.
 * @throws ArchiveError that names what is wrong
 */
export function makeArchive({ context, catalog }: PDFDocument, part: 2 | 3): void {
  for (const key of ['AA', 'NeedsRendering', 'Requirements', 'AlternatePresentations', 'Perms', 'Legal'])
    catalog.delete(name(key));
  const names = dictOf(context, catalog.get(name('Names')));
  for (const key of ['JavaScript', 'AlternatePresentations', 'Renditions']) names?.delete(name(key));
  if (part === 2 && names?.has(name('EmbeddedFiles')) === true)
    throw new ArchiveError('has files inside, which PDF/A-3b allows');
  nameLayers(context, dictOf(context, catalog.get(name('OCProperties'))));
  const associated = arrayOf(context, catalog.get(name('AF'))) ?? context.obj([]);
  const described = new Set<PDFDict>();
  for (const file of [
    ...entriesOfTree(context, names?.get(name('EmbeddedFiles')), 'Names').map(([, value]) => value),
    ...associated.asArray(),
  ]) {
    describeFile(context, file, associated);
    const dict = dictOf(context, file);
    if (dict !== undefined) described.add(dict);
  }
  if (associated.size() > 0) catalog.set(name('AF'), associated);
  const form = dictOf(context, catalog.get(name('AcroForm')));
  form?.delete(name('NeedAppearances'));
  form?.delete(name('XFA'));
  const state: ArchiveState = { commandBytes: MOST_COMMAND_BYTES, described };
  for (const [, object] of context.enumerateIndirectObjects()) checkDeep(context, object, state);
}

/** Each set of layers needs a name, and none may change by itself. */
function nameLayers(context: PDFContext, layers: PDFDict | undefined): void {
  const states = [layers?.get(name('D')), ...listOf(context, layers?.get(name('Configs')))];
  for (const [index, value] of states.entries()) {
    const state = dictOf(context, value);
    state?.delete(name('AS'));
    if (state?.has(name('Name')) === false) state.set(name('Name'), PDFHexString.fromText(`Layers ${index + 1}`));
  }
}

/** Files inside need a type, both forms of their name, and a relationship to the document. */
function describeFile(context: PDFContext, value: PDFObject, associated: PDFArray): void {
  const file = dictOf(context, value);
  if (file === undefined) return;
  const shown = file.get(name('UF')) ?? file.get(name('F')) ?? PDFHexString.fromText('file');
  for (const key of ['F', 'UF']) if (!file.has(name(key))) file.set(name(key), shown);
  if (!file.has(name('AFRelationship'))) file.set(name('AFRelationship'), name('Unspecified'));
  const stream = dictOf(context, dictOf(context, file.get(name('EF')))?.get(name('F')));
  if (stream !== undefined && !stream.has(name('Subtype')))
    stream.set(name('Subtype'), name(lookup(textOf(context, shown) ?? '') || 'application/octet-stream'));
  if (!associated.asArray().some((known) => known === value || dictOf(context, known) === file)) associated.push(value);
}

/** Checks an object with all that is written inside of it. Without recursion, because that may be deep. */
function checkDeep(context: PDFContext, object: PDFObject, state: ArchiveState): void {
  const waiting: PDFObject[] = [object];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next instanceof PDFArray) {
      refuseCmyk(next.asArray());
      for (const value of next.asArray()) if (isContainer(value)) waiting.push(value);
    }
    const dict = next instanceof PDFStream ? next.dict : next;
    if (!(dict instanceof PDFDict)) continue;
    refuseCmyk(dict.values());
    for (const value of dict.values()) if (isContainer(value)) waiting.push(value);
    if (dict.has(name('EF')) && !state.described.has(dict))
      throw new ArchiveError('has files in annotations or actions');
    if (next instanceof PDFStream) checkStream(context, next, state);
    checkDict(context, dict);
  }
}

function isContainer(value: PDFObject): boolean {
  return value instanceof PDFDict || value instanceof PDFArray;
}

function checkDict(context: PDFContext, dict: PDFDict): void {
  const type = nameOf(context, dict.get(name('Type')));
  if (type === 'Font') checkFont(context, dict);
  if (type === 'ExtGState') for (const key of ['TR', 'TR2', 'HTP']) dict.delete(name(key));
  if (type === 'Page') {
    dict.delete(name('AA'));
    dict.delete(name('PresSteps'));
  }
  const action = dict.has(name('S')) && (type === 'Action' || dict.has(name('JS')) || dict.has(name('Next')));
  if (action) checkAction(context, dict);
  const own = dictOf(context, dict.get(name('A')));
  if (own !== undefined && dict.has(name('Subtype'))) checkAction(context, own, () => dict.delete(name('A')));
  if (dict.has(name('Rect')) && dict.has(name('Subtype'))) checkAnnotation(context, dict);
  if (dict.has(name('FT'))) dict.delete(name('AA'));
}

function checkFont(context: PDFContext, font: PDFDict): void {
  const kind = nameOf(context, font.get(name('Subtype')));
  if (kind === 'Type3' || kind === 'Type0') return; // the font below is checked by itself
  const descriptor = dictOf(context, font.get(name('FontDescriptor')));
  // Lists of what a font has may be left out, and are often wrong.
  for (const key of ['CharSet', 'CIDSet']) descriptor?.delete(name(key));
  if (kind === 'CIDFontType2' && !font.has(name('CIDToGIDMap'))) font.set(name('CIDToGIDMap'), name('Identity'));
  if (descriptor !== undefined && ['FontFile', 'FontFile2', 'FontFile3'].some((key) => descriptor.has(name(key))))
    return;
  const written = nameOf(context, font.get(name('BaseFont'))) ?? 'a font';
  throw new ArchiveError(`does not contain its font ${written.replace(/^[A-Z]{6}\+/, '')}`);
}

function checkAction(context: PDFContext, action: PDFDict, remove?: () => void): void {
  const kind = nameOf(context, action.get(name('S')));
  if (kind === undefined || PLAIN_ACTIONS.has(kind)) return;
  if (remove !== undefined) remove();
  else for (const key of action.keys()) action.delete(key);
}

function checkAnnotation(context: PDFContext, annotation: PDFDict): void {
  const kind = nameOf(context, annotation.get(name('Subtype'))) ?? '';
  if (ACTIVE.has(kind)) throw new ArchiveError(`has an annotation of the kind ${kind}`);
  const flags = numberOf(context, annotation.get(name('F'))) ?? 0;
  if ((flags & UNSEEN) !== 0 && kind !== 'Popup') throw new ArchiveError('has hidden annotations; flatten it first');
  annotation.set(name('F'), PDFNumber.of(flags | PRINTED));
  annotation.delete(name('AA'));
  const appearances = dictOf(context, annotation.get(name('AP')));
  if (appearances === undefined) {
    const [x1, y1, x2, y2] = listOf(context, annotation.get(name('Rect'))).map((side) => numberOf(context, side));
    const isEmpty = x1 === x2 && y1 === y2;
    if (kind !== 'Popup' && kind !== 'Link' && !isEmpty)
      throw new ArchiveError('has annotations without an appearance; flatten it first');
    return;
  }
  for (const key of appearances.keys()) if (key !== name('N')) appearances.delete(key);
}

/** Only colours of screens have a profile here. */
function refuseCmyk(values: readonly PDFObject[]): void {
  if (values.some((value) => value instanceof PDFName && value.decodeText() === 'DeviceCMYK')) throw cmyk();
}

function cmyk(): ArchiveError {
  return new ArchiveError('has colours of a printing press (CMYK)');
}

function checkStream(context: PDFContext, stream: PDFStream, state: ArchiveState): void {
  const { dict } = stream;
  const filters = listOf(context, dict.get(name('Filter'))).map((filter) => nameOf(context, filter));
  if (filters.includes('LZWDecode')) throw new ArchiveError('is packed with LZW, whose use archives do not allow');
  if (filters.includes('JPXDecode'))
    throw new ArchiveError('has pictures in JPEG 2000, of which archives allow a part');
  if (dict.has(name('F'))) throw new ArchiveError('loads content from other files');
  const kind = nameOf(context, dict.get(name('Subtype')));
  if (kind === 'PS') throw new ArchiveError('contains programs of a printer (PostScript)');
  for (const key of ['OPI', 'Alternates', 'PS', 'Subtype2']) dict.delete(name(key));
  if (kind === 'Image' && resolved(context, dict.get(name('Interpolate'))) === PDFBool.True)
    dict.set(name('Interpolate'), PDFBool.False);
  const isDrawing =
    kind === 'Form' ||
    (kind === undefined && !dict.has(name('Type')) && !dict.has(name('Length1')) && !dict.has(name('N')));
  if (!isDrawing || !(stream instanceof PDFRawStream) || state.commandBytes <= 0) return;
  try {
    const bytes = decodePDFRawStream(stream).decode();
    state.commandBytes -= bytes.length;
    if (/[\d.]\s+[kK](?:\s|$)/.test(Buffer.from(bytes).toString('latin1'))) throw cmyk();
  } catch (error) {
    if (error instanceof ArchiveError) throw error; // otherwise a stream that the library can't unpack: no drawing
  }
}
