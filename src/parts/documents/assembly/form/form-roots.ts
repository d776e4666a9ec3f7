import { type PDFContext, PDFRef } from '@cantoo/pdf-lib';
import { dictOf, listOf, name, nameOf } from '../objects.ts';
import { oncePerDocument, type SourceDocument, type SourcePage } from '../source-document.ts';

/** Fields above a field that are followed. */
export const MOST_LEVELS = 50;

/** The topmost fields of a document. */
interface Roots {
  /** In their order: those of the form, then those of widgets that it does not list. */
  readonly order: ReadonlyMap<PDFRef, number>;
  readonly byPage: ReadonlyMap<PDFRef, readonly PDFRef[]>;
  /** Those without a place on any page. */
  readonly others: readonly PDFRef[];
}

/** Returns the topmost fields that may have a place on these pages. */
export function rootsOf(source: SourceDocument, pages: readonly SourcePage[]): readonly PDFRef[] {
  const { order, byPage, others } = allRoots(source);
  const found = new Set([...others, ...pages.flatMap(({ ref }) => byPage.get(ref) ?? [])]);
  return [...found].toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
}

const allRoots = oncePerDocument(({ context, catalog, pages }): Roots => {
  const form = dictOf(context, catalog.get(name('AcroForm')));
  const order = new Map<PDFRef, number>();
  const listed = listOf(context, form?.get(name('Fields'))).filter((ref) => ref instanceof PDFRef);
  for (const root of listed) order.set(root, order.get(root) ?? order.size);
  const byPage = new Map<PDFRef, PDFRef[]>();
  const placed = new Set<PDFRef>();
  for (const { ref, dict } of pages) {
    const roots: PDFRef[] = [];
    byPage.set(ref, roots);
    for (const annotation of listOf(context, dict.get(name('Annots')))) {
      const isWidget = nameOf(context, dictOf(context, annotation)?.get(name('Subtype'))) === 'Widget';
      const root = isWidget && annotation instanceof PDFRef ? topOf(context, annotation) : undefined;
      if (root === undefined) continue;
      roots.push(root);
      placed.add(root);
      order.set(root, order.get(root) ?? order.size);
    }
  }
  return { order, byPage, others: [...order.keys()].filter((root) => !placed.has(root)) };
});

/** Returns the field above a widget that has none above it. Undefined for a widget of no field. */
function topOf(context: PDFContext, widget: PDFRef): PDFRef | undefined {
  let top = widget;
  for (let level = 0; level < MOST_LEVELS; level++) {
    const above = dictOf(context, top)?.get(name('Parent'));
    if (!(above instanceof PDFRef) || dictOf(context, above) === undefined) break;
    top = above;
  }
  return dictOf(context, top)?.has(name('T')) === true ? top : undefined;
}
