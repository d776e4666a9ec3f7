import {
  type PDFContext,
  type PDFDict,
  type PDFDocument,
  PDFNumber,
  type PDFObject,
  PDFRef,
  PDFStream,
} from '@cantoo/pdf-lib';
import { withdrawClaim } from './facts.ts';
import { dictOf, listOf, name, nameOf, numberOf, resolved } from './objects.ts';
import { addDrawings, type PageDrawing } from './page-drawings.ts';
import type { SourceDocument } from './source-document.ts';
import { removeFromTags } from './structure/structure-tree.ts';

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
      const drawing = isPart(context, annotation) ? undefined : drawingOf(document, annotation);
      if (drawing === undefined) kept.push(each);
      else {
        if (each instanceof PDFRef) removed.add(each);
        drawn.push(...drawing);
      }
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

/** True for links and files, which are more than what they show. */
function isPart(context: PDFContext, annotation: PDFDict): boolean {
  return ['Link', 'FileAttachment'].includes(nameOf(context, annotation.get(name('Subtype'))) ?? '');
}

/** Flags of annotations that are not shown: hidden, and without a view. */
const UNSEEN = 2 | 32;

/**
 * Returns the appearance of an annotation with the matrix that brings it to its place. Empty if it shows nothing,
 * undefined if only the reader knows how it looks.
 */
function drawingOf({ context }: PDFDocument, annotation: PDFDict): readonly PageDrawing[] | undefined {
  const flags = numberOf(context, annotation.get(name('F'))) ?? 0;
  const kind = nameOf(context, annotation.get(name('Subtype')));
  if ((flags & UNSEEN) !== 0 || kind === 'Popup') return [];
  const states = dictOf(context, annotation.get(name('AP')))?.get(name('N'));
  let form = states;
  if (!(resolved(context, states) instanceof PDFStream)) {
    const state = nameOf(context, annotation.get(name('AS')));
    const all = dictOf(context, states);
    form = state === undefined ? undefined : all?.get(name(state));
  }
  const stream = resolved(context, form);
  if (!(form instanceof PDFRef) || !(stream instanceof PDFStream)) return kind === 'Widget' ? [] : undefined;
  const box = numbersOf(context, stream.dict.get(name('BBox')));
  const rect = numbersOf(context, annotation.get(name('Rect')));
  if (box.length !== 4 || rect.length !== 4) return [];
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = numbersOf(context, stream.dict.get(name('Matrix')));
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
  const drawn = layer === undefined ? form : inLayer(context, form, { layer, box: [left, bottom, right, top] });
  // PDFium draws marks on text where the text is, whatever the box of the annotation says.
  const quads = numbersOf(context, annotation.get(name('QuadPoints')));
  const isOnText = quads.length > 0 && isAround(quads, { left, bottom, right, top });
  if (isOnText) return [{ form: drawn, matrix: [1, 0, 0, 1, 0, 0] }];
  return [{ form: drawn, matrix: [scaleX, 0, 0, scaleY, toX - left * scaleX, toY - bottom * scaleY] }];
}

/** Returns a drawing that shows another one while a layer is shown. Annotations may share the other one. */
function inLayer(
  context: PDFContext,
  form: PDFRef,
  { layer, box }: { readonly layer: PDFObject; readonly box: readonly number[] },
): PDFRef {
  const resources = { XObject: { Shown: form } };
  const entries = { Type: 'XObject', Subtype: 'Form', BBox: [...box], Resources: resources, OC: layer };
  return context.register(context.stream('/Shown Do', entries));
}

/** True if the area is that of these points. */
function isAround(
  points: readonly number[],
  area: Readonly<Record<'left' | 'bottom' | 'right' | 'top', number>>,
): boolean {
  const [x, y] = [0, 1].map((odd) => points.filter((_, index) => index % 2 === odd));
  if (x === undefined || y === undefined) return false;
  const found = [Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)];
  const { left, bottom, right, top } = area;
  return [left, bottom, right, top].every((side, index) => Math.abs(side - (found[index] ?? 0)) < 1);
}

function numbersOf(context: PDFContext, value: PDFObject | undefined): number[] {
  return listOf(context, value)
    .slice(0, MOST_NUMBERS)
    .flatMap((each) => {
      const found = resolved(context, each);
      return found instanceof PDFNumber && Number.isFinite(found.asNumber()) ? [found.asNumber()] : [];
    });
}

const MOST_NUMBERS = 8_000;
