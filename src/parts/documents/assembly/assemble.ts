import {
  PDFArray,
  type PDFContext,
  type PDFDict,
  PDFDocument,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRef,
} from '@cantoo/pdf-lib';
import { createAdoption, editable, type Edits, shift } from './adoption.ts';
import {
  adoptFiles,
  adoptLayers,
  associatedFiles,
  type Files,
  hasScripts,
  type Label,
  type Layers,
  readLabels,
  writeLabels,
  writeLayers,
} from './catalog-parts.ts';
import { PartError } from './part-error.ts';
import { claimsOf, type Claims } from './claims.ts';
import { createForm, prepareForm, writeForm } from './forms.ts';
import { dictOf, name, nameTree, textOf } from './objects.ts';
import { type Bookmark, bookmarkTo, readBookmarks, writeBookmarks } from './outlines.ts';
import { boxOf, type SourceDocument, type SourcePage } from './source-document.ts';
import { createTags, prepareTags, writeTags } from './tags.ts';
import { readTargets } from './targets.ts';

/** Which pages of an open document a part has, and how. */
export interface PartOptions {
  /** Numbers of its pages, from 1, as ranges such as `1-3,5,8-`. Undefined: all. */
  readonly pages?: string | undefined;
  /** Degrees by which its pages are turned clockwise. */
  readonly rotate?: number | undefined;
  /** Its bookmark. */
  readonly title?: string | undefined;
}

interface Part extends PartOptions {
  readonly source: SourceDocument;
}

export type OutlineMode = 'keep' | 'titles' | 'none';

/** What happened to the parts. */
export type AssemblyWarning =
  'pdf_signatures_removed' | 'pdf_xfa_removed' | 'pdf_scripts_removed' | 'pdf_links_removed' | 'pdf_tags_incomplete';

/** A document that is assembled in memory. */
export interface Assembled {
  readonly document: PDFDocument;
  readonly pages: readonly { readonly ref: PDFRef; readonly width: number; readonly height: number }[];
  readonly warnings: readonly AssemblyWarning[];
  /** The standards that each part claims to meet. */
  readonly claims: readonly Claims[];
}

const MOST_PAGES = 100_000;

/**
 * Joins the pages of all parts. Bookmarks, links, named places, form fields, files, layers, labels and tags stay and
 * lead to their pages.
 * @throws PartError for pages that a part does not have
 */
export async function assemble(parts: readonly Part[], outline: OutlineMode): Promise<Assembled> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const { context, catalog } = document;
  const state = {
    form: createForm(context),
    tags: createTags(context),
    layers: new Map() as Layers,
    files: new Map() as Files,
    places: new Map<string, PDFObject>(),
    associated: PDFArray.withContext(context),
    known: new Map<string, PDFRef>(),
  };
  const tree = context.nextRef();
  const pages: { ref: PDFRef; width: number; height: number }[] = [];
  const labels: (readonly (Label | undefined)[])[] = [];
  const bookmarks: Bookmark[] = [];
  const warnings = new Set<AssemblyWarning>();
  const names = new Set<string>();
  const claims: Claims[] = [];
  for (const [index, part] of parts.entries()) {
    const { source } = part;
    const chosen = choosePages(part, index);
    if (pages.length + chosen.length > MOST_PAGES)
      throw new PartError(index, `would make more than ${MOST_PAGES} pages`);
    const kept = new Set(chosen.map(({ ref }) => ref));
    claims.push(claimsOf(source));
    if (hasScripts(source)) warnings.add('pdf_scripts_removed');
    const own = readLabels(source);
    labels.push(chosen.map((page) => own?.[source.pages.indexOf(page)]));
    const boxes = chosen.map((page) => boxOf(source, page));
    const targets = readTargets(source, kept, names);
    const edits: Edits = new Map();
    const form = prepareForm(
      source,
      chosen.map(({ dict }) => dict),
      { state: state.form, edits },
    );
    const tags = prepareTags(source, kept, { state: state.tags, part: index, edits });
    const adoption = createAdoption({
      from: source.context,
      to: context,
      instead: replaced(source, kept, tags.root && { from: tags.root, to: state.tags.root }),
      edits,
      visit: (dict) => {
        targets.mend(dict);
        for (const key of ['StructParents', 'StructParent']) {
          if (tags.root === undefined) dict.delete(name(key));
          else shift(dict, key, tags.shift);
        }
      },
      known: state.known,
    });
    const first = pages.length;
    for (const [at, { ref, dict }] of chosen.entries()) {
      const { width = 0, height = 0, rotate = 0 } = boxes[at] ?? {};
      const turned = (rotate + (part.rotate ?? 0)) % 360;
      const page = editable(edits, dict);
      for (const key of ['Parent', 'B']) page.delete(name(key));
      page.set(name('Rotate'), PDFNumber.of(turned));
      const next = adoption.adoptRef(ref);
      const copy = dictOf(context, next);
      if (next === undefined || copy === undefined) continue;
      copy.set(name('Parent'), tree);
      pages.push({ ref: next, ...(turned % 180 === 0 ? { width, height } : { width: height, height: width }) });
    }
    const title = part.title ?? titleOf(source) ?? `${index + 1}`;
    form.finish(adoption);
    tags.finish(adoption);
    for (const [key, value] of targets.places) state.places.set(key, adoption.adopt(value));
    adoptLayers(source, adoption, { layers: state.layers, to: context });
    adoptFiles(source, adoption, { files: state.files, edits });
    for (const file of associatedFiles(source, adoption)) state.associated.push(file);
    const inside = outline === 'none' ? [] : readBookmarks(source, adoption, targets);
    const firstPage = pages[first]?.ref;
    if (outline === 'titles' && firstPage !== undefined) bookmarks.push(bookmarkTo(context, firstPage, title, inside));
    else bookmarks.push(...inside);
    if (targets.lost() > 0) warnings.add('pdf_links_removed');
    copyFacts(source, { to: document, isFirst: index === 0, adopt: adoption.adopt });
  }
  if (state.form.hasSignatures) warnings.add('pdf_signatures_removed');
  if (state.form.hasXfa) warnings.add('pdf_xfa_removed');
  writePages(context, catalog, { tree, pages });
  const entries: readonly (readonly [string, PDFObject | undefined])[] = [
    ['AcroForm', writeForm(context, state.form)],
    ['StructTreeRoot', writeTags(context, state.tags)],
    ['Outlines', bookmarks.length === 0 ? undefined : writeBookmarks(context, bookmarks)],
    ['OCProperties', writeLayers(context, state.layers)],
    ['PageLabels', writeLabels(context, labels)],
    ['AF', state.associated.size() === 0 ? undefined : state.associated],
    ['Names', writeNames(context, state)],
  ];
  for (const [key, value] of entries) if (value !== undefined) catalog.set(name(key), value);
  if (catalog.has(name('StructTreeRoot'))) {
    catalog.set(name('MarkInfo'), context.obj({ Marked: state.tags.isWhole }));
    if (!state.tags.isWhole) warnings.add('pdf_tags_incomplete');
  }
  return {
    document,
    pages,
    warnings: [...warnings],
    claims,
  };
}

/** Returns the pages of a part in the order of the document, each once. */
function choosePages({ source: { pages }, pages: ranges }: Part, index: number): readonly SourcePage[] {
  if (ranges === undefined) return pages;
  const chosen = pagesIn(ranges, pages.length, index);
  return pages.filter((_, at) => chosen.has(at));
}

/**
 * Returns the indices of the pages of ranges such as `1-3,5,8-`.
 * @throws PartError for a range that begins after the last page
 */
export function pagesIn(ranges: string, count: number, part: number): ReadonlySet<number> {
  const chosen = new Set<number>();
  for (const range of ranges.split(',')) {
    const [from = '', to = from] = range.split('-');
    const first = Number(from);
    if (first > count) throw new PartError(part, `has ${count} ${count === 1 ? 'page' : 'pages'}, so no page ${first}`);
    const last = Math.min(to === '' ? count : Number(to), count);
    for (let number = first; number <= last; number++) chosen.add(number - 1);
  }
  return chosen;
}

/** Returns what references to left out objects become: pages that are not kept, and what stands above pages. */
function replaced(
  { context, pages, nodes }: SourceDocument,
  kept: ReadonlySet<PDFRef>,
  root: { readonly from: PDFRef; readonly to: PDFRef } | undefined,
): ReadonlyMap<PDFRef, PDFRef | undefined> {
  const instead = new Map<PDFRef, PDFRef | undefined>();
  for (const { ref } of pages) if (!kept.has(ref)) instead.set(ref, undefined);
  for (const ref of nodes) instead.set(ref, undefined);
  const { Root: catalog } = context.trailerInfo;
  if (catalog instanceof PDFRef) instead.set(catalog, undefined);
  if (root !== undefined) instead.set(root.from, root.to);
  return instead;
}

function titleOf({ context }: SourceDocument): string | undefined {
  const info = dictOf(context, context.trailerInfo.Info);
  return textOf(context, info?.get(name('Title'))) || undefined;
}

interface Copying {
  readonly to: PDFDocument;
  readonly isFirst: boolean;
  readonly adopt: (value: PDFObject) => PDFObject;
}

/** The metadata, the language and the way it is shown are those of the first part. */
function copyFacts({ context, catalog }: SourceDocument, { to, isFirst, adopt }: Copying): void {
  if (!isFirst) return;
  for (const key of ['Lang', 'ViewerPreferences', 'PageMode', 'PageLayout', 'OutputIntents']) {
    const value = catalog.get(PDFName.of(key));
    if (value !== undefined) to.catalog.set(name(key), adopt(value));
  }
  const info = dictOf(context, context.trailerInfo.Info);
  if (info !== undefined) to.context.trailerInfo.Info = to.context.register(adopt(info));
}

function writePages(
  context: PDFContext,
  catalog: PDFDict,
  { tree, pages }: { readonly tree: PDFRef; readonly pages: readonly { readonly ref: PDFRef }[] },
): void {
  const kids = context.obj(pages.map(({ ref }) => ref));
  context.assign(tree, context.obj({ Type: name('Pages'), Kids: kids, Count: pages.length }));
  catalog.set(name('Pages'), tree);
}

function writeNames(
  context: PDFContext,
  {
    places,
    files,
  }: { readonly places: ReadonlyMap<string, PDFObject>; readonly files: ReadonlyMap<string, PDFObject> },
): PDFObject | undefined {
  if (places.size + files.size === 0) return undefined;
  return context.obj({
    ...(places.size > 0 && { Dests: nameTree(context, places) }),
    ...(files.size > 0 && { EmbeddedFiles: nameTree(context, files) }),
  });
}
