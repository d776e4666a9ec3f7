import { imageSize } from 'image-size';
import type { Page } from '../../browser/page/page.ts';
import { findVisible } from '../common/element.ts';
import type { Box } from '../in-page/elements/element-box.ts';
import { ServiceError } from '../../errors.ts';
import type { Format, RenderOptions } from './format.ts';
import { checkPictureSize } from './picture-size.ts';
import { captureInTiles, needsTiles } from './tiles.ts';

interface RasterFacts {
  readonly name: 'png' | 'jpeg' | 'webp';
  readonly hasAlpha: boolean;
  readonly maxSide?: number;
}

const TRANSPARENT = { r: 0, g: 0, b: 0, a: 0 };

/** A picture of the viewport, the whole page, a rectangle of it or one element. */
export function raster({ name, hasAlpha, maxSide }: RasterFacts): Format {
  const check = (box: Pick<Box, 'width' | 'height'>, density: number, maxPixels: number): void => {
    checkPictureSize({ width: box.width, height: box.height, density }, { maxPixels, maxSide, format: name });
  };

  return {
    mimeType: `image/${name}`,
    extension: name,
    ...(maxSide !== undefined && { maxSide }),
    isPainted: true,
    isPaged: false,
    showsWholePage: false,
    headers: {},
    check: (options, { maxPixels }) => {
      const known = options.clip ?? knownBox(options);
      if (known !== undefined) check(known, options.pixel_density, maxPixels);
    },
    checkLoaded: async (page, options, { maxPixels }) => {
      if (!options.full_page || options.selector !== undefined || options.clip !== undefined) return;
      check(await wholePage(page, options), options.pixel_density, maxPixels);
    },
    render: async (page, options, { maxPixels }) => {
      const clip = await measure(page, options);
      if (clip !== undefined) check(clip, options.pixel_density, maxPixels);
      if (options.omit_background && hasAlpha) {
        await page.send('Emulation.setDefaultBackgroundColorOverride', { color: TRANSPARENT });
      }
      const body =
        clip !== undefined && needsTiles(clip, options.pixel_density)
          ? await captureInTiles(page, clip, {
              name,
              density: options.pixel_density,
              quality: options.image_quality,
            })
          : await captureAtOnce(page, options, { name, clip });
      if (body.length === 0)
        throw new ServiceError('InternalServerError', 'The browser gave back an empty picture');
      const { width, height } = imageSize(body);
      return { body, size: { width, height } };
    },
  };
}

async function captureAtOnce(
  page: Page,
  options: RenderOptions,
  { name, clip }: { readonly name: RasterFacts['name']; readonly clip: Box | undefined },
): Promise<Buffer> {
  const area = clip ?? (await fractionalWindow(page, options));
  return await page.sendForBytes('Page.captureScreenshot', {
    format: name,
    // Lossless all the same, 30 % larger and twice as fast to make (measured 2026-11-20).
    optimizeForSpeed: true,
    ...(name !== 'png' && { quality: options.image_quality }),
    ...(area !== undefined && { clip: { ...area, scale: 1 } }),
  });
}

/**
 * Where the window is on the page, when it is no whole number of device pixels: without a clip its first column or row is
 * painted again where the last one should be (headless shell 153, measured 2026-11-20). Undefined for any other window.
 */
async function fractionalWindow(page: Page, options: RenderOptions): Promise<Box | undefined> {
  const { window_width: width, window_height: height, pixel_density: density } = options;
  if (Number.isInteger(width * density) && Number.isInteger(height * density)) return undefined;
  const { cssLayoutViewport } = await page.send('Page.getLayoutMetrics');
  return { x: cssLayoutViewport.pageX, y: cssLayoutViewport.pageY, width, height };
}

/** What is captured, where that can be known before the page is there. */
function knownBox(options: RenderOptions): Pick<Box, 'width' | 'height'> | undefined {
  if (options.full_page || options.selector !== undefined) return undefined;
  return { width: options.window_width, height: options.window_height };
}

/** The part of the page to capture, in whole CSS pixels; undefined for the viewport as it is. */
async function measure(page: Page, options: RenderOptions): Promise<Box | undefined> {
  if (options.clip !== undefined) return toWholePixels(options.clip);
  if (options.selector !== undefined) return toWholePixels((await findVisible(page, options.selector)).box);
  return options.full_page ? await wholePage(page, options) : undefined;
}

async function wholePage(page: Page, options: RenderOptions): Promise<Box> {
  const { cssContentSize } = await page.send('Page.getLayoutMetrics');
  const height = Math.max(Math.ceil(cssContentSize.height), options.window_height);
  return {
    x: 0,
    y: 0,
    width: Math.max(Math.ceil(cssContentSize.width), options.window_width),
    height: Math.min(height, options.full_page_max_height ?? height),
  };
}

/** Both edges to the nearest pixel, so that neighbours do not bleed in; at least one pixel. */
function toWholePixels({ x, y, width, height }: Box): Box {
  const [left, top] = [Math.round(x), Math.round(y)];
  return {
    x: left,
    y: top,
    width: Math.max(Math.round(x + width) - left, 1),
    height: Math.max(Math.round(y + height) - top, 1),
  };
}
