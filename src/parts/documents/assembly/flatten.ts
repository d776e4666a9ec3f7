import { type PDFDict, type PDFDocument, PDFNumber, type PDFObject, PDFRef, PDFStream } from '@cantoo/pdf-lib';
import { withdrawClaim } from './facts.ts';
import { dictOf, listOf, name, nameOf, numberOf, resolved } from './objects.ts';
import { addDrawings, type PageDrawing } from './page-drawings.ts';
import type { SourceDocument } from './source-document.ts';
import { removeFromTags } from './tags.ts';

/** Draws what annotations show onto their pages, and removes them. Links stay, because they show nothing. */
export function flatten(source: SourceDocument): void {
  const { document, context, catalog, pages } = source;
  const removed = new Set<PDFRef>();
  for (const { dict: page } of new Set(pages)) {
    const kept: PDFObject[] = [];
    const drawn: PageDrawing[] = [];
    for (const each of listOf(context, page.get(name('Annots')))) {
      const annotation = dictOf(context, each);
      if (annotation === undefined) continue;
      if (nameOf(context, annotation.get(name('Subtype'))) === 'Link') {
        kept.push(each);
        continue;
      }
      if (each instanceof PDFRef) removed.add(each);
      drawn.push(...drawingOf(document, annotation));
    }
    if (kept.length === 0) page.delete(name('Annots'));
    else page.set(name('Annots'), context.obj(kept));
    if (drawn.length > 0) addDrawings(document, page, drawn);
  }
  catalog.delete(name('AcroForm'));
  removeFromTags(source, removed);
  // What is drawn has no tags.
  if (removed.size > 0) withdrawClaim(document);
}

/** Flags of annotations that are not shown: hidden, and without a view. */
const UNSEEN = 2 | 32;

/** Returns the appearance of an annotation with the matrix that brings it to its place. Empty if it shows nothing. */
function drawingOf({ context }: PDFDocument, annotation: PDFDict): readonly PageDrawing[] {
  const flags = numberOf(context, annotation.get(name('F'))) ?? 0;
  if ((flags & UNSEEN) !== 0 || nameOf(context, annotation.get(name('Subtype'))) === 'Popup') return [];
  const states = dictOf(context, annotation.get(name('AP')))?.get(name('N'));
  let form = states;
  if (!(resolved(context, states) instanceof PDFStream)) {
    const state = nameOf(context, annotation.get(name('AS')));
    const all = dictOf(context, states);
    form = state === undefined ? undefined : all?.get(name(state));
  }
  const stream = resolved(context, form);
  if (!(form instanceof PDFRef) || !(stream instanceof PDFStream)) return [];
  const box = numbersOf(context, stream.dict.get(name('BBox')), 4);
  const rect = numbersOf(context, annotation.get(name('Rect')), 4);
  if (box === undefined || rect === undefined) return [];
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = numbersOf(context, stream.dict.get(name('Matrix')), 6) ?? [];
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = box;
  const corners = [
    [x1, y1],
    [x2, y1],
    [x1, y2],
    [x2, y2],
  ].map(([x = 0, y = 0]) => [a * x + c * y + e, b * x + d * y + f] as const);
  const [left, right] = [Math.min(...corners.map(([x]) => x)), Math.max(...corners.map(([x]) => x))];
  const [bottom, top] = [Math.min(...corners.map(([, y]) => y)), Math.max(...corners.map(([, y]) => y))];
  const [rx1 = 0, ry1 = 0, rx2 = 0, ry2 = 0] = rect;
  const [toX, toY] = [Math.min(rx1, rx2), Math.min(ry1, ry2)];
  const scaleX = right === left ? 1 : Math.abs(rx2 - rx1) / (right - left);
  const scaleY = top === bottom ? 1 : Math.abs(ry2 - ry1) / (top - bottom);
  stream.dict.set(name('Type'), name('XObject'));
  stream.dict.set(name('Subtype'), name('Form'));
  const layer = annotation.get(name('OC'));
  if (layer !== undefined) stream.dict.set(name('OC'), layer);
  return [{ form, matrix: [scaleX, 0, 0, scaleY, toX - left * scaleX, toY - bottom * scaleY] }];
}

function numbersOf(context: PDFDocument['context'], value: PDFObject | undefined, count: number): number[] | undefined {
  const numbers = listOf(context, value).flatMap((each) => {
    const found = resolved(context, each);
    return found instanceof PDFNumber && Number.isFinite(found.asNumber()) ? [found.asNumber()] : [];
  });
  return numbers.length === count ? numbers : undefined;
}
