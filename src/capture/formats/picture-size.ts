import { ServiceError } from '../../errors.ts';

interface PictureSize {
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly density: number;
}

interface PictureLimits {
  readonly maxPixels: number;
  /** Longest side that the format can hold; undefined for none. */
  readonly maxSide?: number | undefined;
  readonly format: string;
}

/**
 * Refuses a picture that is larger than the service allows, or than its format can hold: Chrome gives no bytes and no
 * error for those.
 * @throws ServiceError ResultTooLargeError.
 */
export function checkPictureSize({ width, height, density }: PictureSize, limits: PictureLimits): void {
  const [columns, rows] = [Math.ceil(width * density), Math.ceil(height * density)];
  const size = `${columns} x ${rows} pixels`;
  const { maxPixels, maxSide, format } = limits;
  if (columns * rows > maxPixels) throw tooLarge(`${size} is more than the ${maxPixels} pixels allowed here`);
  if (maxSide !== undefined && Math.max(columns, rows) > maxSide) {
    throw tooLarge(`${size}, and a ${format} holds at most ${maxSide} pixels a side`);
  }
}

function tooLarge(details: string): ServiceError {
  return new ServiceError('ResultTooLargeError', undefined, { details: `The picture would be ${details}` });
}
