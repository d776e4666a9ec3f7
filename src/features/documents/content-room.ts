import type { Page } from '../../core/browser/page/page.ts';
import { emulatePaper, type PaperOptions } from '../../core/steps/readiness/paper.ts';
import type { Size } from '../../core/steps/common/step.ts';
import type { PdfFile } from './pdf-file.ts';

/** Chrome shrinks a page that is wider than its paper, up to this factor (Chromium 153). */
export const MOST_SHRUNK = 1.5;

/** Chrome draws on paper with 300 units per inch. */
const UNITS_PER_PIXEL = 300 / 96;
const POINTS_PER_UNIT = 72 / 300;
/** A clip rectangle: left, top, width, height. A picture has one of its own, with the same left side at most. */
const CLIP = /([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re\s+W\*? n/g;
/** The scale of the content, and its left side. A picture is drawn in its own size: two numbers. */
const SCALE = /q\s+([\d.]+) 0 0 \1 ([\d.]+) /g;
/** Compressed commands of a sheet with nothing but header and footer, at most. */
const BLANK_BYTES = 16_384;

interface ContentRoom extends Size {
  /** Factor by which Chrome has shrunk the page, from 1 to `MOST_SHRUNK`. */
  readonly shrunkBy: number;
}

type Drawn = Pick<PdfFile, 'pages' | 'commandsOf'>;

/** Place and scale of the content on a page, in points. */
interface DrawnPage {
  readonly left: number;
  readonly top: number;
  /** Points per point of the page, with the shrinking of Chrome. */
  readonly scale: number;
}

/**
 * Returns the room for content on the first page: the paper, which the page may have set itself, without its margins.
 * As tall as the lower one of the first two pages, because the first may be a cover. Undefined if the document is drawn
 * in another way.
 * @param scale `pdf_scale` of the print
 */
export function contentRoom(file: Drawn, scale: number): ContentRoom | undefined {
  const [first, second] = file
    .pages()
    .slice(0, 2)
    .map((page) => firstCommands(file, page));
  if (first === undefined) return undefined;
  const unit = UNITS_PER_PIXEL * scale;
  const height = Math.min(first.height, second?.height ?? Infinity);
  return { width: first.width / unit, height: height / unit, shrunkBy: unit / first.scale };
}

/** Returns where the content of a page is drawn. Undefined if it is drawn in another way. */
export function drawnPage(file: Drawn, page: number): DrawnPage | undefined {
  const drawn = firstCommands(file, page);
  if (drawn === undefined) return undefined;
  const { left, top, scale } = drawn;
  return { left: left * POINTS_PER_UNIT, top: top * POINTS_PER_UNIT, scale: scale / UNITS_PER_PIXEL };
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
  return hasHeaderFooter && isHeader && firstCommands(file, file.pages()[0] ?? 0)?.left !== 0;
}

/** Returns the clip rectangle and the scale of the content, in units of the paper. */
function firstCommands(file: Drawn, page: number): (DrawnPage & Size) | undefined {
  const commands = file.commandsOf(page);
  const clips = [...commands.matchAll(CLIP)].map((clip) => clip.slice(1).map(Number));
  for (const [, scale, left] of commands.matchAll(SCALE)) {
    const inside = clips.filter((clip) => clip[0] === Number(left));
    const [, top, width, height] = inside.toSorted((a, b) => (b[3] ?? 0) - (a[3] ?? 0))[0] ?? [];
    if (top !== undefined && width !== undefined && height !== undefined)
      return { left: Number(left), top, width, height, scale: Number(scale) };
  }
  return undefined;
}

/** Returns the width of the page's content in CSS pixels, and leaves the page with the size of the paper. */
export async function widthOnPaper(page: Page, paper: Size, options: PaperOptions): Promise<number> {
  await emulatePaper(page, paper, options);
  const { cssContentSize } = await page.send('Page.getLayoutMetrics');
  return cssContentSize.width;
}
