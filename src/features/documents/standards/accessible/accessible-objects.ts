import type { PdfFile } from '../../pdf-file.ts';
import type { ReadersView } from '../../in-page/inspect-for-readers.ts';
import { rejection } from '../rejection.ts';
import { describeLinks } from './link-descriptions.ts';
import { mendStructure } from './mend-structure.ts';

/** What PDF/UA needs to know about a document. */
interface ReadersFacts extends ReadersView {
  readonly hasLanguage: boolean;
  readonly title: string | undefined;
}

const UNREADABLE = {
  frames: 'does not allow frames: Chrome prints their text without tags. hide_selectors leaves them out',
  filters: 'does not allow text under a CSS filter: Chrome prints a picture of it',
};

/**
 * Returns the changed objects of a document for PDF/UA-1: its structure, and the descriptions of its links.
 * @throws ServiceError PageRejectedError if the page lacks what only its author knows
 */
export async function accessibleObjects(
  file: PdfFile,
  { links, unreadable, hasLanguage, title = '' }: ReadersFacts,
  next: () => number,
): Promise<ReadonlyMap<number, string>> {
  if (unreadable !== undefined) throw rejection(`PDF/UA-1 ${UNREADABLE[unreadable]}`);
  const structure = await mendStructure(file, next);
  if (!hasLanguage) throw rejection('PDF/UA-1 needs the language of the page: lang of the root element, or locale');
  if (title.trim() === '') throw rejection('PDF/UA-1 needs a title: that of the page, or pdf_title');
  const described = await describeLinks(file, new Map(links));
  return new Map([...structure, ...described]);
}
