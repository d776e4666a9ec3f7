import type { Page } from '../../../browser/page/page.ts';
import { emulatePaper, type PaperOptions } from '../../../steps/readiness/paper.ts';
import type { Size } from '../../../steps/common/step.ts';
import { readPdfFile } from './pdf-file.ts';

/** Chrome shrinks a page that is wider than its paper, up to this factor (Chromium 153). */
export const MOST_SHRUNK = 1.5;

/** Chrome draws on paper with 300 units per inch. */
const UNITS_PER_PIXEL = 300 / 96;
/** The clip rectangle of the content, and the scale of the content within it. */
const FIRST_COMMANDS = /([\d.]+) ([\d.]+) re\s+W\*? n\s+q\s+([\d.]+) 0 0 /;

interface ContentRoom extends Size {
  /** Factor by which Chrome has shrunk the page, from 1 to `MOST_SHRUNK`. */
  readonly shrunkBy: number;
}

/**
 * Returns the room for content on the first page: the paper, which the page may have set itself, without its margins.
 * Undefined if the document is drawn in another way.
 * @param scale `pdf_scale` of the print
 */
export function contentRoom(body: Buffer, scale: number): ContentRoom | undefined {
  const [, width, height, drawnAt] = FIRST_COMMANDS.exec(readPdfFile(body).firstCommands()) ?? [];
  const unit = UNITS_PER_PIXEL * scale;
  if (width === undefined) return undefined;
  return { width: Number(width) / unit, height: Number(height) / unit, shrunkBy: unit / Number(drawnAt) };
}

/**
 * True if the page is wider than its paper, so that the print has cut off content. Leaves the page with the size of the
 * paper.
 */
export async function isContentCut(
  page: Page,
  { width, height, shrunkBy }: ContentRoom,
  { rightToLeft, ...options }: PaperOptions & { readonly rightToLeft: boolean },
): Promise<boolean> {
  if (!rightToLeft && shrunkBy < MOST_SHRUNK - 0.001) return false; // it fits
  await emulatePaper(page, { width, height }, options);
  const { cssContentSize } = await page.send('Page.getLayoutMetrics');
  return cssContentSize.width > width * shrunkBy + 1;
}
