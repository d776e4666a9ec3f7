import {
  PDFArray,
  type PDFContext,
  PDFDict,
  type PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRef,
} from '@cantoo/pdf-lib';
import { type Adoption, editable, type Edits } from '../adoption.ts';
import { dictOf, freeName, keyObject, keyOf, listOf, name, nameOf, nameTree, numberTree, textOf } from '../objects.ts';
import type { SourceDocument } from '../source-document.ts';
import { keptElements, structureOf } from './structure-tree.ts';

/** The structure of the new document, as it grows. */
export interface TagState {
  readonly root: PDFRef;
  readonly kids: PDFArray;
  /** What roles mean, by name. The values are those of the new document. */
  readonly roles: Map<string, PDFObject>;
  readonly classes: PDFDict;
  /** What belongs to the numbers of pages and annotations. */
  readonly parents: [number: number, value: PDFObject][];
  readonly ids: Map<string, PDFObject>;
  /** Language of the new document. Undefined before the first part. */
  language: { readonly tag: string | undefined } | undefined;
  /** The next number that is free. */
  next: number;
  /** False as soon as a part has no tags. */
  isWhole: boolean;
}

export function createTags(context: PDFContext): TagState {
  return {
    root: context.nextRef(),
    kids: PDFArray.withContext(context),
    roles: new Map(),
    classes: PDFDict.withContext(context),
    parents: [],
    ids: new Map(),
    language: undefined,
    next: 0,
    isWhole: true,
  };
}

/** The structure of a part. */
export interface PartTags {
  readonly root: PDFRef | undefined;
  /** True for an element whose content is on no kept page. */
  readonly isLeftOut: (ref: PDFRef) => boolean;
  /** Moves the numbers of a page or annotation behind those of the parts before, and notes that they are used. */
  readonly renumber: (dict: PDFDict) => void;
  /** Adds the structure to the new document, when its pages are there. */
  readonly finish: (adoption: Adoption) => void;
}

const NUMBERS = ['StructParents', 'StructParent'].map(name);

const NONE: PartTags = {
  root: undefined,
  isLeftOut: () => false,
  renumber: (dict) => {
    for (const key of NUMBERS) dict.delete(key);
  },
  finish: () => undefined,
};

interface PreparingTags {
  readonly state: TagState;
  /** Index of the part. */
  readonly part: number;
  readonly edits: Edits;
}

/**
 * Prepares the structure of a part: elements without content on a kept page go. Ids get the number of the part, because
 * browsers number them in each document from the start, and roles that mean something else get another name.
 */
export function prepareTags(
  source: SourceDocument,
  kept: ReadonlySet<PDFRef>,
  { state, part, edits }: PreparingTags,
): PartTags {
  const { context, catalog } = source;
  const root = catalog.get(name('StructTreeRoot'));
  const tree = dictOf(context, root);
  const language = textOf(context, catalog.get(name('Lang')));
  state.language ??= { tag: language };
  if (tree === undefined || !(root instanceof PDFRef)) {
    state.isWhole = false;
    return NONE;
  }
  const marks = dictOf(context, catalog.get(name('MarkInfo')));
  if (String(marks?.get(name('Marked'))) !== 'true') state.isWhole = false;
  const structure = structureOf(source);
  const { elements, isLeftOut } = keptElements(source, tree, { kept, edits });
  const ids = part > 0 ? renameIds(context, elements, { prefix: `p${part + 1}-`, edits }) : (key: string) => key;
  const roles = renameRoles(context, elements, { tree, state, edits });
  const kids = listOf(context, (edits.get(tree) ?? tree).get(name('K')));
  if (language !== undefined && language !== state.language.tag) nameLanguage(source, kids, edits);
  const shift = state.next;
  state.next += structure.parents.reduce((most, [number]) => Math.max(most, number + 1), 0);
  const used = new Set<number>();
  return {
    root,
    isLeftOut,
    renumber: (dict) => {
      for (const key of NUMBERS) {
        const number = dict.get(key);
        if (!(number instanceof PDFNumber)) continue;
        used.add(number.asNumber());
        dict.set(key, PDFNumber.of(number.asNumber() + shift));
      }
    },
    finish: (adoption) => {
      for (const kid of kids) state.kids.push(adoption.adopt(kid));
      for (const [number, value] of structure.parents)
        if (used.has(number)) state.parents.push([number + shift, adoption.adopt(value)]);
      for (const [key, value] of structure.named) {
        const isThere = value instanceof PDFRef && adoption.has(value);
        if (isThere) state.ids.set(ids(key), adoption.adopt(value));
      }
      for (const [role, value] of roles) state.roles.set(role, adoption.adopt(value));
      for (const [key, value] of dictOf(context, tree.get(name('ClassMap')))?.entries() ?? [])
        if (!state.classes.has(key)) state.classes.set(key, adoption.adopt(value));
    },
  };
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

interface RenamingRoles {
  readonly tree: PDFDict;
  readonly state: TagState;
  readonly edits: Edits;
}

/** Returns what the roles of a part mean, with other names for those that mean something else before. */
function renameRoles(
  context: PDFContext,
  elements: readonly PDFDict[],
  { tree, state, edits }: RenamingRoles,
): readonly (readonly [role: string, value: PDFObject])[] {
  const renamed = new Map<string, string>();
  const taken = new Set(state.roles.keys());
  const roles = (dictOf(context, tree.get(name('RoleMap')))?.entries() ?? []).map(([key, value]) => {
    const role = key.decodeText();
    const before = state.roles.get(role);
    if (before === undefined || nameOf(context, before) === nameOf(context, value)) return [role, value] as const;
    const free = freeName(role, taken, (number) => `${role}-${number}`);
    renamed.set(role, free);
    return [free, value] as const;
  });
  for (const element of renamed.size === 0 ? [] : elements) {
    const free = renamed.get(nameOf(context, element.get(name('S'))) ?? '');
    if (free !== undefined) editable(edits, element).set(name('S'), name(free));
  }
  return roles;
}

/** Writes the language of a part into its elements: it differs from that of the new document. */
function nameLanguage({ context, catalog }: SourceDocument, kids: readonly PDFObject[], edits: Edits): void {
  const language = catalog.get(name('Lang'));
  for (const kid of kids) {
    const element = dictOf(context, kid);
    if (element !== undefined && language !== undefined && !element.has(name('Lang')))
      editable(edits, element).set(name('Lang'), language);
  }
}

/** Writes the structure. Returns its root. Undefined without an element. */
export function writeTags(context: PDFContext, state: TagState): PDFRef | undefined {
  if (state.kids.size() === 0) return undefined;
  const tree = PDFDict.withContext(context);
  tree.set(name('Type'), name('StructTreeRoot'));
  tree.set(name('K'), state.kids);
  const roles = PDFDict.withContext(context);
  for (const [role, value] of state.roles) roles.set(PDFName.of(role), value);
  if (state.roles.size > 0) tree.set(name('RoleMap'), roles);
  if (state.classes.keys().length > 0) tree.set(name('ClassMap'), state.classes);
  if (state.ids.size > 0) tree.set(name('IDTree'), nameTree(context, state.ids));
  tree.set(name('ParentTree'), numberTree(context, state.parents));
  tree.set(name('ParentTreeNextKey'), PDFNumber.of(state.next));
  context.assign(state.root, tree);
  return state.root;
}
