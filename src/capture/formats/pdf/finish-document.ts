import { withObjects } from './document-update.ts';
import { factsObject } from './document-facts.ts';
import type { DocumentOptions } from './document-fields.ts';
import { placesObject, removeLinks } from './document-links.ts';
import type { PdfFile } from './pdf-file.ts';

interface FinishOptions extends DocumentOptions {
  /** Language of the request. */
  readonly locale?: string | undefined;
  /** True if the page says its language. */
  readonly hasLanguage: boolean;
  /** Beginnings of addresses whose links are left out. */
  readonly leadNowhere: readonly string[];
}

/**
 * Adds to the document what Chrome does not write: the metadata and the language of the request, and links that lead to
 * their place. Changes the bytes in place as well.
 * @throws Error if the document is not structured as Chrome writes it
 */
export function finishDocument(body: Buffer, file: PdfFile, options: FinishOptions): Buffer {
  removeLinks(body, options.leadNowhere);
  const objects = new Map<number, string>();
  const places = placesObject(file);
  if (places !== undefined) objects.set(places.number, places.text);
  if (!options.hasLanguage) setLanguage(objects, file, options.locale);
  const facts = factsObject(file, options);
  const info = facts === undefined ? file.info : (file.info ?? file.size);
  if (facts !== undefined && info !== undefined) objects.set(info, facts);
  return withObjects(body, file, objects, info);
}

/** Chrome names its own language for a page without one. */
function setLanguage(objects: Map<number, string>, { root, objectText }: PdfFile, language: string | undefined): void {
  const catalogue = objectText(root);
  const without = catalogue.replace(/\n?\/Lang \([^)]*\)/, '');
  const changed = language === undefined ? without : without.replace(/>>\s*$/, `\n/Lang (${language})>>`);
  if (changed !== catalogue) objects.set(root, changed);
}
