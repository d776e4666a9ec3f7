import { countOf, type Pair, type Rows } from './align-rows.ts';
import { type Bitmap, rowsOf, wordsOf } from './bitmap.ts';

/** Columns from `from` up to `to`, without the last. */
export type Columns = Rows;

/** Minimum width and height of columns that stayed in place. Smaller parts count as changes. */
const [MIN_WIDTH, MIN_ROWS] = [48, 64];
/** Larger parts are not split into columns, because that copies both sides. */
const MAX_PIXELS = 40_000_000;
/** Share of the rows of a column that may differ: the words of a menu can change while the page beside it slides. */
const MAX_DIFFERING = 0.03;

/**
 * Returns the columns of a pair whose sides stayed in place, for example a fixed menu, and those between them, from
 * left to right. An empty list: no column stayed, or all did.
 */
export function columnBands(before: Bitmap, after: Bitmap, pair: Pair): readonly Columns[] {
  const { width } = after;
  const rows = [countOf(pair.before), countOf(pair.after)];
  if (Math.min(...rows) < MIN_ROWS || Math.max(...rows) * width > MAX_PIXELS) return [];
  const differing = differingRows(before, after, pair);
  const mayDiffer = Math.min(...rows) * MAX_DIFFERING;
  const hasSlid = (count: number): boolean => count > mayDiffer;
  const first = differing.findIndex(hasSlid);
  if (first < 0) return [];
  // The edge of what slid differs in few rows.
  const left = differing.lastIndexOf(0, first) + 1;
  const next = differing.indexOf(0, differing.findLastIndex(hasSlid));
  const right = next < 0 ? width : next;
  const from = left < MIN_WIDTH ? 0 : left;
  const to = width - right < MIN_WIDTH ? width : right;
  return [
    { from: 0, to: from },
    { from, to },
    { from: to, to: width },
  ].filter((band) => countOf(band) > 0 && countOf(band) < width);
}

/** Copies a part of a picture. */
export function cut(picture: Bitmap, rows: Rows, columns: Columns): Bitmap {
  const [width, height] = [countOf(columns), countOf(rows)];
  if (width === picture.width) return { width, height, pixels: rowsOf(picture, rows.from, rows.to) };
  const pixels = new Uint8Array(width * height * 4);
  for (let row = 0; row < height; row++) {
    const start = ((rows.from + row) * picture.width + columns.from) * 4;
    pixels.set(picture.pixels.subarray(start, start + width * 4), row * width * 4);
  }
  return { width, height, pixels };
}

/** Counts the rows in which each column differs, place by place from the first row. */
function differingRows(before: Bitmap, after: Bitmap, pair: Pair): Uint32Array {
  const { width } = after;
  const [own, other] = [wordsOf(before.pixels), wordsOf(after.pixels)];
  const rows = Math.min(countOf(pair.before), countOf(pair.after));
  const differing = new Uint32Array(width);
  for (let row = 0; row < rows; row++) {
    const [start, otherStart] = [(pair.before.from + row) * width, (pair.after.from + row) * width];
    for (let x = 0; x < width; x++)
      if (own[start + x] !== other[otherStart + x]) differing[x] = (differing[x] ?? 0) + 1;
  }
  return differing;
}
