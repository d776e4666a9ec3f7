import { getDocument, OPS, VerbosityLevel, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { CaptureAnswer } from '../support/http.ts';
import { expectCaptured } from './expect.ts';

/** Drawing operations of a PDF. */
export interface Drawings {
  /** Number of pictures painted, in all pages. */
  readonly images: number;
  /** Every fill colour, as `red,green,blue`. */
  readonly fills: ReadonlySet<string>;
  /** Every font in use. */
  readonly fonts: readonly PdfFont[];
  /** Every text run with its position. */
  readonly runs: readonly TextRun[];
}

interface PdfFont {
  /** Font name as in the document: subsets have a prefix of six letters and a plus. */
  readonly name: string;
  /** True if the glyphs are embedded in the document. */
  readonly isEmbedded: boolean;
}

interface TextRun {
  readonly page: number;
  readonly text: string;
  /** Points from the left edge of the page. */
  readonly left: number;
  readonly right: number;
  readonly pageWidth: number;
}

/** Reads the drawing operations of a captured PDF; throws if the capture failed or is no PDF. */
export async function readDrawings(answer: CaptureAnswer): Promise<Drawings> {
  expectCaptured(answer);
  const loading = getDocument({
    data: Uint8Array.from(answer.body),
    verbosity: VerbosityLevel.ERRORS,
    fontExtraProperties: true,
  });
  try {
    const document = await loading.promise;
    const fills = new Set<string>();
    const fonts = new Map<string, PdfFont>();
    const runs: TextRun[] = [];
    let images = 0;
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      images += await readPainting(page, fills, fonts);
      runs.push(...(await readRuns(page, number)));
    }
    return { images, fills, fonts: [...fonts.values()], runs };
  } finally {
    await loading.destroy();
  }
}

async function readPainting(page: PDFPageProxy, fills: Set<string>, fonts: Map<string, PdfFont>): Promise<number> {
  const { fnArray, argsArray } = await page.getOperatorList();
  let images = 0;
  for (const [index, operation] of fnArray.entries()) {
    const [first]: unknown[] = argsArray[index] ?? [];
    if (operation === OPS.paintImageXObject || operation === OPS.paintInlineImageXObject) images += 1;
    if (operation === OPS.setFillRGBColor) fills.add(toChannels(String(first)));
    if (operation === OPS.setFont && typeof first === 'string') fonts.set(first, readFont(page.commonObjs.get(first)));
  }
  return images;
}

function readFont(font: unknown): PdfFont {
  if (typeof font !== 'object' || font === null || !('name' in font)) throw new TypeError('no font');
  const isEmbedded = !('missingFile' in font && font.missingFile === true);
  return { name: String(font.name), isEmbedded };
}

async function readRuns(page: PDFPageProxy, number: number): Promise<TextRun[]> {
  const { width: pageWidth } = page.getViewport({ scale: 1 });
  const { items } = await page.getTextContent();
  return items.flatMap((item) => {
    if (!('str' in item) || item.str.trim() === '') return [];
    const left = Number(item.transform[4]);
    return [{ page: number, text: item.str, left, right: left + item.width, pageWidth }];
  });
}

/** Converts `#rrggbb` to `red,green,blue`. */
function toChannels(css: string): string {
  const value = Number.parseInt(css.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255].join();
}
