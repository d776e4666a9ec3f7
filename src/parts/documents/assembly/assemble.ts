import { PDFArray, type PDFContext, PDFDict, PDFDocument, PDFNumber, type PDFObject, PDFRef } from '@cantoo/pdf-lib';
import { type Adoption, createAdoption, editable, type Edits } from './adoption.ts';
import { removeUnasked, standsElsewhere } from './annotations.ts';
import { type Part, choosePages } from './choose-pages.ts';
import {
  adoptFiles,
  adoptLayers,
  associatedFiles,
  type Files,
  type Label,
  type Layers,
  readLabels,
  runsScripts,
  writeLabels,
  writeLayers,
} from './catalog-parts.ts';
import { type Claims, claimsOf } from './claims.ts';
import { copyFacts, titleOf } from './facts.ts';
import { createForm, type FormState, prepareForm, writeForm } from './form/forms.ts';
import { dictOf, name, nameTree } from './objects.ts';
import { type Bookmark, bookmarkTo, readBookmarks, writeBookmarks } from './outlines.ts';
import { PartError } from './part-error.ts';
import { boxOf, type SourceDocument, type SourcePage } from './source-document.ts';
import { createTags, prepareTags, type TagState, writeTags } from './structure/tags.ts';
import { keepOwnResources } from './page-resources.ts';
import { readTargets, type Targets } from './targets.ts';

export type OutlineMode = 'keep' | 'titles' | 'none';

/** What happened to the parts. */
export type AssemblyWarning =
  'pdf_signatures_removed' | 'pdf_xfa_removed' | 'pdf_scripts_removed' | 'pdf_links_removed' | 'pdf_tags_incomplete';

/** A page of the new document, with its size as it is seen, in points. */
interface NewPage {
  readonly ref: PDFRef;
  readonly width: number;
  readonly height: number;
}

/** A document that is assembled in memory. */
export interface Assembled {
  readonly document: PDFDocument;
  readonly pages: readonly NewPage[];
  readonly warnings: readonly AssemblyWarning[];
  /** The standards that each part claims to meet. */
  readonly claims: readonly Claims[];
}

/** The new document, as it grows part by part. */
interface Growing {
  readonly document: PDFDocument;
  readonly context: PDFContext;
  /** The node above all pages. */
  readonly tree: PDFRef;
  readonly pages: NewPage[];
  readonly labels: (readonly (Label | undefined)[])[];
  readonly bookmarks: Bookmark[];
  readonly claims: Claims[];
  readonly warnings: Set<AssemblyWarning>;
  readonly form: FormState;
  readonly tags: TagState;
  readonly layers: Layers;
  readonly files: Files;
  readonly associated: PDFArray;
  readonly places: Map<string, PDFObject>;
  readonly placeNames: Set<string>;
  /** Streams that several parts have. */
  readonly known: Map<string, PDFRef>;
}

const MOST_PAGES = 100_000;

/**
 * Joins the pages of all parts. Bookmarks, links, named places, form fields, files, layers, labels and tags stay and
 * lead to their pages.
 * @throws PartError for pages that a part does not have
 */
export async function assemble(parts: readonly Part[], outline: OutlineMode): Promise<Assembled> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const { context } = document;
  const growing: Growing = {
    document,
    context,
    tree: context.nextRef(),
    pages: [],
    labels: [],
    bookmarks: [],
    claims: [],
    warnings: new Set(),
    form: createForm(context),
    tags: createTags(context),
    layers: new Map(),
    files: new Map(),
    associated: PDFArray.withContext(context),
    places: new Map(),
    placeNames: new Set(),
    known: new Map(),
  };
  for (const [index, part] of parts.entries()) addPart(growing, part, { index, outline });
  writeCatalog(growing);
  const { pages, warnings, claims } = growing;
  return { document, pages, warnings: [...warnings], claims };
}

interface Adding {
  readonly index: number;
  readonly outline: OutlineMode;
}

function addPart(growing: Growing, part: Part, { index, outline }: Adding): void {
  const { source } = part;
  const { pages, warnings, form: formState, tags: tagState } = growing;
  const chosen = choosePages(part, index);
  if (pages.length + chosen.length > MOST_PAGES) throw new PartError(index, `would make more than ${MOST_PAGES} pages`);
  const kept = new Set(chosen.map(({ ref }) => ref));
  growing.claims.push(claimsOf(source));
  if (runsScripts(source)) warnings.add('pdf_scripts_removed');
  growing.labels.push(labelsOf(source, chosen));
  const edits: Edits = new Map();
  const targets = readTargets(source, kept, growing.placeNames);
  const form = prepareForm(source, chosen, { state: formState, edits });
  const tags = prepareTags(source, kept, { state: tagState, part: index, edits });
  if (kept.size < source.pages.length) for (const page of chosen) keepOwnResources(source, page, edits);
  const adoption = createAdoption({
    from: source.context,
    to: growing.context,
    instead: replaced(source, kept, tags.root && { from: tags.root, to: tagState.root }),
    isLeftOut: (ref) => standsElsewhere(source, ref, kept) || tags.isLeftOut(ref),
    edits,
    visit: (dict) => {
      targets.mend(dict);
      form.mend(dict);
      tags.renumber(dict);
    },
    known: growing.known,
  });
  const first = pages.length;
  addPages(growing, part, { chosen, adoption, edits });
  form.finish(adoption);
  tags.finish(adoption);
  addCatalogParts(growing, source, { adoption, targets, edits });
  const inside = outline === 'none' ? [] : readBookmarks(source, adoption, targets);
  const firstPage = pages[first]?.ref;
  if (outline === 'titles' && firstPage !== undefined) {
    const title = part.title ?? titleOf(source) ?? `${index + 1}`;
    growing.bookmarks.push(bookmarkTo(growing.context, firstPage, title, inside));
  } else for (const bookmark of inside) growing.bookmarks.push(bookmark);
  if (targets.lost() > 0) warnings.add('pdf_links_removed');
  if (index === 0) copyFacts(source, growing.document, adoption);
}

function labelsOf(source: SourceDocument, chosen: readonly SourcePage[]): readonly (Label | undefined)[] {
  const labels = readLabels(source);
  if (labels === undefined) return chosen.map(() => undefined);
  const places = new Map(source.pages.map((page, at) => [page, at]));
  return chosen.map((page) => labels[places.get(page) ?? 0]);
}

interface AddingPages {
  readonly chosen: readonly SourcePage[];
  readonly adoption: Adoption;
  readonly edits: Edits;
}

function addPages(
  { context, tree, pages, warnings }: Growing,
  part: Part,
  { chosen, adoption, edits }: AddingPages,
): void {
  const done = new Set<PDFRef>();
  for (const page of chosen) {
    const { width, height, rotate } = boxOf(part.source, page);
    const turned = (rotate + (part.rotate ?? 0)) % 360;
    const edited = editable(edits, page.dict);
    if (removeUnasked(part.source.context, page.dict, edits) || page.dict.has(name('AA')))
      warnings.add('pdf_scripts_removed');
    for (const key of ['Parent', 'B', 'AA']) edited.delete(name(key));
    edited.set(name('Rotate'), PDFNumber.of(turned));
    const first = adoption.adoptRef(page.ref);
    const copy = dictOf(context, first);
    if (first === undefined || copy === undefined) continue;
    copy.set(name('Parent'), tree);
    // Some documents have a page twice: each place needs a page of its own.
    const ref = done.has(page.ref)
      ? context.register(PDFDict.fromMapWithContext(new Map(copy.entries()), context))
      : first;
    done.add(page.ref);
    pages.push({ ref, ...(turned % 180 === 0 ? { width, height } : { width: height, height: width }) });
  }
}

interface AddingParts {
  readonly adoption: Adoption;
  readonly targets: Targets;
  readonly edits: Edits;
}

function addCatalogParts(growing: Growing, source: SourceDocument, { adoption, targets, edits }: AddingParts): void {
  for (const [key, value] of targets.places) growing.places.set(key, adoption.adopt(value));
  adoptLayers(source, adoption, { layers: growing.layers, to: growing.context });
  adoptFiles(source, adoption, { files: growing.files, edits });
  for (const file of associatedFiles(source, adoption)) growing.associated.push(file);
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

function writeCatalog(growing: Growing): void {
  const { context, tree, pages, form, tags, bookmarks, layers, labels, associated, places, files, warnings } = growing;
  const { catalog } = growing.document;
  const kids = context.obj(pages.map(({ ref }) => ref));
  context.assign(tree, context.obj({ Type: name('Pages'), Kids: kids, Count: pages.length }));
  const names = {
    ...(places.size > 0 && { Dests: nameTree(context, places) }),
    ...(files.size > 0 && { EmbeddedFiles: nameTree(context, files) }),
  };
  const entries: readonly (readonly [string, PDFObject | undefined])[] = [
    ['Pages', tree],
    ['AcroForm', writeForm(context, form)],
    ['StructTreeRoot', writeTags(context, tags)],
    ['Outlines', bookmarks.length === 0 ? undefined : writeBookmarks(context, bookmarks)],
    ['OCProperties', writeLayers(context, layers)],
    ['PageLabels', writeLabels(context, labels)],
    ['AF', associated.size() === 0 ? undefined : associated],
    ['Names', Object.keys(names).length === 0 ? undefined : context.obj(names)],
  ];
  for (const [key, value] of entries) if (value !== undefined) catalog.set(name(key), value);
  if (form.hasSignatures) warnings.add('pdf_signatures_removed');
  if (form.hasXfa) warnings.add('pdf_xfa_removed');
  if (form.hasScripts) warnings.add('pdf_scripts_removed');
  if (!catalog.has(name('StructTreeRoot'))) return;
  catalog.set(name('MarkInfo'), context.obj({ Marked: tags.isWhole }));
  if (!tags.isWhole) warnings.add('pdf_tags_incomplete');
}
