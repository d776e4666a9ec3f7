import type { z } from 'zod';
import type { Page } from '../../../core/browser/page/page.ts';
import { adoptStyleSheet } from '../../../core/steps/in-page/adopt-style-sheet.ts';
import { pinHeights, rootHeight } from '../in-page/heights.ts';
import { emulatedMedia, type media } from '../../../core/steps/media.ts';
import type { viewport } from '../../../core/steps/viewport.ts';
import { MOST_SHRUNK } from './content-room.ts';
import type { DocumentOptions } from '../document-fields.ts';
import { fromPoints, toPoints } from '../length.ts';
import { readPdfFile } from '../pdf-file.ts';
import { print, type Printing } from './print.ts';
import { LEAST_ROOM, MAX_SIDE_PT, type Sheet, sheetTooLarge } from '../sheet.ts';

/** Removes page breaks. `break-inside` is kept, because it also applies to columns. */
const NO_BREAKS = '* { break-before: auto !important; break-after: auto !important; page: auto !important; }';

/** Maximum number of measurements: elements with the height of the window make the page grow at each one. */
const MOST_MEASUREMENTS = 4;
const MOST_PINNED_ELEMENTS = 50_000;
/** Maximum number of prints: a page that grows at each print gets cut. */
const MOST_SHEETS = 4;

export type SingleSheetOptions = DocumentOptions & z.output<typeof media.schema> & z.output<typeof viewport.schema>;

/** The lowest possible sheet, until the height of the page is known. */
export function smallestSheet(sheet: Sheet): Sheet {
  return { ...sheet, height: sheet.margins.top + sheet.margins.bottom + 2 * LEAST_ROOM };
}

/**
 * Prints the whole page on one sheet, as tall as the page in print layout plus margins. Leaves the window at the width
 * of the layout.
 * @throws ServiceError ResultTooLargeError if the page is taller than documents may be; the errors of `print`
 */
export async function printOnOneSheet(
  page: Page,
  options: SingleSheetOptions,
  { sheet: requested, ...printing }: Printing,
): Promise<Buffer> {
  await page.evaluate(adoptStyleSheet, NO_BREAKS);
  const media_type = options.media_type ?? 'print';
  await page.send('Emulation.setEmulatedMedia', emulatedMedia({ ...options, media_type }));
  const sheet = { ...requested, fixedMargins: requested.margins };
  const { top, right, bottom, left } = sheet.margins;
  const width = Math.max(Math.floor((sheet.width - left - right) / options.pdf_scale), 1);
  let scale = options.pdf_scale;
  const tallAt = async (laidOut: number): Promise<number> => {
    const shrunkTo = laidOut > width ? width + 1 : width; // Chrome rounds by up to a pixel of the width
    scale = (options.pdf_scale * shrunkTo) / laidOut;
    return (await heightAt(page, laidOut, { ...options, pdf_scale: scale })) * scale + top + bottom;
  };

  const laidOut = await widthInPrint(page, width, options);
  let height = await tallAt(laidOut);
  for (let sheets = 1; ; sheets++) {
    if (toPoints(height) > MAX_SIDE_PT) throw sheetTooLarge(sheet.width, height, fittingScale(sheet, height, scale));
    const isLast = sheets === MOST_SHEETS;
    const body = await print(page, isLast ? { ...options, pdf_page_ranges: '1' } : options, {
      ...printing,
      sheet: { ...sheet, height },
    });
    if (isLast || readPdfFile(body).pageCount === 1) return body;
    // The page became taller for print. Uses that height, plus a little.
    const heightAtPrint = await page.evaluate(rootHeight, true);
    const tallAtPrint = Math.ceil(heightAtPrint * options.pdf_scale + top + bottom);
    // The page may also be taller because Chrome has not shrunk it, for example with right-to-left text.
    const tallUnshrunk = sheets === 1 && laidOut > width ? await tallAt(width) : 0;
    height = Math.max(tallAtPrint, height * 1.05 + 20, tallUnshrunk);
  }
}

/**
 * Returns a scale at which the page fits on the tallest sheet. At a smaller scale the page is wider and not taller.
 * @param scale scale of the print, including Chrome's own shrinking
 */
function fittingScale({ margins }: Sheet, height: number, scale: number): number {
  const room = fromPoints(MAX_SIDE_PT) - margins.top - margins.bottom;
  return Math.floor((100 * scale * room) / (height - margins.top - margins.bottom)) / 100;
}

type Size = Pick<Sheet, 'width' | 'height'>;

/** Returns the size of the page in a window of that size, in CSS pixels of the page. */
async function sizeIn(page: Page, { width, height }: Size, options: SingleSheetOptions): Promise<Size> {
  await page.setWindow({
    width,
    height,
    deviceScaleFactor: options.pixel_density,
    mobile: false, // a mobile viewport has no meaning on paper
  });
  const { cssContentSize } = await page.send('Page.getLayoutMetrics');
  return { width: Math.ceil(cssContentSize.width), height: Math.ceil(cssContentSize.height) };
}

/** Returns the width that the page's layout needs, at least `width`. */
async function widthInPrint(page: Page, width: number, options: SingleSheetOptions): Promise<number> {
  const seen = await sizeIn(page, { width, height: options.window_height }, options);
  return Math.min(Math.max(seen.width, width), Math.floor(MOST_SHRUNK * width));
}

/** Returns the height of the page in its CSS pixels. */
async function heightAt(page: Page, width: number, options: SingleSheetOptions): Promise<number> {
  const measure = async (height: number): Promise<number> => (await sizeIn(page, { width, height }, options)).height;
  const tallest = fromPoints(MAX_SIDE_PT) / options.pdf_scale; // larger heights need no exact value
  const converge = async (): Promise<number | undefined> => {
    const usual = options.window_height;
    const first = await measure(usual);
    // The root is at least as tall as the window, so the height is measured again in a lower window.
    let height = first > usual ? first : Math.max(Math.ceil(await page.evaluate(rootHeight, false)), 1);
    if (height > tallest) return height;
    for (let measurements = 0; measurements < MOST_MEASUREMENTS && height <= tallest; measurements++) {
      const seen = await measure(height);
      if (seen <= height) return height;
      height = seen;
    }
    return undefined;
  };

  const height = await converge();
  if (height !== undefined) return height;
  await measure(options.window_height);
  await page.evaluate(pinHeights, 'note', MOST_PINNED_ELEMENTS);
  await measure(2 * options.window_height);
  await page.evaluate(pinHeights, 'pin', MOST_PINNED_ELEMENTS);
  return (await converge()) ?? (await measure(options.window_height));
}
