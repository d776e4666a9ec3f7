import { withObjects } from './document-update.ts';
import { factsObject } from './document-facts.ts';
import type { DocumentOptions } from './document-fields.ts';
import { placesObject, removeLinks } from './document-links.ts';
import type { PdfFile } from './pdf-file.ts';
import type { Printed } from './printing/content-room.ts';
import { textsOf } from './pdf-text.ts';
import type { ReadersView } from './in-page/inspect-for-readers.ts';
import { accessibleObjects } from './standards/accessible/accessible-objects.ts';
import type { AttachmentOptions } from './standards/attachments.ts';
import { hasBoxedCharacters } from './standards/boxed-characters.ts';
import { rejection } from './standards/rejection.ts';
import { standardObjects } from './standards/standard-objects.ts';

interface FinishOptions extends DocumentOptions, Pick<AttachmentOptions, 'ownSite'> {
  readonly printed: Printed;
  /** Language of the request. */
  readonly locale?: string | undefined;
  /** True if the page says its language. */
  readonly hasLanguage: boolean;
  /** Beginnings of addresses whose links are left out. */
  readonly leadNowhere: readonly string[];
  /** What PDF/UA needs to know about the page. Undefined without it. */
  readonly forReaders?: ReadersView | undefined;
}

/**
 * Adds to the document what Chrome does not write: the metadata and the language of the request, links that lead to
 * their place, attachments, and what standards ask for. Changes the bytes in place as well.
 * @throws ServiceError PageRejectedError; Error if the document is not structured as Chrome writes it
 */
export async function finishDocument(body: Buffer, file: PdfFile, options: FinishOptions): Promise<Buffer> {
  removeLinks(body, options.leadNowhere);
  const objects = new Map<number, string>();
  const places = placesObject(file, options.printed);
  if (places !== undefined) objects.set(places.number, places.text);
  let newest = file.size;
  const next = (): number => newest++;
  const facts = factsObject(file, options);
  const info = facts === undefined ? file.info : (file.info ?? next());
  if (facts !== undefined && info !== undefined) objects.set(info, facts);
  const written = file.objectText(file.root);
  let catalogue = options.hasLanguage ? written : withLanguage(written, options.locale);
  let id: string | undefined;
  if (options.pdf_standard !== undefined || options.pdf_attachments !== undefined) {
    const known = facts ?? (info === undefined ? '' : file.objectText(info));
    const [, language] = /\/Lang \(([^)]*)\)/.exec(catalogue) ?? [];
    const { pdf_standard: standards, forReaders } = options;
    if (standards !== undefined && (await hasBoxedCharacters(file))) throw boxed(standards);
    if (forReaders !== undefined) {
      const page = { ...forReaders, hasLanguage: language !== undefined, title: textsOf(known).get('Title') };
      for (const [number, text] of await accessibleObjects(file, page, next)) objects.set(number, text);
    }
    const added = await standardObjects(body, options, { info: known, language, next });
    for (const [number, text] of added.objects) objects.set(number, text);
    catalogue = withEntries(catalogue, added.entries);
    ({ id } = added);
  }
  if (catalogue !== written) objects.set(file.root, catalogue);
  return withObjects(body, file, objects, { info, id });
}

function boxed(standards: readonly string[]): Error {
  return rejection(
    `${standards.join(' and ')} does not allow characters that no font has; the page shows boxes for them`,
  );
}

/** Chrome names its own language for a page without one. */
function withLanguage(catalogue: string, language: string | undefined): string {
  const without = catalogue.replace(/\n?\/Lang \([^)]*\)/, '');
  return language === undefined ? without : withEntries(without, `\n/Lang (${language})`);
}

function withEntries(dictionary: string, entries: string): string {
  return dictionary.replace(/>>\s*$/, () => `${entries}>>`);
}
