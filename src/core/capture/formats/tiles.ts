import type { Page } from '../../browser/page/page.ts';
import type { Box } from '../../steps/in-page/placement.ts';
import type { Pieces } from './pictures/encode.ts';
import { takePicture } from './take-picture.ts';

/**
 * Longest side of a tile in device pixels. Compositors can't draw more than 16,384 in one piece. Half of it needs a
 * quarter of the memory and is faster: a page of 40,000 px at density 2 takes 635 MB and 4.8 s instead of 2,240 MB and
 * 8.6 s (2026-11-20).
 */
const TILE_SIDE = 8_192;

/** Differences below this are rounding errors. */
const ROUNDING = 1e-6;

interface Drawing {
  /** Device pixels per CSS pixel. */
  readonly density: number;
  /** Scale of the drawing. */
  readonly scale: number;
}

/** True if the picture is larger than one tile. */
export function needsTiles({ width, height }: Box, { density, scale }: Drawing): boolean {
  return Math.max(width, height) * density * scale > TILE_SIDE;
}

/** Captures the box tile by tile without scrolling, so that fixed elements appear only once. */
export async function captureTiles(page: Page, box: Box, { density, scale }: Drawing): Promise<Pieces> {
  const drawn = density * scale;
  const side = tileSide(drawn);
  const pngs: Buffer[] = [];
  for (let top = 0; top < box.height; top += side) {
    for (let left = 0; left < box.width; left += side) {
      const clip = {
        x: box.x + left,
        y: box.y + top,
        width: Math.min(side, box.width - left),
        height: Math.min(side, box.height - top),
        scale,
      };
      pngs.push(await takePicture(page, { format: 'png', optimizeForSpeed: true, clip }, true));
    }
  }
  return {
    pngs,
    across: Math.ceil(box.width / side),
    size: { width: Math.round(box.width * drawn), height: Math.round(box.height * drawn) },
  };
}

/**
 * Returns the side of a tile in CSS pixels: the largest integer that is nearly a whole number of device pixels.
 * Otherwise neighbouring tiles would not meet: at density 1.37 they were one pixel apart (2026-11-20).
 */
function tileSide(density: number): number {
  const largest = Math.floor(TILE_SIDE / density);
  const smallest = Math.ceil(largest / 2);
  let best = largest;
  for (let side = largest; side >= smallest; side--) {
    if (distanceToWhole(side * density) < distanceToWhole(best * density) - ROUNDING) best = side;
  }
  return best;
}

function distanceToWhole(value: number): number {
  return Math.abs(value - Math.round(value));
}
