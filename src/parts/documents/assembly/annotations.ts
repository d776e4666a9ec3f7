import { PDFRef } from '@cantoo/pdf-lib';
import { listOf, name } from './objects.ts';
import type { SourceDocument } from './source-document.ts';

const known = new WeakMap<SourceDocument, ReadonlyMap<PDFRef, readonly PDFRef[]>>();

/** Returns the pages on which each annotation stands. The document is read once, also if it is split. */
export function annotationPages(source: SourceDocument): ReadonlyMap<PDFRef, readonly PDFRef[]> {
  const before = known.get(source);
  if (before !== undefined) return before;
  const found = new Map<PDFRef, PDFRef[]>();
  for (const { ref, dict } of source.pages)
    for (const annotation of listOf(source.context, dict.get(name('Annots')))) {
      if (!(annotation instanceof PDFRef)) continue;
      const pages = found.get(annotation) ?? [];
      pages.push(ref);
      found.set(annotation, pages);
    }
  known.set(source, found);
  return found;
}
