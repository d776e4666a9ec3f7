import { withDocument, withForms, withPage } from './open-document.ts';
import type { PdfContents, PdfPage, PdfRange } from './pdf-contents.ts';
import type { Pdfium } from './pdfium.ts';
import { createFontNames, readWords } from './read-words.ts';

/** Characters of all pages that are read. */
const MOST_CHARACTERS = 2_000_000;
/** Documents may claim to have millions of pages. */
const MOST_PAGES = 20_000;
const INFO_NAMES = ['Title', 'Author', 'Subject', 'Keywords', 'Creator', 'Producer', 'CreationDate', 'ModDate'];
/** Annotations that a screen shows become a part of the page. */
const ON_SCREEN = 0;

/**
 * Reads texts and fonts of a document.
 * @throws PdfProblemError
 */
export function readContents(
  pdfium: Pdfium,
  body: Uint8Array,
  { password, firstPage, maxPages, drawsForms }: PdfRange,
): PdfContents {
  return withDocument(pdfium, { body, password }, (document) => {
    if (drawsForms === true) drawForms(pdfium, document, { firstPage, maxPages });
    const pageCount = pdfium.FPDF_GetPageCount(document);
    const fonts = createFontNames(pdfium);
    const pages: PdfPage[] = [];
    let left = MOST_CHARACTERS;
    let [read, odd] = [0, 0];
    for (let index = firstPage - 1; index < pageCount && pages.length < Math.min(maxPages, MOST_PAGES); index++) {
      const page = withPage(pdfium, document, index, (open) => {
        const found = readWords(pdfium, open, { fonts, most: left });
        left -= found.count;
        read += found.count;
        odd += found.odd;
        return { width: pdfium.FPDF_GetPageWidthF(open), height: pdfium.FPDF_GetPageHeightF(open), words: found.words };
      });
      pages.push(page ?? { width: 0, height: 0, words: [] });
    }
    const info = INFO_NAMES.map((name) => [
      name,
      pdfium.wideText((address, length) => pdfium.FPDF_GetMetaText(document, name, address, length)),
    ]);
    return {
      pageCount,
      pages,
      fonts: fonts.names,
      info: Object.fromEntries(info.filter(([, text]) => text !== '')),
      isCut: left <= 0 || (maxPages > MOST_PAGES && pageCount - firstPage + 1 > pages.length),
      oddShare: read === 0 ? 0 : odd / read,
    };
  });
}

/** Makes annotations and form fields a part of the pages in memory. */
function drawForms(pdfium: Pdfium, document: number, { firstPage, maxPages }: PdfRange): void {
  const end = Math.min(pdfium.FPDF_GetPageCount(document), firstPage - 1 + maxPages);
  withForms(pdfium, document, (forms) => {
    for (let index = firstPage - 1; index < end; index++)
      forms.withPage(index, (page) => pdfium.FPDFPage_Flatten(page, ON_SCREEN));
  });
}
