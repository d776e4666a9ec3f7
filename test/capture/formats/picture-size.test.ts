import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { checkPictureSize } from '../../../src/capture/formats/picture-size.ts';

describe('checkPictureSize', () => {
  it.each([
    [{ width: 100, height: 100, density: 1 }, undefined],
    [{ width: 50, height: 50, density: 2 }, undefined],
    [{ width: 101, height: 100, density: 1 }, '101 x 100 pixels is more than the 10000 pixels allowed here'],
    [{ width: 50, height: 50, density: 2.01 }, '101 x 101 pixels is more than the 10000 pixels allowed here'],
    [{ width: 200, height: 1, density: 1 }, undefined],
    [{ width: 201, height: 1, density: 1 }, '201 x 1 pixels, and a webp holds at most 200 pixels a side'],
    [{ width: 1, height: 100, density: 2.01 }, '3 x 201 pixels, and a webp holds at most 200 pixels a side'],
  ])('tells of %j: %s', (size, expected) => {
    const details = detailsOf(() =>
      checkPictureSize(size, { maxPixels: 10_000, maxSide: 200, format: 'webp' }),
    );

    expect(details).toBe(expected && `The picture would be ${expected}`);
  });

  it('has no longest side where the format has none', () => {
    const size = { width: 9_000, height: 1, density: 1 };

    expect(detailsOf(() => checkPictureSize(size, { maxPixels: 10_000, format: 'png' }))).toBeUndefined();
  });
});

function detailsOf(check: () => void): string | undefined {
  try {
    check();
  } catch (error) {
    return error instanceof ServiceError && error.type === 'ResultTooLargeError'
      ? error.details
      : 'another error';
  }
  return undefined;
}
