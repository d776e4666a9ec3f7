import {
  PDFArray,
  PDFBool,
  type PDFContext,
  PDFDict,
  PDFHexString,
  PDFName,
  type PDFObject,
  PDFRef,
  PDFString,
} from '@cantoo/pdf-lib';
import { type Adoption, editable, type Edits } from './adoption.ts';
import { arrayOf, dictOf, freeName, listOf, MOST_NODES, name, nameOf, resolved, textOf } from './objects.ts';
import type { SourceDocument, SourcePage } from './source-document.ts';

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
  const form = dictOf(context, catalog.get(name('AcroForm')));
  if (form === undefined) return { mend: () => undefined, finish: () => undefined };
  const fields = keptFields(source, form, { ...preparing, widgets: widgetsOf(context, chosen) });
  const resources = resourcesOf(context, form, state.resourceNames);
  let hasRenamed = false;
  for (const ref of fields.roots) {
    const field = dictOf(context, ref);
    if (field === undefined) continue;
    const copy = editable(edits, field);
    hasRenamed = rename(context, copy, state.names) || hasRenamed;
    for (const key of ['DA', 'Q']) {
      const value = form.get(name(key));
      if (value !== undefined && !copy.has(name(key))) copy.set(name(key), value);
    }
  }
  const fonts = new Map(resources.filter(({ from, to }) => from !== to).map(({ from, to }) => [from, to]));
  for (const field of fonts.size === 0 ? [] : fields.all) renameFonts(context, editable(edits, field), fonts);
  state.hasXfa ||= form.has(name('XFA'));
  const leavesToReader = resolved(context, form.get(name('NeedAppearances'))) === PDFBool.True;
  state.needsAppearances ||= leavesToReader && fields.roots.length > 0;
  const order = hasRenamed ? [] : listOf(context, form.get(name('CO')));
  return {
    mend: (dict) => {
      if (hasRenamed && removeScripts(context, dict)) state.hasScripts = true;
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
function removeScripts(context: PDFContext, dict: PDFDict): boolean {
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

const everywhere = new WeakMap<SourceDocument, ReadonlySet<PDFDict>>();

interface KeptFields {
  readonly roots: readonly PDFRef[];
  /** All fields and their widgets. */
  readonly all: readonly PDFDict[];
}

interface Keeping extends PreparingForm {
  /** Annotations of the pages that are kept. */
  readonly widgets: ReadonlySet<PDFDict>;
}

function keptFields(source: SourceDocument, form: PDFDict, { state, edits, widgets }: Keeping): KeptFields {
  const { context } = source;
  const shown = everywhere.get(source) ?? widgetsOf(context, source.pages);
  everywhere.set(source, shown);
  const seen = new Set<PDFDict>();
  /** Removes what has no place on a kept page. Returns true for a field that stays; fields may have no place at all. */
  const stays = (field: PDFDict, depth: number): boolean => {
    if (seen.has(field) || seen.size > MOST_NODES || depth > MOST_LEVELS) return false;
    seen.add(field);
    if (isSigned(context, field)) {
      state.hasSignatures = true;
      drawSignature(context, field, { widgets, edits });
      return false;
    }
    const kids = arrayOf(context, field.get(name('Kids')));
    if (kids === undefined || kids.size() === 0) return widgets.has(field) || !shown.has(field);
    const left = kids.asArray().filter((kid) => {
      const dict = dictOf(context, kid);
      return dict !== undefined && stays(dict, depth + 1);
    });
    if (left.length < kids.size()) editable(edits, field).set(name('Kids'), context.obj(left));
    return left.length > 0;
  };
  const roots = listOf(context, form.get(name('Fields'))).filter((ref) => ref instanceof PDFRef);
  const kept = roots.filter((ref) => {
    const field = dictOf(context, ref);
    return field !== undefined && stays(field, 0);
  });
  return { roots: kept, all: [...new Set([...seen, ...widgets])] };
}

const MOST_LEVELS = 50;

function isSigned(context: PDFContext, field: PDFDict): boolean {
  return nameOf(context, field.get(name('FT'))) === 'Sig' && field.has(name('V'));
}

/** A signature is not valid in another document. Its appearance stays as a stamp. */
function drawSignature(
  context: PDFContext,
  field: PDFDict,
  { widgets, edits }: { readonly widgets: ReadonlySet<PDFDict>; readonly edits: Edits },
): void {
  const parts = [field, ...listOf(context, field.get(name('Kids'))).map((kid) => dictOf(context, kid))];
  for (const part of parts) {
    if (part === undefined || !widgets.has(part)) continue;
    const copy = editable(edits, part);
    copy.set(name('Subtype'), name('Stamp'));
    for (const key of ['FT', 'T', 'V', 'Kids', 'Parent', 'MK', 'A', 'AA', 'Lock', 'SV', 'Ff', 'DA'])
      copy.delete(name(key));
  }
}

/** Returns true if the field has another name now. */
function rename(context: PDFContext, field: PDFDict, names: Set<string>): boolean {
  const written = textOf(context, field.get(name('T')));
  if (written === undefined) return false;
  const free = freeName(written, names, (number) => `${written}-${number}`);
  if (free !== written) field.set(name('T'), PDFHexString.fromText(free));
  return free !== written;
}

interface FormResource {
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly value: PDFObject;
}

/** Returns the fonts and encodings of a form, with names that are free in the new one. */
function resourcesOf(context: PDFContext, form: PDFDict, taken: Set<string>): readonly FormResource[] {
  const own = dictOf(context, form.get(name('DR')));
  return ['Font', 'Encoding'].flatMap((kind) =>
    (dictOf(context, own?.get(name(kind)))?.entries() ?? []).map(([key, value]): FormResource => {
      const from = key.decodeText();
      const free = freeName(`${kind} ${from}`, taken, (number) => `${kind} ${from}-${number}`);
      return { kind, from, to: free.slice(kind.length + 1), value };
    }),
  );
}

/** Writes new names of fonts into the appearance of a field. */
function renameFonts(context: PDFContext, field: PDFDict, fonts: ReadonlyMap<string, string>): void {
  const written = textOf(context, field.get(name('DA')));
  if (written === undefined) return;
  const next = written.replaceAll(
    /\/([^\s/()<>[\]{}%]+)(?=\s+[\d.]+\s+Tf)/g,
    (_, font: string) => `/${fonts.get(font) ?? font}`,
  );
  if (next !== written) field.set(name('DA'), PDFString.of(next));
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
