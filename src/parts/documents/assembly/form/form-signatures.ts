import type { PDFContext, PDFDict } from '@cantoo/pdf-lib';
import { editable, type Edits } from '../adoption.ts';
import { dictOf, listOf, MOST_NODES, name, nameOf } from '../objects.ts';

/** Returns true for a field that is signed. */
export function hasSignature(context: PDFContext, field: PDFDict): boolean {
  return nameOf(context, field.get(name('FT'))) === 'Sig' && field.has(name('V'));
}

/** A signature is not valid in another document. Its appearance stays as a stamp. */
export function drawSignature(
  context: PDFContext,
  field: PDFDict,
  { widgets, edits }: { readonly widgets: ReadonlySet<PDFDict>; readonly edits: Edits },
): void {
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
