import { PDFDict, type PDFDocument, type PDFObject, PDFRawStream, PDFRef, PDFStream } from '@cantoo/pdf-lib';
import { createAdoption } from './adoption.ts';
import { arrayOf, dictOf, listOf, name, resolved } from './objects.ts';
import { boxOf, type SourceDocument } from './source-document.ts';

const DRAWING = 'CaptureOverlay';

/** Draws the pages of another document over these pages, one over one. Pages that are turned have it upright. */
export function drawOver(document: PDFDocument, pages: readonly PDFRef[], overlay: SourceDocument): void {
  const { context } = document;
  const adoption = createAdoption({
    from: overlay.context,
    to: context,
    instead: new Map([...overlay.nodes].map((ref) => [ref, undefined] as const)),
    edits: new Map(),
    visit: () => undefined,
    known: new Map(),
  });
  const open = context.register(context.stream('q\n'));
  for (const [index, ref] of pages.entries()) {
    const over = overlay.pages[index];
    const page = dictOf(context, ref);
    if (over === undefined || page === undefined) continue;
    const form = formOf(overlay, over.dict, adoption.adopt);
    if (form === undefined) continue;
    const close = context.register(
      context.stream(`\nQ\n/Artifact BMC q ${placeOn(boxOf({ context }, { dict: page }))} cm /${DRAWING} Do Q EMC\n`),
    );
    page.set(name('Contents'), context.obj([open, ...contentsOf(document, page), close]));
    page.set(name('Resources'), withDrawings(document, page, [[DRAWING, context.register(form)]]));
  }
}

/** Returns the commands of a page as a drawing. Undefined for an empty page. */
function formOf(
  { context }: SourceDocument,
  page: PDFDict,
  adopt: (value: PDFObject) => PDFObject,
): PDFRawStream | undefined {
  const content = resolved(context, listOf(context, page.get(name('Contents')))[0]);
  if (!(content instanceof PDFRawStream)) return undefined;
  const adopted = adopt(content);
  if (!(adopted instanceof PDFRawStream)) return undefined;
  const { dict } = adopted;
  dict.set(name('Type'), name('XObject'));
  dict.set(name('Subtype'), name('Form'));
  for (const [key, from] of [
    ['BBox', 'MediaBox'],
    ['Resources', 'Resources'],
    ['Group', 'Group'],
  ] as const) {
    const value = page.get(name(from));
    if (value !== undefined) dict.set(name(key), adopt(value));
  }
  return adopted;
}

/** Returns the matrix that places what is seen upright at the lower left corner. */
function placeOn({ left, bottom, width, height, rotate }: ReturnType<typeof boxOf>): string {
  const matrix = {
    0: [1, 0, 0, 1, left, bottom],
    90: [0, 1, -1, 0, left + width, bottom],
    180: [-1, 0, 0, -1, left + width, bottom + height],
    270: [0, -1, 1, 0, left, bottom + height],
  }[rotate] ?? [1, 0, 0, 1, left, bottom];
  return matrix.map((number) => Math.round(number * 1_000) / 1_000).join(' ');
}

/** Returns the streams of a page. */
export function contentsOf({ context }: PDFDocument, page: PDFDict): readonly PDFObject[] {
  const written = page.get(name('Contents'));
  const all = arrayOf(context, written)?.asArray() ?? (written === undefined ? [] : [written]);
  return all.filter((each) => each instanceof PDFRef && resolved(context, each) instanceof PDFStream);
}

/** Returns a copy of the resources of a page with more drawings. They may belong to other pages as well. */
export function withDrawings(
  { context }: PDFDocument,
  page: PDFDict,
  more: readonly (readonly [drawing: string, form: PDFRef])[],
): PDFDict {
  const copyOf = (dict: PDFDict | undefined): PDFDict => PDFDict.fromMapWithContext(new Map(dict?.entries()), context);
  const resources = copyOf(dictOf(context, page.get(name('Resources'))));
  const drawings = copyOf(dictOf(context, resources.get(name('XObject'))));
  for (const [drawing, form] of more) drawings.set(name(drawing), form);
  resources.set(name('XObject'), drawings);
  return resources;
}
