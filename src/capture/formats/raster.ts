import { imageSize } from 'image-size';
import type { Protocol } from 'puppeteer';
import type { Page } from '../../browser/page/page.ts';
import { findVisible } from '../../steps/common/element.ts';
import { areaOfAll } from '../../steps/in-page/area-of-all.ts';
import type { Box } from '../../steps/in-page/placement.ts';
import { ServiceError } from '../../errors.ts';
import type { Format, Rendering, RenderOptions } from './format.ts';
import { drawFramesBeyondWindow } from './draw-frames.ts';
import { checkPictureSize } from './picture-size.ts';
import type { Pieces } from './pictures/encode.ts';
import { encodePicture } from './pictures/encode-picture.ts';
import { drawingScale, type PixelSize } from './pictures/resize.ts';
import { requestedSize } from './raster-fields.ts';
import { hidesOverflow, movePage } from './in-page/page-width.ts';
import { takePicture } from './take-picture.ts';
import { captureTiles, needsTiles } from './tiles.ts';

interface RasterFacts {
  readonly name: BrowserFormat | 'avif';
  readonly hasAlpha: boolean;
  readonly maxSide?: number;
  readonly maxArea?: number;
}

/** Formats that the browser encodes. */
type BrowserFormat = 'png' | 'jpeg' | 'webp';

/** Maximum number of matches of `selector_all` that are measured. */
const MOST_MATCHES = 10_000;
const TRANSPARENT = { r: 0, g: 0, b: 0, a: 0 };

/** A picture of the viewport, the whole page, a rectangle or an element. */
export function raster({ name, hasAlpha, maxSide, maxArea }: RasterFacts): Format {
  const check = ({ width, height }: Pick<Box, 'width' | 'height'>, options: RenderOptions, maxPixels: number): void => {
    const size = { width, height, density: options.pixel_density, resize: requestedSize(options) };
    checkPictureSize(size, { maxPixels, maxSide, maxArea, format: name });
  };

  return {
    mimeType: `image/${name}`,
    extension: name,
    ...(maxSide !== undefined && { maxSide }),
    isPainted: true,
    showsWholePage: false,
    headers: {},
    check: (options, { maxPixels }) => {
      const known = options.clip ?? knownBox(options);
      if (known !== undefined) check(known, options, maxPixels);
    },
    checkLoaded: async (page, options, { maxPixels }) => {
      if (!options.full_page || options.selector !== undefined || options.clip !== undefined) return;
      check(pictureOf(await wholePage(page, options)), options, maxPixels);
    },
    render: async (page, options, { maxPixels, encodeLimit: limit }) => {
      const measured = await measure(page, options);
      if (measured !== undefined) check(pictureOf(measured), options, maxPixels);
      const keepsAlpha = options.omit_background && hasAlpha;
      if (keepsAlpha) {
        await page.send('Emulation.setDefaultBackgroundColorOverride', { color: TRANSPARENT });
      }
      const { pixel_density: density } = options;
      const isDrawn =
        measured === undefined || (await drawFramesBeyondWindow(page, measured.box, { density, keepsAlpha }));
      const facts = { place: placeOf(measured), ...(!isDrawn && { warnings: ['scroll_incomplete'] as const }) };
      const encoding = { name, quality: options.image_quality, keepsAlpha, resize: requestedSize(options) };
      const clip = measured?.box;
      const scale = (measured?.zoom ?? 1) * scaleOf(measured && pictureOf(measured), options);
      const drawing = { density, scale };
      if (clip !== undefined && needsTiles(clip, drawing)) {
        const tiles = await captureTiles(page, clip, drawing);
        return {
          finish: async (signal) => ({ ...(await encodePicture(tiles, encoding, { limit, signal })), ...facts }),
        };
      }
      if (encoding.resize === undefined && name !== 'avif') {
        return { ...(await captureAtOnce(page, options, { name, clip, scale })), ...facts };
      }
      const { body: png, size } = await captureAtOnce(page, options, { name: 'png', clip, scale });
      const whole: Pieces = { pngs: [png], across: 1, size };
      return { finish: async (signal) => ({ ...(await encodePicture(whole, encoding, { limit, signal })), ...facts }) };
    },
  };
}

async function captureAtOnce(
  page: Page,
  options: RenderOptions,
  { name, clip, scale }: { readonly name: BrowserFormat; readonly clip: Box | undefined; readonly scale: number },
): Promise<Rendering & { readonly size: PixelSize }> {
  const isCut = scale < 1 || (isFractional(options) && !options.is_mobile);
  const area = clip ?? (isCut ? await windowOnPage(page, options) : undefined);
  const body = await takePicture(page, {
    format: name,
    // The png stays lossless, is 30 % larger and takes half the time (measured 2026-11-20).
    optimizeForSpeed: true,
    ...(name !== 'png' && { quality: options.image_quality }),
    ...(area !== undefined && { clip: { ...area, scale } }),
  });
  if (body.length === 0) throw new ServiceError('InternalServerError', 'The browser returned an empty picture');
  const { width, height } = imageSize(body);
  return { body, size: { width, height } };
}

/**
 * True if the window is not a whole number of device pixels. Without a clip, its first column or row would then be
 * repeated at the end (headless shell 153, measured 2026-11-20). A mobile page is zoomed, so no clip shows its window:
 * it keeps the repeated column.
 */
function isFractional({ window_width: width, window_height: height, pixel_density: density }: RenderOptions): boolean {
  return !Number.isInteger(width * density) || !Number.isInteger(height * density);
}

async function windowOnPage(page: Page, options: RenderOptions): Promise<Box> {
  const { cssLayoutViewport } = await page.send('Page.getLayoutMetrics');
  const least = leastSide(options.pixel_density);
  return {
    x: cssLayoutViewport.pageX,
    y: cssLayoutViewport.pageY,
    width: Math.max(options.window_width, least),
    height: Math.max(options.window_height, least),
  };
}

/** Returns the scale for a picture that will be resized. The window of a mobile page is not scaled. */
function scaleOf(clip: Pick<Box, 'width' | 'height'> | undefined, options: RenderOptions): number {
  const resize = requestedSize(options);
  if (resize === undefined || (clip === undefined && options.is_mobile)) return 1;
  const { width, height } = clip ?? { width: options.window_width, height: options.window_height };
  const density = options.pixel_density;
  return drawingScale({ width: width * density, height: height * density }, resize);
}

/** Returns the size of the capture if it is known before the page is loaded. */
function knownBox(options: RenderOptions): Pick<Box, 'width' | 'height'> | undefined {
  if (options.full_page || options.selector !== undefined) return undefined;
  return { width: options.window_width, height: options.window_height };
}

/** The part of the page to capture. */
interface Measured {
  /** Whole CSS pixels. */
  readonly box: Box;
  /** CSS pixels of the picture per CSS pixel of the page. A phone shrinks a page that is wider than its window. */
  readonly zoom: number;
  /** CSS pixels by which the page was moved to the right for the picture. */
  readonly movedBy?: number;
}

function placeOf(measured: Measured | undefined): Rendering['place'] {
  return measured && { x: measured.box.x - (measured.movedBy ?? 0), y: measured.box.y, zoom: measured.zoom };
}

/** Returns the size of the picture in CSS pixels. */
function pictureOf({ box: { width, height }, zoom }: Measured): Pick<Box, 'width' | 'height'> {
  return { width: Math.round(width * zoom), height: Math.round(height * zoom) };
}

/** Returns the part of the page to capture. Undefined for the viewport. */
async function measure(page: Page, options: RenderOptions): Promise<Measured | undefined> {
  const { clip, selector, pixel_density: density } = options;
  if (clip !== undefined) {
    await measureAtTop(page);
    return { box: toWholePixels(clip, density), zoom: 1 };
  }
  if (selector !== undefined) {
    const { box, movedBy } = await boxOf(page, { ...options, selector });
    return { box: toWholePixels(await padded(page, box, options), density), zoom: 1, movedBy };
  }
  return options.full_page ? await wholePage(page, options) : undefined;
}

interface Selected {
  readonly selector: string;
  readonly selector_all: boolean;
}

/** Moves the page if the element begins left of it. */
async function boxOf(
  page: Page,
  { selector, selector_all: isAll }: Selected,
): Promise<{ readonly box: Box; readonly movedBy: number }> {
  const find = async (): Promise<Box> => {
    const box = isAll ? await page.evaluate(areaOfAll, selector, MOST_MATCHES) : undefined;
    return box ?? (await findVisible(page, selector, { isSeen: true })).box;
  };
  const box = await find();
  if (box.x >= 0) return { box, movedBy: 0 };
  const movedBy = Math.ceil(-box.x);
  await page.evaluate(movePage, movedBy);
  const moved = await find();
  if (moved.x >= 0) return { box: moved, movedBy };
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

async function wholePage(page: Page, options: RenderOptions): Promise<Measured> {
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
function leastSide(density: number): number {
  return Math.max(1, 1 / density);
}
