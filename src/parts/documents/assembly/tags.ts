import {
  PDFArray,
  type PDFContext,
  PDFDict,
  type PDFHexString,
  PDFNumber,
  type PDFObject,
  PDFRef,
} from '@cantoo/pdf-lib';
import { type Adoption, editable, type Edits } from './adoption.ts';
import { dictOf, entriesOfTree, keyObject, keyOf, listOf, MOST_NODES, name, nameTree, numberOf } from './objects.ts';
import type { SourceDocument } from './source-document.ts';

/** The structure of the new document, as it grows. */
export interface TagState {
  readonly root: PDFRef;
  readonly kids: PDFArray;
  readonly roles: PDFDict;
  readonly classes: PDFDict;
  /** What belongs to the numbers of pages and annotations. */
  readonly parents: [number: number, value: PDFObject][];
  readonly ids: Map<string, PDFObject>;
  /** The next number that is free. */
  next: number;
  /** False as soon as a part has no tags. */
  isWhole: boolean;
}

export function createTags(context: PDFContext): TagState {
  return {
    root: context.nextRef(),
    kids: PDFArray.withContext(context),
    roles: PDFDict.withContext(context),
    classes: PDFDict.withContext(context),
    parents: [],
    ids: new Map(),
    next: 0,
    isWhole: true,
  };
}

/** The structure of a part. */
export interface PartTags {
  /** Added to the numbers of its pages and annotations. */
  readonly shift: number;
  readonly root: PDFRef | undefined;
  /** Adds the structure to the new document, when its pages are there. */
  readonly finish: (adoption: Adoption) => void;
}

const NONE: PartTags = { shift: 0, root: undefined, finish: () => undefined };

/**
 * Prepares the structure of a part: elements without content on a kept page go, and ids get the number of the part,
 * because browsers number them in each document from the start.
 */
export function prepareTags(
  { context, catalog, pages }: SourceDocument,
  kept: ReadonlySet<PDFRef>,
  { state, part, edits }: { readonly state: TagState; readonly part: number; readonly edits: Edits },
): PartTags {
  const root = catalog.get(name('StructTreeRoot'));
  const tree = dictOf(context, root);
  if (tree === undefined || !(root instanceof PDFRef)) {
    state.isWhole = false;
    return NONE;
  }
  const marks = dictOf(context, catalog.get(name('MarkInfo')));
  if (String(marks?.get(name('Marked'))) !== 'true') state.isWhole = false;
  const elements = elementsOf(context, tree);
  if (kept.size < pages.length) prune(context, tree, { elements, kept, edits });
  const ids = part > 0 ? renameIds(context, elements, { prefix: `p${part + 1}-`, edits }) : (key: string) => key;
  const parents = entriesOfTree(context, tree.get(name('ParentTree')), 'Nums').flatMap(
    ([key, value]): [number, PDFObject][] => {
      const number = numberOf(context, key);
      return number === undefined || number < 0 ? [] : [[number, value]];
    },
  );
  const shift = state.next;
  state.next += parents.reduce((most, [number]) => Math.max(most, number + 1), 0);
  const kids = listOf(context, (edits.get(tree) ?? tree).get(name('K')));
  const named = entriesOfTree(context, tree.get(name('IDTree')), 'Names');
  return {
    shift,
    root,
    finish: (adoption) => {
      for (const kid of kids) state.kids.push(adoption.adopt(kid));
      for (const [number, value] of parents) state.parents.push([number + shift, adoption.adopt(value)]);
      for (const [key, value] of named) {
        const text = keyOf(context, key);
        if (text !== undefined) state.ids.set(ids(text), adoption.adopt(value));
      }
      for (const [key, all] of [
        ['RoleMap', state.roles],
        ['ClassMap', state.classes],
      ] as const)
        for (const [role, value] of dictOf(context, tree.get(name(key)))?.entries() ?? [])
          if (!all.has(role)) all.set(role, adoption.adopt(value));
    },
  };
}

/** Returns the elements of a structure, from the top down. */
function elementsOf(context: PDFContext, tree: PDFDict): readonly PDFDict[] {
  const elements: PDFDict[] = [];
  const seen = new Set<PDFDict>();
  const waiting = [...listOf(context, tree.get(name('K')))];
  for (let next = waiting.pop(); next !== undefined && elements.length < MOST_NODES; next = waiting.pop()) {
    const element = dictOf(context, next);
    if (element === undefined || seen.has(element) || !element.has(name('S'))) continue;
    seen.add(element);
    elements.push(element);
    waiting.push(...listOf(context, element.get(name('K'))));
  }
  return elements;
}

/** Removes elements whose content lies on pages that are not kept. */
function prune(
  context: PDFContext,
  tree: PDFDict,
  {
    elements,
    kept,
    edits,
  }: { readonly elements: readonly PDFDict[]; readonly kept: ReadonlySet<PDFRef>; readonly edits: Edits },
): void {
  const isGone = (page: PDFObject | undefined): boolean => page instanceof PDFRef && !kept.has(page);
  const gone = new Set<PDFDict>();
  const keep = (element: PDFDict): void => {
    const kids = listOf(context, element.get(name('K')));
    if (kids.length === 0) return;
    const own = element.get(name('Pg'));
    const left = kids.filter((kid) => {
      const dict = dictOf(context, kid);
      if (dict === undefined) return !isGone(own);
      return dict.has(name('S')) ? !gone.has(dict) : !isGone(dict.get(name('Pg')) ?? own);
    });
    if (left.length < kids.length) editable(edits, element).set(name('K'), context.obj([...left]));
    if (left.length === 0) gone.add(element);
  };
  for (const element of elements.toReversed()) keep(element); // what is below comes first
  keep(tree);
}

/** Gives new ids to elements, also where cells name the ids of their heads. Returns the function that does. */
function renameIds(
  context: PDFContext,
  elements: readonly PDFDict[],
  { prefix, edits }: { readonly prefix: string; readonly edits: Edits },
): (key: string) => string {
  const renamed = (value: PDFObject): PDFHexString | undefined => {
    const key = keyOf(context, value);
    return key === undefined ? undefined : keyObject(prefix + key);
  };
  for (const element of elements) {
    const id = element.get(name('ID'));
    const next = id && renamed(id);
    if (next !== undefined) editable(edits, element).set(name('ID'), next);
    for (const attribute of listOf(context, element.get(name('A')))) {
      const dict = dictOf(context, attribute);
      const heads = dict?.get(name('Headers'));
      if (dict === undefined || heads === undefined) continue;
      editable(edits, dict).set(
        name('Headers'),
        context.obj(listOf(context, heads).flatMap((head) => renamed(head) ?? [])),
      );
    }
  }
  return (key) => prefix + key;
}

/** Writes the structure. Returns its root. Undefined without an element. */
export function writeTags(context: PDFContext, state: TagState): PDFRef | undefined {
  if (state.kids.size() === 0) return undefined;
  const tree = PDFDict.withContext(context);
  tree.set(name('Type'), name('StructTreeRoot'));
  tree.set(name('K'), state.kids);
  if (state.roles.keys().length > 0) tree.set(name('RoleMap'), state.roles);
  if (state.classes.keys().length > 0) tree.set(name('ClassMap'), state.classes);
  if (state.ids.size > 0) tree.set(name('IDTree'), nameTree(context, state.ids));
  const numbers = PDFArray.withContext(context);
  for (const [number, value] of state.parents.toSorted(([a], [b]) => a - b)) {
    numbers.push(PDFNumber.of(number));
    numbers.push(value);
  }
  tree.set(name('ParentTree'), context.register(context.obj({ Nums: numbers })));
  tree.set(name('ParentTreeNextKey'), PDFNumber.of(state.next));
  context.assign(state.root, tree);
  return state.root;
}
