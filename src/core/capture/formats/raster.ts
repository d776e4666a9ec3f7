import { imageSize } from 'image-size';
import type { Page } from '../../browser/page/page.ts';
import type { Box } from '../../steps/in-page/placement.ts';
import { ServiceError } from '../../ground/errors.ts';
import type { WarningCode } from '../../steps/common/step.ts';
import type { Format, Rendering, RenderLimits, RenderOptions, Unfinished } from './format.ts';
import { drawFramesBeyondWindow } from './draw-frames.ts';
import { checkPictureSize, checkTogether } from './picture-size.ts';
import type { Pieces } from './pictures/encode.ts';
import { encodePicture } from './pictures/encode-picture.ts';
import { isPlainPicture } from './pictures/plain-picture.ts';
import { drawingScale, type PixelSize } from './pictures/resize.ts';
import { requestedSize } from './raster-fields.ts';
import { hideHeld } from './in-page/hide-held.ts';
import { leastSide, type Measured, measureArea, measureEach, pictureOf, placeOf, wholePage } from './measure-area.ts';
import { takeEach } from './take-each.ts';
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

/** Pictures of an element that moves meanwhile. */
const MOST_PICTURES = 3;
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
    render: async (page, options, limits) => {
      const { selector, selector_each: isEach } = options;
      const takePart = (part: Measured | undefined) => take(page, options, part, limits);
      if (selector === undefined) return await takePart(await measureArea(page, options));
      if (!isEach)
        return await whileItRests(
          () => measureArea(page, options),
          takePart,
          (part) => part?.box,
        );
      return await whileItRests(
        () => measureEach(page, { ...options, selector }),
        async ({ parts, hasMore }) => {
          for (const part of parts) check(pictureOf(part), options, limits.maxPixels);
          checkTogether(parts.map(pictureOf), options.pixel_density, limits.maxPixels);
          return await takeEach(parts, takePart, { hasMore, mimeType: `image/${name}`, ...limits });
        },
        ({ parts }) => parts.map(({ box }) => box),
      );
    },
    isBlank: async (body, { encodeLimit }, signal) =>
      await encodeLimit(() => isPlainPicture(body), { isLarge: true, signal }),
  };

  async function take(
    page: Page,
    options: RenderOptions,
    measured: Measured | undefined,
    { maxPixels, encodeLimit: limit }: RenderLimits,
  ): Promise<Rendering | Unfinished> {
    if (measured !== undefined) check(pictureOf(measured), options, maxPixels);
    if (measured !== undefined && !isWhole(options))
      await page.evaluate(hideHeld, { ...measured.box }, options.selector ?? null);
    const keepsAlpha = options.omit_background && hasAlpha;
    if (keepsAlpha) {
      await page.send('Emulation.setDefaultBackgroundColorOverride', { color: TRANSPARENT });
    }
    const { pixel_density: density } = options;
    const isDrawn =
      measured === undefined || (await drawFramesBeyondWindow(page, measured.box, { density, keepsAlpha }));
    const facts = { place: placeOf(measured), ...(!isDrawn && { warnings: ['scroll_incomplete'] as const }) };
    const { image_quality: quality, color, dither } = options;
    const encoding = { name, quality, keepsAlpha, resize: requestedSize(options), color, dither };
    const clip = measured?.box;
    const scale = (measured?.zoom ?? 1) * scaleOf(measured && pictureOf(measured), options);
    const drawing = { density, scale };
    if (clip !== undefined && needsTiles(clip, drawing)) {
      const tiles = await captureTiles(page, clip, drawing);
      return {
        finish: async (signal) => ({ ...(await encodePicture(tiles, encoding, { limit, signal })), ...facts }),
      };
    }
    if (encoding.resize === undefined && color === 'full' && name !== 'avif') {
      return { ...(await captureAtOnce(page, options, { name, clip, scale })), ...facts };
    }
    const { body: png, size } = await captureAtOnce(page, options, { name: 'png', clip, scale });
    const whole: Pieces = { pngs: [png], across: 1, size };
    return { finish: async (signal) => ({ ...(await encodePicture(whole, encoding, { limit, signal })), ...facts }) };
  }
}

/** True for a picture of the whole page: `clip` and `selector` are parts of it. */
function isWhole({ clip, selector }: RenderOptions): boolean {
  return clip === undefined && selector === undefined;
}

/** Takes pictures of what is measured until it is at the same place before and after, at most three times. */
async function whileItRests<T>(
  measure: () => Promise<T>,
  take: (measured: T) => Promise<Rendering | Unfinished>,
  boxOf: (measured: T) => unknown,
): Promise<Rendering | Unfinished> {
  let measured = await measure();
  for (let left = MOST_PICTURES; ; left--) {
    const taken = await take(measured);
    const after = await measure();
    if (JSON.stringify(boxOf(measured)) === JSON.stringify(boxOf(after))) return taken;
    if (left === 1) return withWarning(taken, 'element_moving');
    measured = after;
  }
}

function withWarning(taken: Rendering | Unfinished, warning: WarningCode): Rendering | Unfinished {
  if ('finish' in taken) {
    const { finish } = taken;
    return { finish: async (signal) => warned(await finish(signal), warning) };
  }
  return warned(taken, warning);
}

function warned(rendering: Rendering, warning: WarningCode): Rendering {
  return { ...rendering, warnings: [...(rendering.warnings ?? []), warning] };
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
