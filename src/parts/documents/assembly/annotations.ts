import { type PDFContext, PDFDict, PDFRef } from '@cantoo/pdf-lib';
import { editable, type Edits } from './adoption.ts';
import { dictOf, listOf, name, nameOf } from './objects.ts';
import { oncePerDocument, type SourceDocument } from './source-document.ts';

/** Returns the pages on which each annotation stands. */
export const annotationPages = oncePerDocument(({ context, pages }): ReadonlyMap<PDFRef, readonly PDFRef[]> => {
  const found = new Map<PDFRef, PDFRef[]>();
  for (const { ref, dict } of pages)
    for (const annotation of listOf(context, dict.get(name('Annots')))) {
      if (!(annotation instanceof PDFRef)) continue;
      const places = found.get(annotation) ?? [];
      places.push(ref);
      found.set(annotation, places);
    }
  return found;
});

/** True for an annotation of pages that are not kept. What stands on no page may say to which one it belongs. */
export function standsElsewhere(source: SourceDocument, ref: PDFRef, kept: ReadonlySet<PDFRef>): boolean {
  if (kept.size === source.pages.length) return false;
  const pages = annotationPages(source).get(ref);
  if (pages !== undefined) return !pages.some((page) => kept.has(page));
  const page = dictOf(source.context, ref)?.get(name('P'));
  return page instanceof PDFRef && !kept.has(page) && isPage(source.context, page);
}

function isPage(context: PDFContext, ref: PDFRef): boolean {
  return nameOf(context, dictOf(context, ref)?.get(name('Type'))) === 'Page';
}

/** Keys of actions that run when a page is opened, shown, hidden or closed. */
const UNASKED = ['PO', 'PC', 'PV', 'PI'].map(name);

/** Removes the actions of the annotations of a page that run without a click. Returns true if there were any. */
export function removeUnasked(context: PDFContext, page: PDFDict, edits: Edits): boolean {
  let had = false;
  for (const annotation of listOf(context, page.get(name('Annots'))).map((each) => dictOf(context, each))) {
    const now = annotation && (edits.get(annotation) ?? annotation);
    const actions = dictOf(context, now?.get(name('AA')));
    if (annotation === undefined || actions === undefined || !UNASKED.some((key) => actions.has(key))) continue;
    had = true;
    const left = actions.entries().filter(([key]) => !UNASKED.includes(key));
    editable(edits, annotation).set(name('AA'), PDFDict.fromMapWithContext(new Map(left), context));
  }
  return had;
}
