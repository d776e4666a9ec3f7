import { drawOpenPage } from './draw-page.ts';
import { PdfProblemError, withDocument, withForms } from './open-document.ts';
import type { PdfContents } from './pdf-contents.ts';
import type { Pdfium } from './pdfium.ts';
import { pngOf } from './png.ts';
import { readContents } from './read-contents.ts';
import { markupOf } from './text/markup.ts';

/** What of a document is shown. */
export interface Showing {
  readonly password?: string | undefined;
  /** Number of the page whose picture is drawn, from 1, or `all`. Undefined: no picture. */
  readonly pictures: number | 'all' | undefined;
  /** Width of the widest page in pixels. */
  readonly width: number;
  /** Of all pictures together. */
  readonly maxPixels: number;
  readonly hasText: boolean;
}

/** A drawn page. */
interface ShownPage {
  /** Number of the page, from 1. */
  readonly page: number;
  readonly png: Uint8Array;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** A document as a web page shows it. */
export interface ShownDocument extends Pick<PdfContents, 'pageCount' | 'info'> {
  readonly language: string | undefined;
  readonly pages: readonly ShownPage[];
  /** Size of all pictures together if they are too large, in pixels. */
  readonly tooLarge?: { readonly width: number; readonly height: number };
  /** Markup of the text. Empty without `hasText`. */
  readonly markup: string;
  /** True if the rest of the text was not read, because it is too long. */
  readonly isCut: boolean;
  /** True if pages have pictures and no letter: a scan. */
  readonly lacksText: boolean;
  /** True if the document has scripts, or actions that start programs. */
  readonly hasScripts: boolean;
  /** True if the document can't be opened without its password. */
  readonly isLocked: boolean;
  /** True if the document does not tell which characters its letters are. */
  readonly isDoubtful: boolean;
}

/**
 * Draws the pages and reads the text of a document.
 * @throws PdfProblemError
 */
export function showDocument(pdfium: Pdfium, body: Uint8Array, showing: Showing): ShownDocument {
  const { password, hasText, pictures } = showing;
  const drawn = drawPages(pdfium, body, showing);
  const { pages, tooLarge, language } = drawn;
  const range =
    pictures === undefined || pictures === 'all' || tooLarge !== undefined
      ? { firstPage: 1, maxPages: hasText ? Infinity : 0 }
      : { firstPage: pictures, maxPages: hasText ? 1 : 0 };
  const contents = readContents(pdfium, body, { password, ...range, drawsForms: true });
  const { pageCount, info, isCut, oddShare } = contents;
  const { hasScripts } = drawn;
  const hasWords = contents.pages.some(({ words }) => words.length > 0);
  return {
    pageCount,
    info,
    language,
    pages,
    ...(tooLarge !== undefined && { tooLarge }),
    markup: hasText ? markupOf(contents.pages) : '',
    isCut,
    lacksText: hasText && contents.pages.length > 0 && !hasWords,
    hasScripts,
    isLocked: password !== undefined && !opensWithout(pdfium, body),
    isDoubtful: oddShare > MOST_ODD,
  };
}

function opensWithout(pdfium: Pdfium, body: Uint8Array): boolean {
  try {
    return withDocument(pdfium, { body }, () => true);
  } catch {
    return false;
  }
}

/** Share of letters without a meaning in a text that can be trusted. */
const MOST_ODD = 0.1;

type Drawn = Pick<ShownDocument, 'pages' | 'tooLarge' | 'language' | 'hasScripts'>;

/** Checks the size of all pictures before it draws the first. */
function drawPages(pdfium: Pdfium, body: Uint8Array, { password, pictures, width, maxPixels }: Showing): Drawn {
  return withDocument(pdfium, { body, password }, (document) =>
    withForms(pdfium, document, (forms) => {
      const language = pdfium.wideText((address, length) => pdfium.EPDFCatalog_GetLanguage(document, address, length));
      const pageCount = pdfium.FPDF_GetPageCount(document);
      const facts = { language: language || undefined, hasScripts: hasScriptsIn(pdfium, document, body) };
      if (pictures === undefined) return { pages: [], ...facts };
      const numbers = pictures === 'all' ? Array.from({ length: pageCount }, (_, index) => index + 1) : [pictures];
      const sizes = numbers.flatMap((page) => sizeOf(pdfium, document, page));
      const widest = sizes.reduce((most, size) => Math.max(most, size.width), 0);
      const scaled = sizes.map((size) => ({
        page: size.page,
        width: Math.max(1, Math.round((size.width * width) / widest)),
        height: Math.max(1, Math.round((size.height * width) / widest)),
      }));
      const height = scaled.reduce((sum, size) => sum + size.height, 0);
      if (!(width * height <= maxPixels)) return { pages: [], tooLarge: { width, height }, ...facts };
      const pages = scaled.flatMap(({ page, ...size }): ShownPage[] => {
        const picture = forms.withPage(page - 1, (open) => drawOpenPage(pdfium, forms, open, size));
        return picture === undefined ? [] : [{ page, png: pngOf(picture), ...size }];
      });
      if (pages.length === 0 && pageCount > 0 && numbers.some((page) => page <= pageCount))
        throw new PdfProblemError('not_a_pdf'); // none of its pages can be drawn
      return { pages, ...facts };
    }),
  );
}

/** Finds scripts of the whole document, and actions in objects that are not packed. */
function hasScriptsIn(pdfium: Pdfium, document: number, body: Uint8Array): boolean {
  if (pdfium.FPDFDoc_GetJavaScriptActionCount(document) > 0) return true;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return ACTIONS.some((name) => bytes.includes(name, 0, 'latin1'));
}

const ACTIONS = ['/S/JavaScript', '/S /JavaScript', '/S/Launch', '/S /Launch'];

/** Returns the size of a page in points. Empty for a page that does not exist, or has no size. */
function sizeOf(
  pdfium: Pdfium,
  document: number,
  page: number,
): readonly { readonly page: number; readonly width: number; readonly height: number }[] {
  const SIZE_BYTES = 8;
  return pdfium.withBytes(SIZE_BYTES, (address) => {
    if (!pdfium.FPDF_GetPageSizeByIndexF(document, page - 1, address)) return [];
    const bytes = pdfium.bytesAt(address, SIZE_BYTES);
    const [width, height] = [bytes.readFloatLE(0), bytes.readFloatLE(4)];
    return width > 0 && height > 0 && Number.isFinite(width * height) ? [{ page, width, height }] : [];
  });
}
