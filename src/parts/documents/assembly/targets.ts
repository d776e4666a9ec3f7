import { PDFArray, type PDFContext, PDFDict, type PDFName, PDFNumber, type PDFObject, PDFRef } from '@cantoo/pdf-lib';
import { arrayOf, dictOf, entriesOfTree, freeName, keyObject, keyOf, name, nameOf, resolved } from './objects.ts';
import { oncePerDocument, type SourceDocument } from './source-document.ts';

/** The named places of a document, and where its links lead. */
export interface Targets {
  /** Places that lead to pages which are kept, by their new names. The values are those of the source. */
  readonly places: ReadonlyMap<string, PDFObject>;
  /** Writes new names into a link, or removes a target that is not kept. */
  readonly mend: (dict: PDFDict, isBookmark?: boolean) => void;
  /** True if the target of a bookmark is kept, lies outside of the document, or if it has none and all pages stay. */
  readonly isKept: (dict: PDFDict) => boolean;
  /** Number of links whose target is not kept. */
  readonly lost: () => number;
}

/** @param kept the pages that are kept; `taken` are names of places that the new document has */
export function readTargets(source: SourceDocument, kept: ReadonlySet<PDFRef>, taken: Set<string>): Targets {
  const { context, pages } = source;
  /** True for a place on a kept page. */
  const leadsToKept = (value: PDFObject): boolean => {
    const page = pageOf(source, listOfPlace(context, value));
    return page !== undefined && kept.has(page);
  };
  const all = placesByPage(source);
  const names = new Map<string, string>();
  const places = new Map<string, PDFObject>();
  for (const [key, value] of [...kept].flatMap((page) => all.get(page) ?? [])) {
    const free = freeName(key, taken, (number) => `${key}-${number}`);
    names.set(key, free);
    places.set(free, value);
  }
  let lost = 0;
  /** Returns what replaces a target. Undefined if it is not kept, null if nothing replaces it. */
  const mended = (value: PDFObject): PDFObject | null | undefined => {
    const key = keyOf(context, value);
    if (key === undefined) {
      if (!leadsToKept(value)) return undefined;
      const list = listOfPlace(context, value);
      const page = pageOf(source, list);
      if (list === undefined || page === undefined || list.get(0) instanceof PDFRef) return null;
      return context.obj([page, ...list.asArray().slice(1)]);
    }
    const next = names.get(key);
    return next === undefined ? undefined : next === key ? null : keyObject(next);
  };
  const targetIn = (
    dict: PDFDict,
    isBookmark = false,
  ): readonly [holder: PDFDict, key: PDFName, value: PDFObject] | undefined => {
    const direct =
      isBookmark || nameOf(context, dict.get(name('Subtype'))) === 'Link' ? dict.get(name('Dest')) : undefined;
    if (direct !== undefined) return [dict, name('Dest'), direct];
    const action = nameOf(context, dict.get(name('S'))) === 'GoTo' ? dict : undefined;
    const value = action?.get(name('D'));
    return action === undefined || value === undefined ? undefined : [action, name('D'), value];
  };
  return {
    places,
    lost: () => lost,
    mend: (dict, isBookmark) => {
      const [holder, key, value] = targetIn(dict, isBookmark) ?? [];
      if (holder === undefined || key === undefined || value === undefined) return;
      const next = mended(value);
      if (next === null) return;
      if (next !== undefined) holder.set(key, next);
      else {
        lost++;
        holder.delete(key);
      }
    },
    isKept: (dict) => {
      const action = dictOf(context, dict.get(name('A')));
      const [, , value] = targetIn(dict, true) ?? (action && targetIn(action)) ?? [];
      if (value === undefined) return action !== undefined || kept.size === pages.length;
      const isThere = mended(value) !== undefined;
      if (!isThere) lost++;
      return isThere;
    },
  };
}

/** Some programs write the index of the page, as for other documents. */
function pageOf({ pages }: SourceDocument, list: PDFArray | undefined): PDFRef | undefined {
  const first = list !== undefined && list.size() > 0 ? list.get(0) : undefined;
  return first instanceof PDFNumber ? pages[first.asNumber()]?.ref : first instanceof PDFRef ? first : undefined;
}

type Places = ReadonlyMap<PDFRef, readonly (readonly [key: string, value: PDFObject])[]>;

/** Returns the named places of each page. */
const placesByPage = oncePerDocument((source): Places => {
  const found = new Map<PDFRef, (readonly [string, PDFObject])[]>();
  for (const entry of readPlaces(source.context, source.catalog)) {
    const page = pageOf(source, listOfPlace(source.context, entry[1]));
    if (page === undefined) continue;
    const places = found.get(page) ?? [];
    places.push(entry);
    found.set(page, places);
  }
  return found;
});

/** Reads the tree of names of newer documents, and the dictionary of older ones. */
function readPlaces(context: PDFContext, catalog: PDFDict): ReadonlyMap<string, PDFObject> {
  const places = new Map<string, PDFObject>();
  const older = dictOf(context, catalog.get(name('Dests')));
  for (const [key, value] of older?.entries() ?? []) places.set(keyOf(context, key) ?? '', value);
  const names = dictOf(context, catalog.get(name('Names')));
  for (const [key, value] of entriesOfTree(context, names?.get(name('Dests')), 'Names')) {
    const text = keyOf(context, key);
    if (text !== undefined) places.set(text, value);
  }
  return places;
}

/** Returns the list of a place, which begins with its page: the place itself, or a dictionary with it. */
function listOfPlace(context: PDFContext, value: PDFObject): PDFArray | undefined {
  const found = resolved(context, value);
  if (found instanceof PDFArray) return found;
  return found instanceof PDFDict ? arrayOf(context, found.get(name('D'))) : undefined;
}
