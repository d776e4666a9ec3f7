import { alignRows, betweenEqualRows, countOf, type Pair, type Rows, splitRows } from './align-rows.ts';
import { type Bitmap, transpose, wordsOf } from './bitmap.ts';
import { columnBands, cut } from './column-bands.ts';
import { createDiffers } from './differing-pixels.ts';
import { withMoved } from './find-moved.ts';
import { createPixelGroups } from './group-pixels.ts';
import { contentOf, joined, withoutGround, withoutRounding, withoutSlid } from './lone-rows.ts';
import type { Region, RegionKind } from './region.ts';
import { isSmoothing } from './smoothing.ts';

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
  /** True if the pictures show whole pages, so that no content slides out at the bottom. */
  readonly areWhole?: boolean;
  /** Pixels of the pictures per CSS pixel of their pages. Default: 1. */
  readonly density?: number;
}

/** Differing pixels that are at most this far apart on the page are one region. */
const NEAR = 8;
/** Columns are compared separately only if fewer than 1 / MIN_GAIN of the differing pixels remain. */
const MIN_GAIN = 2;
/** Larger parts are not matched by columns, because that copies both sides. */
const MAX_TURNED_PIXELS = 10_000_000;
/** Pixels of regions that are looked at for smoothing. */
const MAX_SMOOTHED_PIXELS = 4_000_000;

/** Compares two pictures. With `align: rows`, they have the same width. */
export function compareBitmaps(before: Bitmap, after: Bitmap, rules: CompareRules): Difference {
  const { pixels, regions } =
    rules.align === 'rows' ? compareAligned(before, after, rules) : inPlace(before, after, rules);
  return { pixels, regions: withMoved(before, after, regions) };
}

/** Compares without alignment. */
function inPlace(before: Bitmap, after: Bitmap, rules: CompareRules): Difference {
  const lonely = besides(before, after);
  const to = Math.min(before.height, after.height);
  const common = compareRows(before, after, { before: { from: 0, to }, after: { from: 0, to } }, rules);
  return {
    pixels: lonely.reduce((sum, { width, height }) => sum + width * height, common.pixels),
    regions: [...common.regions, ...lonely],
  };
}

/** Rows that only one picture has. */
interface Lone {
  readonly rows: Rows;
  readonly kind: 'added' | 'removed';
  /** Row of the later picture where removed rows were. */
  readonly rowInAfter?: number;
}

interface Aligned extends Difference {
  /** True if something differs, counting what is ignored. */
  readonly differs: boolean;
}

/** Compares by rows, and by columns if that leaves fewer pixels: those that stayed in place, or all of them. */
function compareAligned(before: Bitmap, after: Bitmap, rules: CompareRules): Difference {
  const own = compareRowsOf(before, after, rules, { isBand: false });
  if (own.pixels === 0) return own;
  // Empty rows of a menu match by chance, so columns are also looked for in all rows at once.
  const between = betweenEqualRows(before, after);
  const banded = compareBands(before, after, between, rules);
  if (banded !== undefined && banded.pixels * MIN_GAIN < own.pixels) return banded;
  const byColumns = compareTurned(before, after, between, rules);
  const isSimpler =
    byColumns !== undefined &&
    byColumns.regions.length > 0 &&
    byColumns.regions.length * MIN_GAIN <= own.regions.length &&
    changedPixels(byColumns) * MIN_GAIN < changedPixels(own);
  return isSimpler ? byColumns : own;
}

/** Returns rows of a picture, with rows and columns exchanged. */
function turned(picture: Bitmap, rows: Rows): Bitmap {
  return transpose(cut(picture, rows, { from: 0, to: picture.width }));
}

/** Returns the pixels of a difference without those of rows or columns that only one picture has. */
function changedPixels({ pixels, regions }: Difference): number {
  const lone = regions.filter(({ kind }) => kind !== 'changed');
  return lone.reduce((left, { width, height }) => left - width * height, pixels);
}

/** Matches columns in place of rows: all content slides to the side when a side bar opens. */
function compareTurned(before: Bitmap, after: Bitmap, pair: Pair, rules: CompareRules): Difference | undefined {
  const rows = countOf(pair.after);
  if (rows !== countOf(pair.before) || rows * after.width > MAX_TURNED_PIXELS) return undefined;
  const { pixels, regions } = compareRowsOf(turned(before, pair.before), turned(after, pair.after), rules, {
    isBand: false,
  });
  const offset = pair.before.from - pair.after.from;
  return {
    pixels,
    regions: regions.map(({ x, y, width, height, kind, offset: shift }) => ({
      x: y,
      y: x + (kind === 'removed' ? pair.before : pair.after).from,
      width: height,
      height: width,
      kind,
      offset,
      shift,
    })),
  };
}

/** @param isBand whether the pictures are columns of larger ones, which may be higher because of other columns */
function compareRowsOf(
  before: Bitmap,
  after: Bitmap,
  rules: CompareRules,
  { isBand }: { readonly isBand: boolean },
): Aligned {
  const found: Difference[] = [];
  const lone: Lone[] = [];
  for (const pair of alignRows(before, after)) {
    const own = comparePair(before, after, pair, rules);
    const banded = isBand ? undefined : compareBands(before, after, pair, rules);
    if (banded !== undefined && banded.pixels * MIN_GAIN < own.pixels + pixelsOf(own.lone, after.width))
      found.push(banded);
    else {
      found.push(own);
      lone.push(...own.lone);
    }
  }
  const rounded = withoutRounding(joined(lone), before, after);
  const slid = rules.areWhole === true ? rounded : withoutSlid(rounded, before, after);
  const left = isBand ? withoutGround(slid, before, after) : slid;
  const counted = left.flatMap(({ rows, kind, rowInAfter }) => {
    const box = contentOf(kind === 'added' ? after : before, rows);
    if (box === undefined) return []; // an ignored element has grown
    return [{ rows, region: { ...box, kind, offset: 0, ...(rowInAfter !== undefined && { rowInAfter }) } }];
  });
  return {
    differs: left.length > 0 || found.some(({ regions }) => regions.length > 0),
    pixels: found.reduce((sum, { pixels }) => sum + pixels, pixelsOf(counted, after.width)),
    regions: [...found.flatMap(({ regions }) => regions), ...counted.map(({ region }) => region)],
  };
}

function pixelsOf(lone: readonly Pick<Lone, 'rows'>[], width: number): number {
  return lone.reduce((sum, { rows }) => sum + countOf(rows) * width, 0);
}

function comparePair(
  before: Bitmap,
  after: Bitmap,
  pair: Pair,
  rules: CompareRules,
): Difference & { readonly lone: readonly Lone[] } {
  const lone: Lone[] = [];
  let [pixels, regions]: [number, readonly Region[]] = [0, []];
  for (const part of splitRows(before, after, pair)) {
    if (countOf(part.before) === 0) lone.push({ rows: part.after, kind: 'added' });
    else if (countOf(part.after) === 0) lone.push({ rows: part.before, kind: 'removed', rowInAfter: part.after.from });
    else ({ pixels, regions } = compareRows(before, after, part, rules));
  }
  return { pixels, regions, lone };
}

/** Compares columns that stayed in place apart from those beside them, which may have slid. */
function compareBands(before: Bitmap, after: Bitmap, pair: Pair, rules: CompareRules): Difference | undefined {
  const bands = columnBands(before, after, pair);
  if (bands.length === 0) return undefined;
  const hasNext = pair.before.to < before.height && pair.after.to < after.height;
  const withNext = ({ from, to }: Rows): Rows => ({ from, to: hasNext ? to + 1 : to }); // shows the ground below
  const found = bands.map((columns) => {
    const { pixels, regions, differs } = compareRowsOf(
      cut(before, withNext(pair.before), columns),
      cut(after, withNext(pair.after), columns),
      rules,
      { isBand: true },
    );
    const offset = pair.before.from - pair.after.from;
    const placed = regions.map((region): Region => ({
      ...region,
      x: region.x + columns.from,
      y: region.y + (region.kind === 'removed' ? pair.before : pair.after).from,
      offset: region.kind === 'changed' ? region.offset + offset : region.offset,
      ...(region.rowInAfter !== undefined && { rowInAfter: region.rowInAfter + pair.after.from }),
    }));
    return { pixels, regions: placed, differs };
  });
  if (!found.some(({ differs }) => differs)) return undefined; // all columns grew alike
  return {
    pixels: found.reduce((sum, { pixels }) => sum + pixels, 0),
    regions: found.flatMap(({ regions }) => regions),
  };
}

/** Compares the same number of rows of both pictures, in their common width. */
function compareRows(before: Bitmap, after: Bitmap, pair: Pair, { threshold, density = 1 }: CompareRules): Difference {
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
