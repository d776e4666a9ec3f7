import { PDFArray, PDFBool, type PDFContext, PDFDict, PDFHexString, PDFName, PDFRef } from '@cantoo/pdf-lib';
import { type Adoption, applyEdits, editable, type Edits } from '../adoption.ts';
import { renameFonts, resourcesOf } from './form-resources.ts';
import { arrayOf, dictOf, freeName, listOf, MOST_NODES, name, nameOf, resolved, textOf } from '../objects.ts';
import { MOST_LEVELS, rootsOf } from './form-roots.ts';
import { drawSignature, drawSignatures, hasSignature, typeOfField } from './form-signatures.ts';
import { oncePerDocument, type SourceDocument, type SourcePage } from '../source-document.ts';

/** The form of the new document, as it grows. */
export interface FormState {
  readonly fields: PDFArray;
  readonly order: PDFArray;
  readonly resources: PDFDict;
  /** Names of its fonts and encodings. */
  readonly resourceNames: Set<string>;
  readonly names: Set<string>;
  needsAppearances: boolean;
  hasSignatures: boolean;
  hasXfa: boolean;
  /** True if scripts of fields were left out, because the fields have other names. */
  hasScripts: boolean;
}

export function createForm(context: PDFContext): FormState {
  return {
    fields: PDFArray.withContext(context),
    order: PDFArray.withContext(context),
    resources: PDFDict.withContext(context),
    resourceNames: new Set(),
    names: new Set(),
    needsAppearances: false,
    hasSignatures: false,
    hasXfa: false,
    hasScripts: false,
  };
}

/** The form of a part. */
interface PartForm {
  /** Removes what refers to fields by names that have changed. */
  readonly mend: (dict: PDFDict) => void;
  /** Adds the fields to the new document, when its pages are there. */
  readonly finish: (adoption: Adoption) => void;
}

interface PreparingForm {
  readonly state: FormState;
  readonly edits: Edits;
}

/**
 * Prepares the form of a part before its pages are copied: fields whose place is on no kept page go, signatures become
 * pictures, and names that are taken get a number.
 */
export function prepareForm(source: SourceDocument, chosen: readonly SourcePage[], preparing: PreparingForm): PartForm {
  const { context, catalog } = source;
  const { state, edits } = preparing;
  const form = dictOf(context, catalog.get(name('AcroForm'))) ?? PDFDict.withContext(context);
  const widgets = widgetsOf(context, chosen);
  if (drawSignatures(context, { widgets, edits })) state.hasSignatures = true;
  const roots = rootsOf(source, chosen);
  if (roots.length === 0 && form.keys().length === 0) return { mend: () => undefined, finish: () => undefined };
  const fields = keptFields(source, roots, { ...preparing, widgets });
  const resources = resourcesOf(context, form, state.resourceNames);
  const newNames = new Map<string, string>();
  for (const ref of fields.roots) {
    const field = dictOf(context, ref);
    if (field === undefined) continue;
    const copy = editable(edits, field);
    rename(context, copy, { taken: state.names, newNames });
    for (const key of ['DA', 'Q']) {
      const value = form.get(name(key));
      if (value !== undefined && !copy.has(name(key))) copy.set(name(key), value);
    }
  }
  const hasRenamed = [...newNames].some(([before, after]) => after !== before);
  const fonts = new Map(resources.filter(({ from, to }) => from !== to).map(({ from, to }) => [from, to]));
  for (const field of fonts.size === 0 ? [] : fields.all) renameFonts(context, editable(edits, field), fonts);
  state.hasXfa ||= form.has(name('XFA'));
  const leavesToReader = resolved(context, form.get(name('NeedAppearances'))) === PDFBool.True;
  state.needsAppearances ||= leavesToReader && fields.roots.length > 0;
  const order = hasRenamed ? [] : listOf(context, form.get(name('CO')));
  return {
    mend: (dict) => {
      if (hasRenamed && removeFieldScripts(context, dict)) state.hasScripts = true;
    },
    finish: (adoption) => {
      for (const ref of fields.roots) {
        const next = adoption.adoptRef(ref);
        if (next !== undefined) state.fields.push(next);
      }
      for (const ref of order) if (ref instanceof PDFRef && adoption.has(ref)) state.order.push(adoption.adopt(ref));
      for (const { kind, to, value } of resources) {
        const known = state.resources.get(name(kind));
        const all = known instanceof PDFDict ? known : PDFDict.withContext(state.resources.context);
        all.set(PDFName.of(to), adoption.adopt(value));
        state.resources.set(name(kind), all);
      }
    },
  };
}

/** Scripts and buttons name fields; in a copy of a form they would read and empty those of the first one. */
function removeFieldScripts(context: PDFContext, dict: PDFDict): boolean {
  const isField = nameOf(context, dict.get(name('Subtype'))) === 'Widget' || dict.has(name('FT'));
  if (!isField) return false;
  const action = nameOf(context, dictOf(context, dict.get(name('A')))?.get(name('S')));
  const isOfFields = action === 'JavaScript' || action === 'ResetForm' || action === 'SubmitForm' || action === 'Hide';
  if (!isOfFields && !dict.has(name('AA'))) return false;
  dict.delete(name('AA'));
  if (isOfFields) dict.delete(name('A'));
  return true;
}

function widgetsOf(context: PDFContext, pages: readonly SourcePage[]): ReadonlySet<PDFDict> {
  const widgets = new Set<PDFDict>();
  for (const page of pages)
    for (const annotation of listOf(context, page.dict.get(name('Annots')))) {
      const dict = dictOf(context, annotation);
      if (dict !== undefined) widgets.add(dict);
    }
  return widgets;
}

/** Returns the annotations of all pages. */
const allWidgets = oncePerDocument(({ context, pages }) => widgetsOf(context, pages));

interface KeptFields {
  readonly roots: readonly PDFRef[];
  /** All fields and their widgets. */
  readonly all: readonly PDFDict[];
}

interface Keeping extends PreparingForm {
  /** Annotations of the pages that are kept. */
  readonly widgets: ReadonlySet<PDFDict>;
}

function keptFields(source: SourceDocument, roots: readonly PDFRef[], { state, edits, widgets }: Keeping): KeptFields {
  const { context } = source;
  const shown = allWidgets(source);
  const seen = new Set<PDFDict>();
  /** Removes widgets on pages that are not kept. Returns true if the field has another one, or none at all. */
  const stays = (field: PDFDict, depth: number, above?: string): boolean => {
    if (seen.has(field) || seen.size > MOST_NODES || depth > MOST_LEVELS) return false;
    seen.add(field);
    if (hasSignature(context, field, above)) {
      state.hasSignatures = true;
      drawSignature(context, field, { widgets, edits });
      return false;
    }
    const kids = arrayOf(context, field.get(name('Kids')));
    if (kids === undefined || kids.size() === 0) return widgets.has(field) || !shown.has(field);
    const left = kids.asArray().filter((kid) => {
      const dict = dictOf(context, kid);
      return dict !== undefined && stays(dict, depth + 1, typeOfField(context, field) ?? above);
    });
    if (left.length < kids.size()) editable(edits, field).set(name('Kids'), context.obj(left));
    return left.length > 0;
  };
  const kept = roots.filter((ref) => {
    const field = dictOf(context, ref);
    return field !== undefined && stays(field, 0);
  });
  return { roots: kept, all: [...new Set([...seen, ...widgets])] };
}

/** Makes stamps of the signatures of a document that is changed. Returns true if there were any. */
export function stampSignatures(source: SourceDocument): boolean {
  const { context, catalog, pages } = source;
  const form = dictOf(context, catalog.get(name('AcroForm'))) ?? PDFDict.withContext(context);
  const edits: Edits = new Map();
  const state = createForm(context);
  const widgets = widgetsOf(context, pages);
  state.hasSignatures = drawSignatures(context, { widgets, edits });
  const { roots } = keptFields(source, rootsOf(source, pages), { state, edits, widgets });
  if (!state.hasSignatures) return false;
  applyEdits(edits);
  form.set(name('Fields'), context.obj([...roots]));
  form.delete(name('SigFlags'));
  for (const key of ['Perms', 'DSS']) catalog.delete(name(key));
  return true;
}

interface Renaming {
  /** Names in the new document. */
  readonly taken: Set<string>;
  /** New names of the part, by those before: fields with one name are one field. */
  readonly newNames: Map<string, string>;
}

function rename(context: PDFContext, field: PDFDict, { taken, newNames }: Renaming): void {
  const written = textOf(context, field.get(name('T')));
  if (written === undefined) return;
  const free = newNames.get(written) ?? freeName(written, taken, (number) => `${written}-${number}`);
  newNames.set(written, free);
  if (free !== written) field.set(name('T'), PDFHexString.fromText(free));
}

/** Returns the form of the new document. Undefined without a field. */
export function writeForm(context: PDFContext, state: FormState): PDFRef | undefined {
  if (state.fields.size() === 0) return undefined;
  const form = PDFDict.withContext(context);
  form.set(name('Fields'), state.fields);
  if (state.order.size() > 0) form.set(name('CO'), state.order);
  form.set(name('DR'), state.resources);
  if (state.needsAppearances) form.set(name('NeedAppearances'), PDFBool.True);
  return context.register(form);
}
