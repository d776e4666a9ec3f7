import { alignRows, betweenEqualRows, countOf, type Pair, type Rows, splitRows } from './align-rows.ts';
import { type Bitmap, transpose } from './bitmap.ts';
import { columnBands, cut } from './column-bands.ts';
import { compareRows, type CompareRules, type Difference } from './compare-rows.ts';
import { withMoved } from './find-moved.ts';
import { withoutSeams } from './join-regions.ts';
import {
  contentOf,
  joined,
  type Lone,
  withoutGround,
  withoutIgnored,
  withoutRounding,
  withoutSlid,
} from './lone-rows.ts';
import type { Region, RegionKind } from './region.ts';

/** Columns are compared separately only if fewer than 1 / MIN_GAIN of the differing pixels remain. */
const MIN_GAIN = 2;
/** Larger parts are not matched by columns, because that copies both sides. */
const MAX_TURNED_PIXELS = 10_000_000;

/** Compares two pictures. With `align: rows`, they have the same width. */
export function compareBitmaps(before: Bitmap, after: Bitmap, rules: CompareRules): Difference {
  const { pixels, regions } =
    rules.align === 'rows' ? compareAligned(before, after, rules) : inPlace(before, after, rules);
  // Rows that were removed and added at one place count twice.
  const most = Math.max(before.width * before.height, after.width * after.height);
  return { pixels: Math.min(pixels, most), regions: withoutSeams(withMoved(before, after, regions)) };
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

interface Aligned extends Difference {
  /** True if something differs, counting what is ignored. */
  readonly differs: boolean;
}

/** Compares by rows, and by columns if that leaves fewer pixels: those that stayed in place, or all of them. */
function compareAligned(before: Bitmap, after: Bitmap, rules: CompareRules): Difference {
  const own = compareRowsOf(before, after, rules, { isBand: false, isWindow: isWindowOf(before, after, rules) });
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

/** True if the pictures show windows of one height, out of which content slides. */
function isWindowOf(before: Bitmap, after: Bitmap, { areWhole }: CompareRules): boolean {
  return areWhole !== true && before.height === after.height;
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
    isWindow: false,
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

interface Parts {
  /** Whether the pictures are columns of larger ones, which may be higher because of other columns. */
  readonly isBand: boolean;
  /** Whether the pictures end where a window of one height ends. */
  readonly isWindow: boolean;
}

function compareRowsOf(before: Bitmap, after: Bitmap, rules: CompareRules, { isBand, isWindow }: Parts): Aligned {
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
  const rounded = withoutRounding(joined(lone), before, after, rules.density ?? 1);
  const slid = withoutSlid(rounded, before, after, isWindow);
  const left = isBand ? withoutGround(slid, before, after) : slid;
  const counted = withoutIgnored(left, before, after);
  const placed = counted.map(({ rows, kind, rowInAfter }): Region => {
    const box = contentOf(kind === 'added' ? after : before, rows);
    return { ...box, kind, offset: 0, ...(rowInAfter !== undefined && { rowInAfter }) };
  });
  return {
    differs: left.length > 0 || found.some(({ regions }) => regions.length > 0),
    pixels: found.reduce((sum, { pixels }) => sum + pixels, pixelsOf(counted, after.width)),
    regions: [...found.flatMap(({ regions }) => regions), ...placed],
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
  const below = Math.min(before.height - pair.before.to, after.height - pair.after.to);
  // Rows that slid out of a window are its last ones, and no more than those of the pair.
  const isWindow = isWindowOf(before, after, rules) && below <= Math.max(countOf(pair.before), countOf(pair.after));
  const withNext = ({ from, to }: Rows): Rows => ({ from, to: to + (isWindow ? below : Math.min(1, below)) });
  const found = bands.map((columns) => {
    const { pixels, regions, differs } = compareRowsOf(
      cut(before, withNext(pair.before), columns),
      cut(after, withNext(pair.after), columns),
      rules,
      { isBand: true, isWindow },
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
