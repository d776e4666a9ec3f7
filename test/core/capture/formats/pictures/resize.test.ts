import { assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  drawingScale,
  FITS,
  planResizing,
  type PixelSize,
  type RequestedSize,
} from '../../../../../src/core/capture/formats/pictures/resize.ts';

const size = (width: number, height: number): PixelSize => ({ width, height });
const inside = (width?: number, height?: number): RequestedSize => ({ width, height, fit: 'inside' });
const cover = (width: number, height: number): RequestedSize => ({ width, height, fit: 'cover' });
const contain = (width: number, height: number): RequestedSize => ({ width, height, fit: 'contain' });

describe('planResizing', () => {
  it.each<[PixelSize, RequestedSize | undefined, PixelSize]>([
    [size(1280, 720), undefined, size(1280, 720)],
    [size(1280, 720), inside(400), size(400, 225)],
    [size(1280, 720), inside(undefined, 225), size(400, 225)],
    [size(1280, 720), inside(333), size(333, 187)],
    [size(1280, 720), inside(400, 400), size(400, 225)],
    [size(720, 1280), inside(400, 400), size(225, 400)],
    [size(1280, 720), inside(1281), size(1280, 720)],
    [size(1280, 720), inside(7680, 7680), size(1280, 720)],
    [size(1280, 720), inside(1), size(1, 1)],
    [size(7680, 1), inside(400), size(400, 1)],
    [size(1, 40_000), inside(undefined, 10), size(1, 10)],
    [size(1280, 720), cover(400, 400), size(400, 400)],
    [size(1280, 720), cover(720, 720), size(720, 720)],
    [size(1280, 720), contain(400, 400), size(400, 400)],
    [size(100, 50), contain(400, 300), size(400, 300)],
    // Too small to cover the box: keeps the proportions of the box and the size of the picture.
    [size(1280, 300), cover(400, 400), size(300, 300)],
    [size(100, 50), cover(400, 400), size(50, 50)],
    [size(100, 50), cover(200, 100), size(100, 50)],
  ])('turns %j with the request %j into %j', (picture, requested, result) => {
    expect(planResizing(picture, requested).canvas).toEqual(result);
  });

  it.each([
    [size(1280, 720), cover(400, 400), { left: 280, top: 0, width: 720, height: 720 }],
    [size(1280, 5000), cover(640, 360), { left: 0, top: 0, width: 1280, height: 720 }],
    [size(101, 50), cover(400, 400), { left: 25, top: 0, width: 50, height: 50 }],
  ])('crops %j for %j from the top, equally at both sides', (picture, requested, crop) => {
    expect(planResizing(picture, requested).crop).toEqual(crop);
  });

  it('never enlarges, leaves the picture or makes it empty, for any request', () => {
    const side = integer({ min: 1, max: 100_000 });
    const targetSide = integer({ min: 1, max: 7680 });
    assert(
      property(side, side, targetSide, targetSide, constantFrom(...FITS), (w, h, width, height, fit) => {
        const { crop, scaled, canvas } = planResizing(size(w, h), { width, height, fit });

        expect(crop.left).toBeGreaterThanOrEqual(0);
        expect(crop.left + crop.width).toBeLessThanOrEqual(w);
        expect(crop.top + crop.height).toBeLessThanOrEqual(h);
        for (const key of ['width', 'height'] as const) {
          expect(scaled[key]).toBeLessThanOrEqual(crop[key]);
          expect(scaled[key]).toBeLessThanOrEqual(canvas[key]);
          expect(scaled[key]).toBeGreaterThanOrEqual(1);
        }
        expect(canvas.width).toBeLessThanOrEqual(width);
        expect(canvas.height).toBeLessThanOrEqual(height);
      }),
    );
  });
});

describe('drawingScale', () => {
  it.each([
    ['half of its size, so that enough pixels remain', size(1280, 720), inside(320), 0.5],
    ['half, the minimum', size(1280, 720), inside(16), 0.5],
    ['twice the result', size(1280, 720), inside(400), 0.625],
    ['limited, so that the result has at most half of its pixels', size(1280, 720), inside(401), 0.75],
    ['its full size: the result has more than half', size(1280, 720), inside(641), 1],
    ['its full size: the result has the same size', size(1280, 720), inside(5000), 1],
    ['limited to whole pixels', size(1280, 3900), inside(400), 0.75],
    ['its full size: an odd number cannot be halved', size(1280, 721), inside(100), 1],
    ['as wide as the crop requires', size(1280, 720), cover(200, 200), 0.625],
    ['half, for a box larger than its picture', size(1280, 720), contain(100, 600), 0.5],
  ])('is %s: %j for %j', (_name, picture, requested, scale) => {
    expect(drawingScale(picture, requested)).toBe(scale);
  });
});
