import { type PDFContext, PDFDict, PDFHexString, PDFNumber, type PDFObject, type PDFRef } from '@cantoo/pdf-lib';
import type { Adoption } from './adoption.ts';
import { dictOf, MOST_NODES, name, numberOf, textOf } from './objects.ts';
import type { SourceDocument } from './source-document.ts';
import type { Targets } from './targets.ts';

/** A bookmark of the new document. */
export interface Bookmark {
  readonly title: PDFObject;
  /** Where it leads, its colour and its style: entries of the new document. */
  readonly entries: readonly (readonly [key: string, value: PDFObject])[];
  readonly isOpen: boolean;
  readonly children: readonly Bookmark[];
}

const KEPT = ['Dest', 'A', 'C', 'F'];
const MOST_LEVELS = 100;

/** Returns the bookmarks of a part that lead to pages which are kept, with those above them. */
export function readBookmarks(
  { context, catalog }: SourceDocument,
  adoption: Adoption,
  targets: Targets,
): readonly Bookmark[] {
  const seen = new Set<PDFDict>();
  const childrenOf = (above: PDFDict | undefined, depth: number): Bookmark[] => {
    const found: Bookmark[] = [];
    let item = dictOf(context, above?.get(name('First')));
    while (item !== undefined && !seen.has(item) && seen.size < MOST_NODES) {
      seen.add(item);
      const children = depth < MOST_LEVELS ? childrenOf(item, depth + 1) : [];
      const isKept = targets.isKept(item);
      if (isKept || children.length > 0) found.push(bookmarkOf(item, children, isKept));
      item = dictOf(context, item.get(name('Next')));
    }
    return found;
  };
  const bookmarkOf = (item: PDFDict, children: readonly Bookmark[], isKept: boolean): Bookmark => {
    const copy = PDFDict.fromMapWithContext(new Map(item.entries()), context);
    targets.mend(copy, true);
    const entries = KEPT.flatMap((key): [string, PDFObject][] => {
      const value = copy.get(name(key));
      return value === undefined || (!isKept && key !== 'C' && key !== 'F') ? [] : [[key, adoption.adopt(value)]];
    });
    const title = PDFHexString.fromText(textOf(context, item.get(name('Title'))) ?? '');
    return { title, entries, isOpen: (numberOf(context, item.get(name('Count'))) ?? 0) > 0, children };
  };
  return childrenOf(dictOf(context, catalog.get(name('Outlines'))), 0);
}

/** Returns a bookmark that leads to a page. */
export function bookmarkTo(context: PDFContext, page: PDFRef, title: string, children: readonly Bookmark[]): Bookmark {
  const place = context.obj([page, name('XYZ'), null, null, null]);
  return { title: PDFHexString.fromText(title), entries: [['Dest', place]], isOpen: true, children };
}

/** Writes bookmarks. Returns the reference of their root. */
export function writeBookmarks(context: PDFContext, bookmarks: readonly Bookmark[]): PDFRef {
  const root = PDFDict.withContext(context);
  const rootRef = context.register(root);
  /** Returns the number of bookmarks that a reader shows at first. */
  const write = (above: PDFDict, aboveRef: PDFRef, all: readonly Bookmark[]): number => {
    const refs = all.map(() => context.nextRef());
    let shown = 0;
    for (const [index, { title, entries, isOpen, children }] of all.entries()) {
      const item = PDFDict.withContext(context);
      const ref = refs[index];
      if (ref === undefined) continue;
      context.assign(ref, item);
      item.set(name('Title'), title);
      item.set(name('Parent'), aboveRef);
      for (const [key, value] of entries) item.set(name(key), value);
      const [before, after] = [refs[index - 1], refs[index + 1]];
      if (before !== undefined) item.set(name('Prev'), before);
      if (after !== undefined) item.set(name('Next'), after);
      const below = children.length === 0 ? 0 : write(item, ref, children);
      if (below > 0) item.set(name('Count'), PDFNumber.of(isOpen ? below : -below));
      shown += 1 + (isOpen ? below : 0);
    }
    const [first, last] = [refs[0], refs.at(-1)];
    if (first !== undefined) above.set(name('First'), first);
    if (last !== undefined) above.set(name('Last'), last);
    return shown;
  };
  const shown = write(root, rootRef, bookmarks);
  root.set(name('Type'), name('Outlines'));
  root.set(name('Count'), PDFNumber.of(shown));
  return rootRef;
}
