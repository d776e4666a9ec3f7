import { countOf, type Pair } from './align-rows.ts';
import { type Bitmap, wordsOf } from './bitmap.ts';
import { createDiffers } from './differing-pixels.ts';
import { createPixelGroups } from './group-pixels.ts';
import type { Region } from './region.ts';
import { isSmoothing } from './smoothing.ts';

export interface Difference {
  /** Number of differing pixels. */
  readonly pixels: number;
  readonly regions: readonly Region[];
}

export interface CompareRules {
  /** Largest colour distance that counts as equal, from 0 to 1. */
  readonly threshold: number;
  /** `none` compares place by place. */
  readonly align: 'rows' | 'none';
  /** True if the pictures show whole pages, so that no content slides out at the bottom. */
  readonly areWhole?: boolean;
  /** Pixels of the pictures per CSS pixel of their pages. Default: 1. */
  readonly density?: number;
}

/** Differing pixels that are at most this far apart on the page are one region. */
const NEAR = 8;
/** Pixels of regions that are looked at for smoothing. */
const MAX_SMOOTHED_PIXELS = 4_000_000;

/** Compares the same number of rows of both pictures, in their common width. */
export function compareRows(
  before: Bitmap,
  after: Bitmap,
  pair: Pair,
  { threshold, density = 1 }: CompareRules,
): Difference {
  const width = Math.min(before.width, after.width);
  const groups = createPixelGroups(width, Math.ceil(NEAR * density));
  const differs = createDiffers(threshold);
  const [own, other] = [wordsOf(before.pixels), wordsOf(after.pixels)];
  const mask = new Uint8Array(width);
  let pixels = 0;
  for (let row = 0, rows = countOf(pair.after); row < rows; row++) {
    const [from, otherFrom] = [(pair.before.from + row) * before.width, (pair.after.from + row) * after.width];
    let found = 0;
    for (let x = 0; x < width; x++) {
      const isDifferent = differs(own[from + x] ?? 0, other[otherFrom + x] ?? 0);
      mask[x] = isDifferent ? 1 : 0;
      if (isDifferent) found++;
    }
    if (found === 0) continue;
    pixels += found;
    groups.addRow(pair.after.from + row, mask);
  }
  const offset = pair.before.from - pair.after.from;
  let left = threshold === 0 ? 0 : MAX_SMOOTHED_PIXELS;
  const boxes = groups.boxes().filter(({ count: own, ...box }) => {
    left -= box.width * box.height;
    const isCounted = left < 0 || !isSmoothing({ before, after, box, offset, differs });
    if (!isCounted) pixels -= own;
    return isCounted;
  });
  return {
    pixels,
    regions: boxes.map(({ x, y, width: wide, height }) => ({ x, y, width: wide, height, kind: 'changed', offset })),
  };
}
