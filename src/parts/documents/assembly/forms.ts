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
import type { SourceDocument } from './source-document.ts';

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
  };
}

/**
 * Prepares the form of a part before its pages are moved: fields without a place on a kept page go, signatures become
 * pictures, and names that are taken get a number. Returns the fields that are left, and the fonts that they use.
 */
export function prepareForm(
  { context, catalog }: SourceDocument,
  kept: readonly PDFDict[],
  { state, edits }: { readonly state: FormState; readonly edits: Edits },
): { readonly fields: readonly PDFRef[]; readonly finish: (adoption: Adoption) => void } {
  const form = dictOf(context, catalog.get(name('AcroForm')));
  if (form === undefined) return { fields: [], finish: () => undefined };
  const widgets = new Set<PDFDict>();
  for (const page of kept)
    for (const annotation of listOf(context, page.get(name('Annots')))) {
      const dict = dictOf(context, annotation);
      if (dict !== undefined) widgets.add(dict);
    }
  const seen = new Set<PDFDict>();
  /** Removes what has no place on a kept page. Returns true for a field that stays. */
  const stays = (field: PDFDict, depth: number): boolean => {
    if (seen.has(field) || seen.size > MOST_NODES || depth > MOST_LEVELS) return false;
    seen.add(field);
    if (isSigned(context, field)) {
      state.hasSignatures = true;
      drawSignature(context, field, { widgets, edits });
      return false;
    }
    const kids = arrayOf(context, field.get(name('Kids')));
    if (kids === undefined) return widgets.has(field);
    const left = kids.asArray().filter((kid) => {
      const dict = dictOf(context, kid);
      return dict !== undefined && stays(dict, depth + 1);
    });
    editable(edits, field).set(name('Kids'), context.obj(left));
    return left.length > 0;
  };
  const roots = listOf(context, form.get(name('Fields'))).filter((ref) => ref instanceof PDFRef);
  const fields = roots.filter((ref) => {
    const field = dictOf(context, ref);
    return field !== undefined && stays(field, 0);
  });
  const resources = resourcesOf(context, form, state.resourceNames);
  for (const ref of fields) {
    const field = dictOf(context, ref);
    if (field === undefined) continue;
    const copy = editable(edits, field);
    rename(context, copy, state.names);
    for (const key of ['DA', 'Q']) {
      const value = form.get(name(key));
      if (value !== undefined && !copy.has(name(key))) copy.set(name(key), value);
    }
  }
  const fonts = new Map(resources.filter(({ from, to }) => from !== to).map(({ from, to }) => [from, to]));
  if (fonts.size > 0) for (const field of [...seen, ...widgets]) renameFonts(context, editable(edits, field), fonts);
  state.hasXfa ||= form.has(name('XFA'));
  state.needsAppearances ||= resolved(context, form.get(name('NeedAppearances'))) === PDFBool.True && fields.length > 0;
  const order = listOf(context, form.get(name('CO')));
  return {
    fields,
    finish: (adoption) => {
      const push = (list: PDFArray, refs: readonly PDFObject[]): void => {
        for (const ref of refs) {
          const next =
            ref instanceof PDFRef && (list === state.fields || adoption.has(ref)) ? adoption.adoptRef(ref) : undefined;
          if (next !== undefined) list.push(next);
        }
      };
      push(state.fields, fields);
      push(state.order, order);
      for (const { kind, to, value } of resources) {
        const known = state.resources.get(name(kind));
        const all = known instanceof PDFDict ? known : PDFDict.withContext(state.resources.context);
        all.set(PDFName.of(to), adoption.adopt(value));
        state.resources.set(name(kind), all);
      }
    },
  };
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

function rename(context: PDFContext, field: PDFDict, names: Set<string>): void {
  const written = textOf(context, field.get(name('T')));
  if (written === undefined) return;
  const free = freeName(written, names, (number) => `${written}-${number}`);
  if (free !== written) field.set(name('T'), PDFHexString.fromText(free));
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
