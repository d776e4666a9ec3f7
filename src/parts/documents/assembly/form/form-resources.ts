import { type PDFContext, type PDFDict, type PDFObject, PDFString } from '@cantoo/pdf-lib';
import { dictOf, freeName, name, textOf } from '../objects.ts';

/** A font or an encoding of a form. */
export interface FormResource {
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly value: PDFObject;
}

/** Returns the fonts and encodings of a form, with names that are free in the new one. */
export function resourcesOf(context: PDFContext, form: PDFDict, taken: Set<string>): readonly FormResource[] {
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
export function renameFonts(context: PDFContext, field: PDFDict, fonts: ReadonlyMap<string, string>): void {
  const written = textOf(context, field.get(name('DA')));
  if (written === undefined) return;
  const next = written.replaceAll(
    /\/([^\s/()<>[\]{}%]+)(?=\s+[\d.]+\s+Tf)/g,
    (_, font: string) => `/${fonts.get(font) ?? font}`,
  );
  if (next !== written) field.set(name('DA'), PDFString.of(next));
}
