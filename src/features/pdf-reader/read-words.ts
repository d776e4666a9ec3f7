import { ACCENTS, withAccent } from './accents.ts';
import type { PdfWord } from './pdf-contents.ts';
import type { Pdfium } from './pdfium.ts';

const SPACE = /\s/u;
/** PDFium writes it where a word was divided at the end of a line. */
const DIVIDED = 2;
/** Characters that stand for nothing: beside it, glyphs without a meaning. */
const NOTHING: ReadonlySet<number> = new Set([0, DIVIDED, 0xfffe, 0xfffd]);
const NAME_BYTES = 256;
const DOUBLE_BYTES = 8;
const FLOAT_BYTES = 4;

interface FontNames {
  readonly names: string[];
  readonly indexOf: (textPage: number, character: number) => number;
}

/** Names of fonts, without the six letters of a part of a font. */
export function createFontNames(pdfium: Pdfium): FontNames {
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
  readonly angle: PdfWord['angle'];
  /** Left edges of its first and its last letter. */
  readonly startsAt: number;
  readonly endsAt: number;
  /** Box of its last letter. */
  readonly last: Box;
  /** True when the rest of it lies on the next line. */
  readonly isDivided: boolean;
}

/** Letters of scripts that are written from right to left. */
const LEFTWARD = /^[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{M}]+$/u;

/** True for a word of a script from right to left whose letters the document has from left to right. */
function isMirrored(text: string, advance: number): boolean {
  return advance > 0 && LEFTWARD.test(text);
}

function mirrored(text: string): string {
  return Array.from(text).toReversed().join('');
}

/** Sides of a picture of the page in whole numbers: the library writes places as such. */
const FINE = 1_000_000;

/**
 * Returns a function that turns a box of the page's own coordinates into one from the upper left corner of what is
 * seen of it: the page may be turned, cut, and have another unit.
 */
function placesOn(pdfium: Pdfium, page: number): (box: Box) => Pick<PdfWord, 'x' | 'y' | 'width' | 'height'> {
  const [width, height] = [pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)];
  const seen = (x: number, y: number): readonly [number, number] =>
    pdfium.withBytes(8, (address) => {
      pdfium.FPDF_PageToDevice(page, 0, 0, FINE, FINE, 0, x, y, address, address + 4);
      const bytes = pdfium.bytesAt(address, 8);
      return [(bytes.readInt32LE(0) * width) / FINE, (bytes.readInt32LE(4) * height) / FINE];
    });
  const [x0, y0] = seen(0, 0);
  const [x1, y1] = seen(100, 0);
  const [x2, y2] = seen(0, 100);
  const [a, b, c, d] = [(x1 - x0) / 100, (y1 - y0) / 100, (x2 - x0) / 100, (y2 - y0) / 100];
  return ({ left, right, bottom, top }) => {
    const [fromX, toX] = [a * left + c * bottom + x0, a * right + c * top + x0].toSorted((one, other) => one - other);
    const [fromY, toY] = [b * left + d * bottom + y0, b * right + d * top + y0].toSorted((one, other) => one - other);
    return { x: fromX ?? 0, y: fromY ?? 0, width: (toX ?? 0) - (fromX ?? 0), height: (toY ?? 0) - (fromY ?? 0) };
  };
}

/** Returns how many points high a letter of the size 1 is. Sizes of fonts count before the text is scaled. */
function scaleOf(pdfium: Pdfium, textPage: number, index: number): number {
  return pdfium.withBytes(6 * FLOAT_BYTES, (address) => {
    if (!pdfium.FPDFText_GetMatrix(textPage, index, address)) return 1;
    const bytes = pdfium.bytesAt(address, 6 * FLOAT_BYTES);
    return Math.hypot(bytes.readFloatLE(2 * FLOAT_BYTES), bytes.readFloatLE(3 * FLOAT_BYTES));
  });
}

/**
 * @param radians angle of a letter, clockwise
 * @param pageTurn how the page is turned, in quarters
 */
function angleOf(radians: number, pageTurn: number): PdfWord['angle'] {
  const quarters = (((Math.round(radians / (Math.PI / 2)) + pageTurn) % 4) + 4) % 4;
  return quarters === 1 ? 90 : quarters === 2 ? 180 : quarters === 3 ? 270 : 0;
}

/** Reads the words of a page in the order of PDFium, which follows the order in which they are drawn. */
export function readWords(
  pdfium: Pdfium,
  page: number,
  { fonts, most }: { readonly fonts: FontNames; readonly most: number },
): { readonly words: PdfWord[]; readonly count: number; readonly odd: number } {
  const textPage = pdfium.FPDFText_LoadPage(page);
  if (textPage === 0) return { words: [], count: 0, odd: 0 };
  const place = placesOn(pdfium, page);
  const pageTurn = pdfium.FPDFPage_GetRotation(page);
  const words: PdfWord[] = [];
  const count = Math.min(Math.max(0, pdfium.FPDFText_CountChars(textPage)), most);
  let odd = 0;
  let growing: Growing | undefined;
  const end = (): void => {
    if (growing === undefined) return;
    const { text, size, font, angle, startsAt, endsAt, isDivided: _, last: __, ...box } = growing;
    const whole = text.normalize('NFC');
    words.push({
      text: isMirrored(whole, endsAt - startsAt) ? mirrored(whole) : whole,
      ...place(box),
      size,
      font,
      angle,
    });
    growing = undefined;
  };
  pdfium.withBytes(4 * DOUBLE_BYTES, (address) => {
    for (let index = 0; index < count; index++) {
      const code = pdfium.FPDFText_GetUnicode(textPage, index);
      if (growing !== undefined && code === DIVIDED) growing = { ...growing, isDivided: true };
      if (pdfium.FPDFText_HasUnicodeMapError(textPage, index) === 1 || code === 0) odd++;
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
              startsAt: box.left,
              endsAt: box.left,
              isDivided: false,
              last: box,
              text: character,
              size: pdfium.FPDFText_GetFontSize(textPage, index) * scaleOf(pdfium, textPage, index),
              font: fonts.indexOf(textPage, index),
              angle: angleOf(pdfium.FPDFText_GetCharAngle(textPage, index), pageTurn),
            }
          : grown(growing, character, box);
    }
  });
  end();
  pdfium.FPDFText_ClosePage(textPage);
  return { words, count, odd };
}

function grown(word: Growing, character: string, box: Box): Growing {
  if (word.isDivided) return { ...word, text: word.text + character };
  const mark = ACCENTS[character];
  const isOver = mark !== undefined && middle(box) > word.endsAt && middle(box) < word.right;
  if (isOver) return { ...word, text: withAccent(word.text, mark) };
  const accent = ACCENTS[word.text.at(-1) ?? ''];
  if (accent !== undefined && middle(word.last) > box.left && middle(word.last) < box.right) {
    const text = word.text.slice(0, -1) + withAccent(character, accent);
    return { ...word, text, last: box, endsAt: box.left, right: Math.max(word.right, box.right) };
  }
  return {
    ...word,
    text: word.text + character,
    last: box,
    endsAt: box.left,
    left: Math.min(word.left, box.left),
    right: Math.max(word.right, box.right),
    bottom: Math.min(word.bottom, box.bottom),
    top: Math.max(word.top, box.top),
  };
}

function middle({ left, right }: Box): number {
  return (left + right) / 2;
}
