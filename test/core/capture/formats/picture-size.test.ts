import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../src/core/ground/errors.ts';
import { checkPictureSize } from '../../../../src/core/capture/formats/picture-size.ts';
import type { RequestedSize } from '../../../../src/core/capture/formats/pictures/resize.ts';

const inside = (width: number): RequestedSize => ({ width, height: undefined, fit: 'inside' });

describe('checkPictureSize', () => {
  it.each([
    [{ width: 100, height: 100, density: 1 }, undefined],
    [{ width: 50, height: 50, density: 2 }, undefined],
    [{ width: 101, height: 100, density: 1 }, '101 x 100 pixels, and at most 10000 pixels are allowed'],
    [{ width: 50, height: 50, density: 2.01 }, '101 x 101 pixels, and at most 10000 pixels are allowed'],
    [{ width: 200, height: 1, density: 1 }, undefined],
    [{ width: 201, height: 1, density: 1 }, '201 x 1 pixels, and a webp has at most 200 pixels a side'],
    [{ width: 1, height: 100, density: 2.01 }, '3 x 201 pixels, and a webp has at most 200 pixels a side'],
  ])('reports for %j: %s', (size, expected) => {
    const details = detailsOf(() => checkPictureSize(size, { maxPixels: 10_000, maxSide: 200, format: 'webp' }));

    expect(details).toBe(expected && `The picture would be ${expected}`);
  });

  it.each([
    // The service limits the captured picture; the format limits the resized file.
    ['an oversized side is shrunk below the limit', { width: 10, height: 400 }, inside(5), undefined],
    [
      'a side stays above the limit',
      { width: 10, height: 800 },
      inside(5),
      '5 x 400 pixels, and an avif has at most 200 pixels a side',
    ],
    [
      'a pixel count is shrunk below the limit',
      { width: 1_000, height: 11 },
      inside(5),
      '1000 x 11 pixels, and at most 10000 pixels are allowed',
    ],
    [
      'a box exceeds the limit',
      { width: 10, height: 10 },
      { width: 101, height: 100, fit: 'contain' as const },
      '101 x 100 pixels, and at most 10000 pixels are allowed',
    ],
    [
      'a box exceeds the limit of the format',
      { width: 10, height: 10 },
      { width: 100, height: 81, fit: 'contain' as const },
      '100 x 81 pixels, and an avif has at most 8000 pixels',
    ],
  ])('checks the size after the resize: %s', (_name, size, resize, expected) => {
    const details = detailsOf(() =>
      checkPictureSize(
        { ...size, density: 1, resize },
        { maxPixels: 10_000, maxSide: 200, maxArea: 8_000, format: 'avif' },
      ),
    );

    expect(details).toBe(expected && `The picture would be ${expected}`);
  });

  it('has no maximum side for formats without one', () => {
    const size = { width: 9_000, height: 1, density: 1 };

    expect(detailsOf(() => checkPictureSize(size, { maxPixels: 10_000, format: 'png' }))).toBeUndefined();
  });
});

function detailsOf(check: () => void): string | undefined {
  try {
    check();
  } catch (error) {
    return error instanceof ServiceError && error.type === 'ResultTooLargeError' ? error.details : 'another error';
  }
  return undefined;
}
