import type { PDFContext, PDFDict, PDFObject } from '@cantoo/pdf-lib';
import { PDFRef } from '@cantoo/pdf-lib';
import { editable, type Edits } from '../adoption.ts';
import { dictOf, entriesOfTree, keyOf, listOf, MOST_NODES, name, numberOf, numberTree } from '../objects.ts';
import { annotationPages } from '../annotations.ts';
import { oncePerDocument, type SourceDocument } from '../source-document.ts';

/** The structure of a document. */
export interface Structure {
  /** From the top down. */
  readonly elements: readonly PDFDict[];
  /** The element above each. */
  readonly above: ReadonlyMap<PDFDict, PDFDict>;
  /** Elements with content of a page. */
  readonly byPage: ReadonlyMap<PDFRef, readonly PDFDict[]>;
  /** Elements with content, also below them. */
  readonly filled: ReadonlySet<PDFDict>;
  /** Elements by their references. */
  readonly byRef: ReadonlyMap<PDFRef, PDFDict>;
  readonly parents: readonly (readonly [number: number, value: PDFObject])[];
  readonly named: readonly (readonly [key: string, value: PDFObject])[];
}

/** Returns the structure of a document. */
export const structureOf = oncePerDocument((source): Structure => {
  const { context, catalog } = source;
  const tree = dictOf(context, catalog.get(name('StructTreeRoot'))) ?? context.obj({});
  const elements: PDFDict[] = [];
  const above = new Map<PDFDict, PDFDict>();
  const byPage = new Map<PDFRef, PDFDict[]>();
  const byRef = new Map<PDFRef, PDFDict>();
  const filled = new Set<PDFDict>();
  const waiting: { readonly element: PDFDict; readonly parent: PDFDict }[] = [];
  const push = (kids: readonly PDFObject[], parent: PDFDict): void => {
    for (const kid of kids) {
      const element = dictOf(context, kid);
      if (element?.has(name('S')) !== true) continue;
      if (kid instanceof PDFRef) byRef.set(kid, element);
      waiting.push({ element, parent });
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
    const content = kids.filter((kid) => !hasRole(context, kid));
    const own = element.get(name('Pg'));
    const pages = new Set(content.flatMap((kid) => pageOfContent(source, kid, element) ?? []));
    if (own instanceof PDFRef) pages.add(own);
    if (content.length > 0 || pages.size > 0)
      for (let up: PDFDict | undefined = element; up !== undefined && !filled.has(up); up = above.get(up))
        filled.add(up);
    for (const page of pages) {
      const all = byPage.get(page) ?? [];
      all.push(element);
      byPage.set(page, all);
    }
  }
  return {
    elements,
    above,
    byPage,
    filled,
    byRef,
    parents: entriesOfTree(context, tree.get(name('ParentTree')), 'Nums').flatMap(([key, value]) => {
      const number = numberOf(context, key);
      return number === undefined || number < 0 ? [] : [[number, value] as const];
    }),
    named: entriesOfTree(context, tree.get(name('IDTree')), 'Names').flatMap(([key, value]) => {
      const text = keyOf(context, key);
      return text === undefined ? [] : [[text, value] as const];
    }),
  };
});

function hasRole(context: PDFContext, kid: PDFObject): boolean {
  return dictOf(context, kid)?.has(name('S')) === true;
}

/** Returns the page of a piece of content: a number, a dictionary with its page, or an annotation. */
function pageOfContent(source: SourceDocument, kid: PDFObject, element: PDFDict): PDFRef | undefined {
  const dict = dictOf(source.context, kid);
  const page = dict?.get(name('Pg')) ?? element.get(name('Pg'));
  if (page instanceof PDFRef) return page;
  const annotation = dict?.get(name('Obj'));
  return annotation instanceof PDFRef ? annotationPages(source).get(annotation)?.[0] : undefined;
}

interface KeptElements {
  readonly elements: readonly PDFDict[];
  /** True for the reference of an element whose content is on no kept page. */
  readonly isLeftOut: (ref: PDFRef) => boolean;
}

/** Removes elements whose content lies on pages that are not kept. Returns the others. */
export function keptElements(
  source: SourceDocument,
  tree: PDFDict,
  { kept, edits }: { readonly kept: ReadonlySet<PDFRef>; readonly edits: Edits },
): KeptElements {
  const { context } = source;
  const { elements, above, byPage, byRef, filled } = structureOf(source);
  if (kept.size === source.pages.length) return { elements, isLeftOut: () => false };
  const left = new Set<PDFDict>([tree]);
  for (const page of kept)
    for (const element of byPage.get(page) ?? [])
      for (let up: PDFDict | undefined = element; up !== undefined && !left.has(up); up = above.get(up)) left.add(up);
  for (const element of left) {
    const kids = listOf(context, element.get(name('K')));
    const own = kids.filter((kid) => {
      const dict = dictOf(context, kid);
      if (dict?.has(name('S')) === true) return left.has(dict) || !filled.has(dict);
      const page = pageOfContent(source, kid, element);
      return page !== undefined && kept.has(page);
    });
    if (own.length < kids.length) editable(edits, element).set(name('K'), context.obj(own));
    const page = element.get(name('Pg'));
    if (page instanceof PDFRef && !kept.has(page)) editable(edits, element).delete(name('Pg'));
  }
  left.delete(tree);
  return {
    elements: [...left],
    isLeftOut: (ref) => {
      const element = byRef.get(ref);
      return element !== undefined && filled.has(element) && !left.has(element);
    },
  };
}

/** Removes annotations from the structure of a document. */
export function removeFromTags(source: SourceDocument, removed: ReadonlySet<PDFRef>): void {
  const { context, catalog } = source;
  const tree = dictOf(context, catalog.get(name('StructTreeRoot')));
  if (tree === undefined || removed.size === 0) return;
  const numbers = new Set<number>();
  for (const ref of removed) {
    const number = numberOf(context, dictOf(context, ref)?.get(name('StructParent')));
    if (number !== undefined) numbers.add(number);
  }
  const { elements, parents } = structureOf(source);
  for (const element of elements) {
    const kids = listOf(context, element.get(name('K')));
    const left = kids.filter((kid) => {
      const target = dictOf(context, kid)?.get(name('Obj'));
      return !(target instanceof PDFRef && removed.has(target));
    });
    if (left.length < kids.length) element.set(name('K'), context.obj(left));
  }
  tree.set(
    name('ParentTree'),
    numberTree(
      context,
      parents.filter(([number]) => !numbers.has(number)),
    ),
  );
}
