import type { PDFContext, PDFDict, PDFObject } from '@cantoo/pdf-lib';
import { PDFRef } from '@cantoo/pdf-lib';
import { editable, type Edits } from '../adoption.ts';
import { dictOf, entriesOfTree, keyOf, listOf, MOST_NODES, name, numberOf } from '../objects.ts';
import type { SourceDocument } from '../source-document.ts';

/** The structure of a source, which is read once, also if the source is split into many pieces. */
export interface Structure {
  /** From the top down. */
  readonly elements: readonly PDFDict[];
  /** The element above each. */
  readonly above: ReadonlyMap<PDFDict, PDFDict>;
  /** Elements with content of a page. */
  readonly byPage: ReadonlyMap<PDFRef, readonly PDFDict[]>;
  /** Elements with content, also below them. */
  readonly filled: ReadonlySet<PDFDict>;
  readonly parents: readonly (readonly [number: number, value: PDFObject])[];
  readonly named: readonly (readonly [key: string, value: PDFObject])[];
}

const structures = new WeakMap<SourceDocument, Structure>();

/** Returns the structure below a root. */
export function structureOf(source: SourceDocument, tree: PDFDict): Structure {
  const known = structures.get(source);
  if (known !== undefined) return known;
  const { context } = source;
  const elements: PDFDict[] = [];
  const above = new Map<PDFDict, PDFDict>();
  const byPage = new Map<PDFRef, PDFDict[]>();
  const waiting: { readonly element: PDFDict; readonly parent: PDFDict }[] = [];
  const push = (kids: readonly PDFObject[], parent: PDFDict): void => {
    for (const kid of kids) {
      const element = dictOf(context, kid);
      if (element?.has(name('S')) === true) waiting.push({ element, parent });
    }
  };
  push(listOf(context, tree.get(name('K'))), tree);
  for (let next = waiting.pop(); next !== undefined && elements.length < MOST_NODES; next = waiting.pop()) {
    const { element, parent } = next;
    if (above.has(element)) continue;
    above.set(element, parent);
    elements.push(element);
    const kids = listOf(context, element.get(name('K')));
    push(kids, element);
    for (const page of new Set(kids.flatMap((kid) => pageOfContent(context, kid, element) ?? []))) {
      const all = byPage.get(page) ?? [];
      all.push(element);
      byPage.set(page, all);
    }
  }
  const filled = new Set<PDFDict>();
  for (const all of byPage.values())
    for (const element of all)
      for (let up: PDFDict | undefined = element; up !== undefined && !filled.has(up); up = above.get(up))
        filled.add(up);
  const structure: Structure = {
    elements,
    above,
    byPage,
    filled,
    parents: entriesOfTree(context, tree.get(name('ParentTree')), 'Nums').flatMap(([key, value]) => {
      const number = numberOf(context, key);
      return number === undefined || number < 0 ? [] : [[number, value] as const];
    }),
    named: entriesOfTree(context, tree.get(name('IDTree')), 'Names').flatMap(([key, value]) => {
      const text = keyOf(context, key);
      return text === undefined ? [] : [[text, value] as const];
    }),
  };
  structures.set(source, structure);
  return structure;
}

/** Returns the page of a piece of content: a number, or a dictionary with one. Undefined for elements. */
function pageOfContent(context: PDFContext, kid: PDFObject, element: PDFDict): PDFRef | undefined {
  const dict = dictOf(context, kid);
  if (dict?.has(name('S')) === true) return undefined;
  const page = dict?.get(name('Pg')) ?? element.get(name('Pg'));
  return page instanceof PDFRef ? page : undefined;
}

/** Removes elements whose content lies on pages that are not kept. Returns the others. */
export function prune(
  { above, byPage, filled }: Structure,
  tree: PDFDict,
  { kept, edits }: { readonly kept: ReadonlySet<PDFRef>; readonly edits: Edits },
): readonly PDFDict[] {
  const { context } = tree;
  const left = new Set<PDFDict>([tree]);
  for (const page of kept)
    for (const element of byPage.get(page) ?? [])
      for (let up: PDFDict | undefined = element; up !== undefined && !left.has(up); up = above.get(up)) left.add(up);
  for (const element of left) {
    const kids = listOf(context, element.get(name('K')));
    const own = kids.filter((kid) => {
      const dict = dictOf(context, kid);
      if (dict?.has(name('S')) === true) return left.has(dict) || !filled.has(dict);
      const page = pageOfContent(context, kid, element);
      return page === undefined || kept.has(page);
    });
    if (own.length < kids.length) editable(edits, element).set(name('K'), context.obj(own));
    const page = element.get(name('Pg'));
    if (page instanceof PDFRef && !kept.has(page)) editable(edits, element).delete(name('Pg'));
  }
  left.delete(tree);
  return [...left];
}
