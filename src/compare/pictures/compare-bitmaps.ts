import pixelmatch from 'pixelmatch';
import { alignRows, countOf, type Pair, type Rows } from './align-rows.ts';
import { type Bitmap, type Box, contains, rowsOf, wordsOf } from './bitmap.ts';
import { withMoved } from './find-moved.ts';
import { createPixelGroups } from './group-pixels.ts';
import { contentOf, joined, withoutRounding, withoutSlid } from './lone-rows.ts';
import type { Region, RegionKind } from './region.ts';

export interface Difference {
  /** Number of differing pixels. */
  readonly pixels: number;
  readonly regions: readonly Region[];
}

interface CompareRules {
  /** Largest colour distance that counts as equal, from 0 to 1. */
  readonly threshold: number;
  /** `none` compares place by place. */
  readonly align: 'rows' | 'none';
  /** Boxes that were blackened, by the kind of rows that they may add or remove. */
  readonly ignored?: Readonly<Record<'added' | 'removed', readonly Box[]>>;
}

/** Rows that are compared at once, which bounds the memory of the mask. */
const STRIP_ROWS = 512;
/**
 * If a larger part of the rows differs, smoothed edges are counted too: looking for them took 20 s for a long page
 * (2026-11-27).
 */
const MAX_SHARE_OF_EDGES = 0.3;
/** Pictures that slid are smoothed anew, so single pixels of them differ. */
const MAX_SPECK = 4;

/** Compares two pictures. With `align: rows`, they have the same width. */
export function compareBitmaps(before: Bitmap, after: Bitmap, { threshold, align, ignored }: CompareRules): Difference {
  const pairs = align === 'rows' ? alignRows(before, after) : [wholePair(before, after)];
  let pixels = 0;
  const regions: Region[] = [];
  const lone: { readonly rows: Rows; readonly kind: 'added' | 'removed'; readonly rowInAfter?: number }[] = [];
  for (const pair of pairs) {
    const [own, other] = [countOf(pair.before), countOf(pair.after)];
    if (own === 0 || other === 0)
      lone.push(
        own === 0
          ? { rows: pair.after, kind: 'added' }
          : { rows: pair.before, kind: 'removed', rowInAfter: pair.after.from },
      );
    else {
      const found = compareRows(before, after, pair, threshold);
      pixels += found.pixels;
      regions.push(...found.regions);
    }
  }
  if (align === 'none') {
    const lonely = besides(before, after);
    pixels += lonely.reduce((sum, { width, height }) => sum + width * height, 0);
    regions.push(...lonely);
  }
  for (const { rows, kind, rowInAfter } of withoutSlid(withoutRounding(joined(lone), before, after), before, after)) {
    const picture = kind === 'added' ? after : before;
    const box = contentOf(picture, rows);
    if (ignored?.[kind].some((each) => contains(each, box)) === true) continue;
    pixels += picture.width * countOf(rows);
    const place = { kind, offset: 0, ...(rowInAfter !== undefined && { rowInAfter }) };
    regions.push({ ...box, ...place });
  }
  return { pixels, regions: withMoved(before, after, regions) };
}

function wholePair(before: Bitmap, after: Bitmap): Pair {
  const to = Math.min(before.height, after.height);
  return { before: { from: 0, to }, after: { from: 0, to } };
}

/** Compares the same number of rows of both pictures, in their common width. */
function compareRows(before: Bitmap, after: Bitmap, pair: Pair, threshold: number): Difference {
  const width = Math.min(before.width, after.width);
  const groups = createPixelGroups(width);
  let pixels = 0;
  const count = countOf(pair.after);
  for (let at = 0; at < count; at += STRIP_ROWS) {
    const rows = Math.min(STRIP_ROWS, count - at);
    const [own, other] = [pair.before.from + at, pair.after.from + at].map((from, side) =>
      cropped(side === 0 ? before : after, from, from + rows, width),
    );
    if (own === undefined || other === undefined) continue;
    const share = unequalPixels(own, other) / (width * rows);
    if (share === 0) continue;
    const drawn = new Uint8Array(width * rows * 4);
    const options = { threshold, includeAA: threshold === 0 || share > MAX_SHARE_OF_EDGES, diffMask: true } as const;
    const found = pixelmatch(own, other, drawn, width, rows, options);
    if (found === 0) continue;
    pixels += found;
    const mask = new Uint32Array(drawn.buffer);
    for (let row = 0; row < rows; row++)
      groups.addRow(pair.after.from + at + row, mask.subarray(row * width, (row + 1) * width));
  }
  const offset = pair.before.from - pair.after.from;
  const boxes = groups.boxes().filter(({ width: wide, height }) => offset === 0 || wide * height > MAX_SPECK);
  return {
    pixels: boxes.length === 0 ? 0 : pixels,
    regions: boxes.map((box) => ({ ...box, kind: 'changed', offset })),
  };
}

function unequalPixels(own: Uint8Array, other: Uint8Array): number {
  const [words, others] = [wordsOf(own), wordsOf(other)];
  let count = 0;
  for (let index = 0, end = words.length; index < end; index++) if (words[index] !== others[index]) count++;
  return count;
}

/** Returns rows, cut to a width. */
function cropped(picture: Bitmap, from: number, to: number, width: number): Uint8Array {
  if (picture.width === width) return rowsOf(picture, from, to);
  const cut = new Uint8Array(width * (to - from) * 4);
  for (let row = from; row < to; row++) {
    const start = row * picture.width * 4;
    cut.set(picture.pixels.subarray(start, start + width * 4), (row - from) * width * 4);
  }
  return cut;
}

/** Regions of what only the larger picture has, without alignment. */
function besides(before: Bitmap, after: Bitmap): readonly Region[] {
  const height = Math.min(before.height, after.height);
  const beyond = (own: Bitmap, other: Bitmap, kind: RegionKind): readonly Region[] =>
    [
      { x: other.width, y: 0, width: own.width - other.width, height },
      { x: 0, y: other.height, width: own.width, height: own.height - other.height },
    ]
      .filter((box) => box.width > 0 && box.height > 0)
      .map((box) => ({ ...box, kind, offset: 0 }));
  return [...beyond(after, before, 'added'), ...beyond(before, after, 'removed')];
}
