import type { PDFContext, PDFDict } from '@cantoo/pdf-lib';
import { editable, type Edits } from '../adoption.ts';
import { dictOf, listOf, MOST_NODES, name, nameOf } from '../objects.ts';

/** Returns true for a field that is signed. `above` is the type of the field above it. */
export function hasSignature(context: PDFContext, field: PDFDict, above?: string): boolean {
  return (typeOfField(context, field) ?? above) === 'Sig' && field.has(name('V'));
}

export function typeOfField(context: PDFContext, field: PDFDict): string | undefined {
  return nameOf(context, field.get(name('FT')));
}

const MOST_LEVELS = 50;

/** True for a widget of a signed field: it has its type and its value from the fields above it. */
function isSignedWidget(context: PDFContext, widget: PDFDict): boolean {
  let type: string | undefined;
  let hasValue = false;
  let up: PDFDict | undefined = widget;
  for (let level = 0; up !== undefined && level < MOST_LEVELS; level++) {
    type ??= typeOfField(context, up);
    hasValue ||= up.has(name('V'));
    up = dictOf(context, up.get(name('Parent')));
  }
  return type === 'Sig' && hasValue;
}

interface Drawing {
  /** Annotations of the pages that are kept. */
  readonly widgets: ReadonlySet<PDFDict>;
  readonly edits: Edits;
}

/** Makes stamps of the signatures on pages, also of those that no form lists. Returns true if there are any. */
export function drawSignatures(context: PDFContext, drawing: Drawing): boolean {
  const signed = [...drawing.widgets].filter((widget) => isSignedWidget(context, widget));
  for (const widget of signed) drawSignature(context, widget, drawing);
  return signed.length > 0;
}

/** A signature is not valid in another document. Its appearance stays as a stamp. */
export function drawSignature(context: PDFContext, field: PDFDict, { widgets, edits }: Drawing): void {
  const seen = new Set<PDFDict>();
  const waiting: (PDFDict | undefined)[] = [field];
  while (waiting.length > 0 && seen.size < MOST_NODES) {
    const part = waiting.pop();
    if (part === undefined || seen.has(part)) continue;
    seen.add(part);
    waiting.push(...listOf(context, part.get(name('Kids'))).map((kid) => dictOf(context, kid)));
    if (!widgets.has(part)) continue;
    const copy = editable(edits, part);
    copy.set(name('Subtype'), name('Stamp'));
    for (const key of ['FT', 'T', 'V', 'Kids', 'Parent', 'MK', 'A', 'AA', 'Lock', 'SV', 'Ff', 'DA'])
      copy.delete(name(key));
  }
}
