import type { PdfContents, PdfPage, PdfRange, PdfWord } from './pdf-contents.ts';
import type { Pdfium } from './pdfium.ts';
import { withDocument, withPage } from './open-document.ts';

/** Characters of all pages that are read. */
const MOST_CHARACTERS = 2_000_000;
const INFO_NAMES = ['Title', 'Author', 'Subject', 'Keywords', 'Creator', 'Producer', 'CreationDate', 'ModDate'];
const DOUBLE_BYTES = 8;
const SPACE = /\s/u;
/** Characters that stand for nothing: PDFium writes them where a word was divided, and for glyphs without a meaning. */
const NOTHING: ReadonlySet<number> = new Set([0, 2, 0xfffe, 0xfffd]);
const NAME_BYTES = 256;

/**
 * Reads texts and fonts of a document.
 * @throws PdfProblemError
 */
export function readContents(
  pdfium: Pdfium,
  body: Uint8Array,
  { password, firstPage, maxPages }: PdfRange,
): PdfContents {
  return withDocument(pdfium, { body, password }, (document) => {
    const pageCount = pdfium.FPDF_GetPageCount(document);
    const fonts = createFontNames(pdfium);
    const pages: PdfPage[] = [];
    let left = MOST_CHARACTERS;
    for (let index = firstPage - 1; index < pageCount && pages.length < maxPages; index++) {
      const page = withPage(pdfium, document, index, (open) => {
        const { words, count } = readWords(pdfium, open, { fonts, most: left });
        left -= count;
        return { width: pdfium.FPDF_GetPageWidthF(open), height: pdfium.FPDF_GetPageHeightF(open), words };
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
    };
  });
}

interface FontNames {
  readonly names: string[];
  readonly indexOf: (textPage: number, character: number) => number;
}

/** Names of fonts, without the six letters of a part of a font. */
function createFontNames(pdfium: Pdfium): FontNames {
  const names: string[] = [];
  return {
    names,
    indexOf: (textPage, character) => {
      const name = pdfium.withBytes(NAME_BYTES, (address) => {
        const length = pdfium.FPDFText_GetFontInfo(textPage, character, address, NAME_BYTES, 0);
        const text = pdfium.bytesAt(address, Math.max(0, Math.min(length, NAME_BYTES) - 1)).toString();
        return text.replace(/^[A-Z]{6}\+/, '');
      });
      const known = names.indexOf(name);
      return known === -1 ? names.push(name) - 1 : known;
    },
  };
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

interface Growing extends Box {
  readonly text: string;
  readonly size: number;
  readonly font: number;
}

/** Reads the words of a page in the order of PDFium, which follows the order in which they are drawn. */
function readWords(
  pdfium: Pdfium,
  page: number,
  { fonts, most }: { readonly fonts: FontNames; readonly most: number },
): { readonly words: PdfWord[]; readonly count: number } {
  const textPage = pdfium.FPDFText_LoadPage(page);
  if (textPage === 0) return { words: [], count: 0 };
  const height = pdfium.FPDF_GetPageHeightF(page);
  const words: PdfWord[] = [];
  const count = Math.min(Math.max(0, pdfium.FPDFText_CountChars(textPage)), most);
  let growing: Growing | undefined;
  const end = (): void => {
    if (growing === undefined) return;
    const { text, left, right, bottom, top, size, font } = growing;
    words.push({ text, x: left, y: height - top, width: right - left, height: top - bottom, size, font });
    growing = undefined;
  };
  pdfium.withBytes(4 * DOUBLE_BYTES, (address) => {
    for (let index = 0; index < count; index++) {
      const code = pdfium.FPDFText_GetUnicode(textPage, index);
      if (NOTHING.has(code)) continue;
      const character = String.fromCodePoint(code);
      if (SPACE.test(character)) {
        end();
        continue;
      }
      const [left, right, bottom, top] = [0, 1, 2, 3].map((at) => address + at * DOUBLE_BYTES);
      if (!pdfium.FPDFText_GetCharBox(textPage, index, left ?? 0, right ?? 0, bottom ?? 0, top ?? 0)) continue;
      const [l = 0, r = 0, b = 0, t = 0] = pdfium.doublesAt(address, 4);
      const box = { left: l, right: r, bottom: b, top: t };
      growing =
        growing === undefined
          ? {
              ...box,
              text: character,
              size: pdfium.FPDFText_GetFontSize(textPage, index),
              font: fonts.indexOf(textPage, index),
            }
          : grown(growing, character, box);
    }
  });
  end();
  pdfium.FPDFText_ClosePage(textPage);
  return { words, count };
}

function grown(word: Growing, character: string, box: Box): Growing {
  return {
    ...word,
    text: word.text + character,
    left: Math.min(word.left, box.left),
    right: Math.max(word.right, box.right),
    bottom: Math.min(word.bottom, box.bottom),
    top: Math.max(word.top, box.top),
  };
}
