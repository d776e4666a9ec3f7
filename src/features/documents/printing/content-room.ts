import type { Page } from '../../../core/browser/page/page.ts';
import { emulatePaper, type PaperOptions } from '../../../core/steps/readiness/paper.ts';
import type { Size } from '../../../core/steps/common/step.ts';
import { toPoints } from '../length.ts';
import type { KnownMargins, SheetMargins } from '../own-paper.ts';
import { SIDES } from '../paper-sizes.ts';
import type { PdfFile } from '../pdf-file.ts';

/** Chrome shrinks a page that is wider than its paper, up to this factor (Chromium 153). */
export const MOST_SHRUNK = 1.5;

/** Chrome draws on paper with 300 units per inch. */
const UNITS_PER_PIXEL = 300 / 96;
const POINTS_PER_UNIT = 72 / 300;
/** Chrome's rounding of margins, in CSS pixels. */
const ROUNDING = 2;
/** A clip rectangle: left, top, width, height. The content of a sheet has one, and so have drawings and pictures. */
const CLIP = /([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re\s+W\*? n/g;
/** A scale, and the place of what is drawn with it. A picture is drawn in its own size: two numbers. */
const SCALE = /q\s+([\d.]+) 0 0 \1 ([\d.]+) (-?[\d.]+) cm/g;
/** Compressed bytes that are searched, in turn. A drawing at the top of the page comes before the page's own clip. */
const SEARCHED_BYTES = [512, 4_096, 32_768];
/** Length of commands that are searched: a drawing that repeats itself is compressed to nothing. */
const MOST_COMMANDS = 1_000_000;
/** Sheets that are searched for the room: a cover may be one picture. */
const SEARCHED_SHEETS = 3;
/** Compressed commands of a sheet with nothing but header and footer, at most. */
const BLANK_BYTES = 16_384;

interface ContentRoom extends Size {
  /** Factor by which Chrome has shrunk the page, from 1 to `MOST_SHRUNK`. */
  readonly shrunkBy: number;
}

type Drawn = Pick<PdfFile, 'pages' | 'commandsOf' | 'sizeOf'>;

/** How a document was printed. */
export interface Printed {
  readonly margins: SheetMargins;
  /** `pdf_scale` of the print. */
  readonly scale: number;
}

/** The content's rectangle on a sheet, in units of the paper. */
interface ContentBox extends Size {
  readonly left: number;
  readonly top: number;
  /** Units per CSS pixel of the page, with the shrinking of Chrome. */
  readonly scale: number;
}

/**
 * Returns the room for content on the first sheet whose content is found: the paper, which the page may have set
 * itself, without its margins. Undefined if it is not found, because the sheets are empty or one drawing.
 */
export function contentRoom(file: Drawn, printed: Printed): ContentRoom | undefined {
  for (const page of file.pages().slice(0, SEARCHED_SHEETS)) {
    const box = contentBox(file, page, printed);
    if (box === undefined) continue;
    const unit = UNITS_PER_PIXEL * printed.scale;
    return { width: box.width / unit, height: box.height / unit, shrunkBy: unit / box.scale };
  }
  return undefined;
}

/** Returns left and upper side of the content of a sheet, in points. The usual margins if the content is not found. */
export function contentPlace(
  file: Drawn,
  page: number,
  printed: Printed,
): { readonly left: number; readonly top: number } {
  const box = contentBox(file, page, printed);
  if (box !== undefined) return { left: box.left * POINTS_PER_UNIT, top: box.top * POINTS_PER_UNIT };
  const { left, top } = printed.margins.expected(file.pages().indexOf(page));
  return { left: toPoints(left), top: toPoints(top) };
}

/**
 * True if the last of several sheets has nothing on it but background, margin boxes, header and footer. Content is
 * drawn inside of a clip rectangle, and so are header and footer, after it.
 */
export function endsWithBlankSheet(file: PdfFile, hasHeaderFooter: boolean): boolean {
  if (file.pageCount < 2) return false;
  const commands = file.commandsOf(file.pages().at(-1) ?? 0, BLANK_BYTES);
  const countOf = (line: RegExp): number => commands.match(line)?.length ?? 0;
  if (countOf(/^q$/gm) !== countOf(/^Q$/gm)) return false; // more than was read
  const clips = commands.match(/^[\d.]+ [\d.]+ [\d.]+ [\d.]+ re\nW\*? n$/gm) ?? [];
  if (clips.length === 0) return true;
  // Content without margins and tags looks like a header.
  const isHeader = clips.length === 1 && (clips[0] ?? '').startsWith('0 0 ') && !commands.includes('BDC');
  const [first = ''] = file.commandsOf(file.pages()[0] ?? 0).match(CLIP) ?? [];
  return hasHeaderFooter && isHeader && !first.startsWith('0 ');
}

/**
 * Finds the clip rectangle of a sheet's content. Chrome draws nothing with it but what stands outside of drawings,
 * pictures and boxes with clips of their own, which may come first and have any scale. It is known by its margins. If
 * the page has margins that are no lengths, it is the largest one.
 */
function contentBox(file: Drawn, page: number, { margins, scale }: Printed): ContentBox | undefined {
  const paper = file.sizeOf(page);
  let largest: ContentBox | undefined;
  for (const bytes of SEARCHED_BYTES) {
    const commands = file.commandsOf(page, bytes);
    for (const box of boxesIn(commands, UNITS_PER_PIXEL * scale)) {
      const { left, top, width, height } = box;
      const right = paper.width / POINTS_PER_UNIT - left - width;
      const bottom = paper.height / POINTS_PER_UNIT - top - height;
      if (areMargins({ left, top, right, bottom }, margins.known)) return box;
      if (largest === undefined || width * height > largest.width * largest.height) largest = box;
    }
    if (commands.length > MOST_COMMANDS) break;
  }
  return SIDES.every((side) => margins.known[side].every((margin) => margin !== undefined)) ? undefined : largest;
}

/** Returns the clip rectangles of what is drawn from their corner, at a scale that Chrome may have chosen. */
function boxesIn(commands: string, unit: number): readonly ContentBox[] {
  const drawn = [...commands.matchAll(SCALE)].map(([, scale, x, y]) => [Number(scale), Number(x), Number(y)] as const);
  const possible = drawn.filter(([scale]) => scale <= unit * 1.001 && scale >= (unit / MOST_SHRUNK) * 0.999);
  return [...commands.matchAll(CLIP)].flatMap(([, ...numbers]) => {
    const [left = 0, top = 0, width = 0, height = 0] = numbers.map(Number);
    // Sheets follow each other down the page.
    const scales = possible.filter(([, x, y]) => x === left && y <= top).map(([scale]) => scale);
    return scales.length === 0 ? [] : [{ left, top, width, height, scale: Math.max(...scales) }];
  });
}

function areMargins(gaps: Readonly<Record<(typeof SIDES)[number], number>>, known: KnownMargins): boolean {
  return SIDES.every((side) =>
    known[side].some((margin) => margin !== undefined && Math.abs(gaps[side] / UNITS_PER_PIXEL - margin) < ROUNDING),
  );
}

/** Returns the width of the page's content in CSS pixels, and leaves the page with the size of the paper. */
export async function widthOnPaper(page: Page, paper: Size, options: PaperOptions): Promise<number> {
  await emulatePaper(page, paper, options);
  const { cssContentSize } = await page.send('Page.getLayoutMetrics');
  return cssContentSize.width;
}
