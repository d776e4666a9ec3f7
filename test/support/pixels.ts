import { AssertionError } from 'node:assert';
import sharp from 'sharp';
import type { Colour } from './colour.ts';

/** A decoded PNG, JPEG, WebP or AVIF. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Format detected from the bytes: `png`, `jpeg`, `webp` or `avif`. */
  readonly format: string;
  /** Red, green, blue and alpha, 0 to 255. @throws RangeError outside the picture. */
  readonly pixel: (x: number, y: number) => readonly [number, number, number, number];
  /** All pixels, row by row, four bytes each. */
  readonly rgba: Uint8Array;
}

/** Decodes a picture of any size; rejects if the bytes are no picture. */
export async function readPicture(bytes: Buffer): Promise<Picture> {
  const { format, compression } = await sharp(bytes, { limitInputPixels: false }).metadata();
  const decoded = await sharp(bytes, { limitInputPixels: false })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = decoded.info;

  return {
    width,
    height,
    format: compression === 'av1' ? 'avif' : format,
    rgba: decoded.data,
    pixel: (x, y) => {
      if (!isInside(x, width) || !isInside(y, height)) {
        throw new RangeError(`No pixel (${x}, ${y}) in a picture of ${width}x${height}`);
      }
      const [red = 0, green = 0, blue = 0, alpha = 0] = decoded.data.subarray((y * width + x) * channels);
      return [red, green, blue, alpha];
    },
  };
}

/**
 * Asserts an opaque colour at one pixel, each channel within `tolerance`. The default of 2 allows for colour profiles
 * in PNG; use about 12 for lossy formats. @throws AssertionError
 */
export function expectColour(picture: Picture, x: number, y: number, colour: Colour, tolerance = 2): void {
  const actual = picture.pixel(x, y);
  const expected = [...colour, 255];
  if (expected.every((channel, index) => Math.abs(channel - (actual[index] ?? 0)) <= tolerance)) return;
  throw new AssertionError({
    message: `Pixel (${x}, ${y}) is rgba(${actual.join(', ')}), not rgba(${expected.join(', ')}) within ${tolerance}`,
    actual,
    expected,
    stackStartFn: expectColour,
  });
}

function isInside(position: number, length: number): boolean {
  return Number.isInteger(position) && position >= 0 && position < length;
}
