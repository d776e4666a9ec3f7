import type { Protocol } from 'puppeteer';
import type { Page } from '../../browser/page/page.ts';
import { ServiceError } from '../../ground/errors.ts';
import { findVisible } from '../../steps/common/element.ts';
import { selectsPage } from '../../steps/in-page/selects-page.ts';
import { boxesOfEach } from '../../steps/in-page/boxes-of-each.ts';
import { MOST_EACH } from '../../steps/area.ts';
import { areaOfAll } from '../../steps/in-page/area-of-all.ts';
import type { Box } from '../../steps/in-page/placement.ts';
import type { Rendering, RenderOptions } from './format.ts';
import { hidesOverflow, movePage } from './in-page/page-width.ts';

/** Maximum number of matches of `selector_all` that are measured. */
const MOST_MATCHES = 10_000;

/** CSS pixels. Wider boxes are refused by their size, wherever they lie. */
const WIDEST = 1_000_000;

/** The part of the page to capture. */
export interface Measured {
  /** Whole CSS pixels. */
  readonly box: Box;
  /** CSS pixels of the picture per CSS pixel of the page. A phone shrinks a page that is wider than its window. */
  readonly zoom: number;
  /** How the page was moved for the picture. */
  readonly moved?: Move;
}

/** CSS pixels to the right and down. */
interface Move {
  readonly x: number;
  readonly y: number;
}

const NOT_MOVED: Move = { x: 0, y: 0 };

/** Returns where the picture begins on the page. */
export function placeOf(measured: Measured | undefined): Rendering['place'] {
  if (measured === undefined) return undefined;
  const { box, zoom, moved = NOT_MOVED } = measured;
  return { x: box.x - moved.x, y: box.y - moved.y, zoom };
}

/** Returns the size of the picture in CSS pixels. */
export function pictureOf({ box: { width, height }, zoom }: Measured): Pick<Box, 'width' | 'height'> {
  return { width: Math.round(width * zoom), height: Math.round(height * zoom) };
}

/** Returns the part of the page to capture. Undefined for the viewport. */
export async function measureArea(page: Page, options: RenderOptions): Promise<Measured | undefined> {
  const { clip, selector, pixel_density: density } = options;
  if (clip !== undefined) {
    await measureAtTop(page);
    return { box: toWholePixels(clip, density), zoom: 1 };
  }
  if (selector !== undefined) {
    if (!options.selector_all && (await page.evaluate(selectsPage, selector))) return await wholePage(page, options);
    const { box, moved } = await boxOf(page, { ...options, selector });
    const zoom = options.is_mobile ? (await wholePage(page, options)).zoom : 1; // a phone shrinks all of the page
    return { box: toWholePixels(await padded(page, box, options), density), zoom, moved };
  }
  return options.full_page ? await wholePage(page, options) : undefined;
}

/** Returns the part of the page to capture for each match of the selector. `hasMore`: some are left out. */
export async function measureEach(
  page: Page,
  options: RenderOptions & { readonly selector: string },
): Promise<{ readonly parts: readonly Measured[]; readonly hasMore: boolean }> {
  const { boxes, hasMore } = await page.evaluate(boxesOfEach, options.selector, MOST_EACH);
  if (boxes.length === 0) await findVisible(page, options.selector); // to explain it
  const zoom = options.is_mobile ? (await wholePage(page, options)).zoom : 1;
  const parts: Measured[] = [];
  for (const box of boxes)
    parts.push({ box: toWholePixels(await padded(page, box, options), options.pixel_density), zoom });
  return { parts, hasMore };
}

interface Selected {
  readonly selector: string;
  readonly selector_all: boolean;
}

/** Moves the page if the element begins left of it or above it. */
async function boxOf(
  page: Page,
  { selector, selector_all: isAll }: Selected,
): Promise<{ readonly box: Box; readonly moved: Move }> {
  const find = async (): Promise<Box> => {
    const box = isAll ? await page.evaluate(areaOfAll, selector, MOST_MATCHES) : undefined;
    return box ?? (await findVisible(page, selector, { isSeen: true })).box;
  };
  const before = await find();
  if ((before.x >= 0 && before.y >= 0) || before.width > WIDEST) return { box: before, moved: NOT_MOVED };
  const moved = { x: Math.max(Math.ceil(-before.x), 0), y: Math.max(Math.ceil(-before.y), 0) };
  await page.evaluate(movePage, moved);
  const { x, y, width, height } = await find();
  // What the window holds does not move. It is drawn above the page, but not left of it.
  const box = { x: Math.max(x, 0), y, width: width + Math.min(x, 0), height };
  if (box.width > 0) return { box, moved };
  const details = `selector: ${selector} lies left of the page, where the browser can't draw it`;
  throw new ServiceError('ElementNotFoundError', undefined, { details });
}

/** Adds room around a part of the page, as far as the page reaches. */
async function padded(page: Page, box: Box, { selector_padding: padding }: RenderOptions): Promise<Box> {
  if (padding === 0) return box;
  const { cssContentSize, cssLayoutViewport } = await page.send('Page.getLayoutMetrics');
  const [width, height] = [
    Math.max(cssContentSize.width, cssLayoutViewport.clientWidth, box.x + box.width),
    Math.max(cssContentSize.height, cssLayoutViewport.clientHeight, box.y + box.height),
  ];
  const [x, y] = [Math.max(box.x - padding, 0), Math.max(box.y - padding, 0)];
  return {
    x,
    y,
    width: Math.min(box.x + box.width + padding, width) - x,
    height: Math.min(box.y + box.height + padding, height) - y,
  };
}

/**
 * Scrolls to the top, because a fragment of the address or a focus may have moved fixed and sticky elements down the
 * page.
 */
async function measureAtTop(page: Page): Promise<Protocol.Page.GetLayoutMetricsResponse> {
  const metrics = await page.send('Page.getLayoutMetrics');
  const { pageX, pageY } = metrics.cssLayoutViewport;
  if (pageX !== 0 || pageY !== 0) await page.evaluate(() => window.scrollTo({ left: 0, top: 0, behavior: 'instant' }));
  return metrics;
}

/** Returns the whole page, as a phone or a desktop shows it. */
export async function wholePage(page: Page, options: RenderOptions): Promise<Measured> {
  const { cssContentSize, cssVisualViewport } = await measureAtTop(page);
  const { window_width: windowWidth, window_height: windowHeight } = options;
  // A phone's window shows a page in the width of its layout, or of its content.
  const shownWidth = options.is_mobile ? Math.max(windowWidth, Math.round(cssVisualViewport.clientWidth)) : windowWidth;
  const isWider = cssContentSize.width > shownWidth && !(await page.evaluate(hidesOverflow));
  const width = isWider ? Math.ceil(cssContentSize.width) : shownWidth;
  const zoom = options.is_mobile ? windowWidth / width : 1;
  const height = Math.max(Math.ceil(cssContentSize.height), Math.floor(windowHeight / zoom));
  const most = options.full_page_max_height;
  return { box: { x: 0, y: 0, width, height: most === undefined ? height : Math.min(height, most) }, zoom };
}

/** Rounds both edges to the nearest pixel, so that neighbouring content does not show. */
function toWholePixels({ x, y, width, height }: Box, density: number): Box {
  const [left, top] = [Math.round(x), Math.round(y)];
  const least = leastSide(density);
  return {
    x: left,
    y: top,
    width: Math.max(Math.round(x + width) - left, least),
    height: Math.max(Math.round(y + height) - top, least),
  };
}

/**
 * Returns the smallest side: one CSS pixel and one device pixel. For less, Chrome never returns a picture (Chromium
 * 153).
 */
export function leastSide(density: number): number {
  return Math.max(1, 1 / density);
}
