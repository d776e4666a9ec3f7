import { ScriptEndedError } from '../../core/browser/browser-errors.ts';
import type { Page } from '../../core/browser/page/page.ts';
import { LIMIT_MS } from '../../core/ground/time-limits.ts';
import type { RenderOptions } from '../../core/capture/formats/format.ts';
import { loadSharp } from '../../core/ground/load-sharp.ts';
import type { MarkdownOptions } from './markdown-fields.ts';
import { findDoubts } from './in-page/visibility/find-doubts.ts';
import { nextStop, paintGroup, type Stop } from './in-page/visibility/stops.ts';

type VisibilityOptions = Pick<RenderOptions, 'selector' | 'pixel_density'> & Pick<MarkdownOptions, 'markdown_images'>;

/** Pixels of a picture, three bytes each. */
interface Pixels {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
  /** Where the picture begins in the visible window, in CSS pixels. */
  readonly left: number;
  readonly top: number;
  /** Pixels per CSS pixel. */
  readonly scale: number;
}

type Place = Stop['words'][number];

const LEAST_CONTRAST = 1.25; // that a person sees, from 1 to 21 (WCAG 2)
const DISTINCT = [64, 64, 128] as const; // of 255, by channel: other hues of the same lightness can be read
const NEAR = 2; // pixels, in which the edge of a letter is as different as its middle
const MOST_PIXELS = 4_000_000; // of a picture; larger windows are drawn smaller

/** Light of each value of a channel (sRGB). */
const LIGHT = Float64Array.from({ length: 256 }, (_, value) => {
  const share = value / 255;
  return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
});

/**
 * Finds out which doubtful texts a person can see: takes pictures of the window with and without their letters, and
 * compares the pixels where they lie. `visibleCopy` of this document then knows. What was not looked at within the time
 * limit counts as hidden. Leaves the page as it was.
 */
export async function judgeVisibility(
  page: Page,
  { selector, markdown_images: pictures, pixel_density: density }: VisibilityOptions,
): Promise<void> {
  const endsAt = performance.now() + LIMIT_MS.visibleText;
  const tools = { expression: String(selector !== undefined), limitMs: LIMIT_MS.convert };
  try {
    if (!(await page.evaluateWith(tools, findDoubts, pictures))) return;
  } catch (error) {
    if (!(error instanceof ScriptEndedError)) throw error;
    return; // the conversion ends, too, and says so
  }
  let seen = '';
  for (;;) {
    const stop = await page.evaluate(nextStop, seen, performance.now() > endsAt);
    if (stop === null) return;
    seen = await lookAt(page, stop, density);
  }
}

/** Returns one digit for each word of a stop: 1 if a person can see it, otherwise 0. */
async function lookAt(page: Page, stop: Stop, density: number): Promise<string> {
  const before = await picture(page, stop, density);
  const seen = stop.words.map(() => '0');
  for (const group of new Set(stop.words.map((word) => word.group))) {
    await page.evaluate(paintGroup, group);
    const after = await picture(page, stop, density);
    for (const [index, word] of stop.words.entries())
      if (word.group === group && isSeen(word, before, after)) seen[index] = '1';
  }
  await page.evaluate(paintGroup, -1);
  if (stop.isMoving) {
    const again = await picture(page, stop, density);
    for (const [index, word] of stop.words.entries()) if (isSeen(word, before, again)) seen[index] = '0';
  }
  return seen.join('');
}

/** Returns the pixels of the part of the window that has the words. */
async function picture(page: Page, { x, y, words }: Stop, density: number): Promise<Pixels> {
  const left = Math.floor(Math.min(...words.map((word) => word.x)));
  const top = Math.floor(Math.min(...words.map((word) => word.y)));
  const width = Math.ceil(Math.max(...words.map((word) => word.x + word.width))) - left;
  const height = Math.ceil(Math.max(...words.map((word) => word.y + word.height))) - top;
  const scale = Math.min(1, Math.sqrt(MOST_PIXELS / (width * height * density * density)));
  const png = await page.sendForBytes('Page.captureScreenshot', {
    format: 'png',
    optimizeForSpeed: true,
    clip: { x: x + left, y: y + top, width, height, scale },
  });
  const sharp = await loadSharp();
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, left, top, scale: info.width / width };
}

/** True if sharp letters change pixels in at least half of the columns of a word. Blurred ones can't be read. */
function isSeen({ x, y, width, height, isHigh }: Place, before: Pixels, after: Pixels): boolean {
  const { scale } = before;
  const inPicture = (value: number, most: number): number => Math.max(0, Math.min(most, Math.round(value * scale)));
  const [beginX, beginY] = [x - before.left, y - before.top];
  const [left, right] = [inPicture(beginX, before.width), inPicture(beginX + width, before.width)];
  const [top, bottom] = [inPicture(beginY, before.height), inPicture(beginY + height, before.height)];
  const isUpright = height > 1.5 * width;
  const [length, thickness] = isUpright ? [bottom - top, right - left] : [right - left, bottom - top];
  const columns = Math.max(1, Math.round(length / Math.max(1, thickness / 2)));
  const step = NEAR * 3 * (isUpright ? before.width : 1);
  const beside = [-step, step]; // along the line: the end of a blurred box is sharp, too
  const changed = new Set<number>();
  const rows = new Set<number>();
  for (let row = top; row < bottom; row++)
    for (let column = left; column < right; column++) {
      const at = (row * before.width + column) * 3;
      if (!differs(before.data, at, after.data, at)) continue;
      const isEdge = beside.some((next) => differs(before.data, at, before.data, at + next));
      if (!isEdge) continue;
      const [along, across] = isUpright ? [row - top, column - left] : [column - left, row - top];
      rows.add(across);
      changed.add(Math.min(columns - 1, Math.floor((along / length) * columns)));
    }
  const isTallEnough = !isHigh || rows.size >= thickness / 4;
  return isTallEnough && changed.size >= columns / 2;
}

/** True if a person sees the difference of two pixels. */
function differs(a: Buffer, atA: number, b: Buffer, atB: number): boolean {
  const [redA = 0, greenA = 0, blueA = 0] = [a[atA], a[atA + 1], a[atA + 2]];
  const [redB = redA, greenB = greenA, blueB = blueA] = [b[atB], b[atB + 1], b[atB + 2]];
  if (redA === redB && greenA === greenB && blueA === blueB) return false;
  const [red, green, blue] = DISTINCT;
  if (Math.abs(redA - redB) >= red || Math.abs(greenA - greenB) >= green || Math.abs(blueA - blueB) >= blue)
    return true;
  const [first, second] = [luminance(redA, greenA, blueA), luminance(redB, greenB, blueB)];
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05) >= LEAST_CONTRAST;
}

function luminance(red: number, green: number, blue: number): number {
  return 0.2126 * (LIGHT[red] ?? 0) + 0.7152 * (LIGHT[green] ?? 0) + 0.0722 * (LIGHT[blue] ?? 0);
}
