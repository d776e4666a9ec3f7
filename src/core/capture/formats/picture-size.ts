import { ServiceError } from '../../ground/errors.ts';
import { type PixelSize, planResizing, type RequestedSize } from './pictures/resize.ts';

interface PictureSize {
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly density: number;
  /** Undefined: not resized. */
  readonly resize?: RequestedSize | undefined;
}

interface PictureLimits {
  readonly maxPixels: number;
  /** Longest side of the format. Undefined: unlimited. */
  readonly maxSide?: number | undefined;
  /** Maximum pixels of the format. Undefined: unlimited. */
  readonly maxArea?: number | undefined;
  readonly format: string;
}

/**
 * Refuses a picture that exceeds the limit of the service, before or after resizing, or the limit of its format, beyond
 * which Chrome returns no bytes and no error.
 * @throws ServiceError ResultTooLargeError
 */
export function checkPictureSize({ width, height, density, resize }: PictureSize, limits: PictureLimits): void {
  const { maxPixels, maxSide = Infinity, maxArea = Infinity, format } = limits;
  const captured = { width: Math.ceil(width * density), height: Math.ceil(height * density) };
  const { canvas: result } = planResizing(captured, resize);
  for (const size of [captured, result]) {
    if (size.width * size.height <= maxPixels) continue;
    throw tooLarge(`${inWords(size)}, and at most ${maxPixels} pixels are allowed`);
  }
  const holds = `${inWords(result)}, and ${/^[aeiou]/.test(format) ? 'an' : 'a'} ${format} has at most`;
  if (Math.max(result.width, result.height) > maxSide) throw tooLarge(`${holds} ${maxSide} pixels a side`);
  if (result.width * result.height > maxArea) throw tooLarge(`${holds} ${maxArea} pixels`);
}

/**
 * Refuses pictures that together exceed the limit of the service for one.
 * @throws ServiceError ResultTooLargeError
 */
export function checkTogether(sizes: readonly PixelSize[], density: number, maxPixels: number): void {
  const pixels = sizes.reduce((sum, { width, height }) => sum + width * height * density ** 2, 0);
  if (pixels <= maxPixels) return;
  const details = `The pictures would have ${Math.ceil(pixels)} pixels together, and at most ${maxPixels} are allowed`;
  throw new ServiceError('ResultTooLargeError', undefined, { details });
}

function inWords({ width, height }: { readonly width: number; readonly height: number }): string {
  return `${width} x ${height} pixels`;
}

function tooLarge(details: string): ServiceError {
  return new ServiceError('ResultTooLargeError', undefined, { details: `The picture would be ${details}` });
}
