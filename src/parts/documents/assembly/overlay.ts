import { type PDFDict, type PDFDocument, type PDFObject, PDFRawStream, type PDFRef } from '@cantoo/pdf-lib';
import { createAdoption } from './adoption.ts';
import { dictOf, listOf, name, resolved } from './objects.ts';
import { addDrawings } from './page-drawings.ts';
import { boxOf, type SourceDocument } from './source-document.ts';

/** Draws the pages of another document over these pages, one over one. Pages that are turned have it upright. */
export function drawOver(document: PDFDocument, pages: readonly PDFRef[], overlay: SourceDocument): void {
  const { context } = document;
  const adoption = createAdoption({
    from: overlay.context,
    to: context,
    instead: new Map([...overlay.nodes].map((ref) => [ref, undefined] as const)),
    isLeftOut: () => false,
    edits: new Map(),
    visit: () => undefined,
    known: new Map(),
  });
  for (const [index, ref] of pages.entries()) {
    const over = overlay.pages[index];
    const page = dictOf(context, ref);
    const form = over && formOf(overlay, over.dict, adoption.adopt);
    if (form === undefined || page === undefined) continue;
    const matrix = placeOn(boxOf({ context }, { dict: page }));
    addDrawings(document, page, [{ form: context.register(form), matrix }], '/Artifact');
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
function placeOn({ left, bottom, width, height, rotate }: ReturnType<typeof boxOf>): readonly number[] {
  const usual = [1, 0, 0, 1, left, bottom];
  const turned: Readonly<Record<number, readonly number[]>> = {
    90: [0, 1, -1, 0, left + width, bottom],
    180: [-1, 0, 0, -1, left + width, bottom + height],
    270: [0, -1, 1, 0, left, bottom + height],
  };
  return turned[rotate] ?? usual;
}
