import { ServiceError } from '../../errors.ts';
import { planResizing, type WantedSize } from './pictures/resize.ts';

interface PictureSize {
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly density: number;
  /** Undefined: it stays as it is. */
  readonly resize?: WantedSize | undefined;
}

interface PictureLimits {
  readonly maxPixels: number;
  /** Longest side that the format can hold; undefined for none. */
  readonly maxSide?: number | undefined;
  /** Most pixels that the format can hold; undefined for no such limit. */
  readonly maxArea?: number | undefined;
  readonly format: string;
}

/**
 * Refuses a picture that is larger than the service allows, before or after it is resized, or than its format can hold: Chrome gives
 * no bytes and no error for those.
 * @throws ServiceError ResultTooLargeError.
 */
export function checkPictureSize(
  { width, height, density, resize }: PictureSize,
  limits: PictureLimits,
): void {
  const { maxPixels, maxSide = Infinity, maxArea = Infinity, format } = limits;
  const captured = { width: Math.ceil(width * density), height: Math.ceil(height * density) };
  const { canvas: result } = planResizing(captured, resize);
  for (const size of [captured, result]) {
    if (size.width * size.height <= maxPixels) continue;
    throw tooLarge(`${inWords(size)} is more than the ${maxPixels} pixels allowed here`);
  }
  const holds = `${inWords(result)}, and ${/^[aeiou]/.test(format) ? 'an' : 'a'} ${format} holds at most`;
  if (Math.max(result.width, result.height) > maxSide) throw tooLarge(`${holds} ${maxSide} pixels a side`);
  if (result.width * result.height > maxArea) throw tooLarge(`${holds} ${maxArea} pixels`);
}

function inWords({ width, height }: { readonly width: number; readonly height: number }): string {
  return `${width} x ${height} pixels`;
}

function tooLarge(details: string): ServiceError {
  return new ServiceError('ResultTooLargeError', undefined, { details: `The picture would be ${details}` });
}
