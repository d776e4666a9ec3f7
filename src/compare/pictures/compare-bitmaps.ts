import pixelmatch from 'pixelmatch';
import { alignRows, betweenEqualRows, countOf, type Pair, type Rows, splitRows } from './align-rows.ts';
import { type Bitmap, type Box, contains, wordsOf } from './bitmap.ts';
import { columnBands, cut } from './column-bands.ts';
import { withMoved } from './find-moved.ts';
import { createPixelGroups } from './group-pixels.ts';
import { contentOf, joined, withoutGround, withoutRounding, withoutSlid } from './lone-rows.ts';
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
  /** Pixels of the pictures per CSS pixel of their pages. Default: 1. */
  readonly density?: number;
  /** Boxes that were blackened, by the kind of rows that they may add or remove. */
  readonly ignored?: Readonly<Record<'added' | 'removed', readonly Box[]>>;
}

/** Differing pixels that are at most this far apart on the page are one region. */
const NEAR = 8;
/** Rows that are compared at once, which bounds the memory of the mask. */
const STRIP_ROWS = 512;
/**
 * If a larger part of the rows differs, smoothed edges are counted too: looking for them took 20 s for a long page
 * (2026-11-27).
 */
const MAX_SHARE_OF_EDGES = 0.3;
/** Columns are compared separately only if fewer than 1 / MIN_GAIN of the differing pixels remain. */
const MIN_GAIN = 2;
/** Pictures that slid are smoothed anew, so single pixels of them differ. */
const MAX_SPECK = 16;

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

/** Compares by rows; columns that stayed in place apart, if that leaves fewer pixels. */
function compareAligned(before: Bitmap, after: Bitmap, rules: CompareRules): Difference {
  const own = compareRowsOf(before, after, rules, { isBand: false });
  // Empty rows of a menu match by chance, so columns are also looked for in all rows at once.
  const banded = own.pixels === 0 ? undefined : compareBands(before, after, betweenEqualRows(before, after), rules);
  return banded !== undefined && banded.pixels * MIN_GAIN < own.pixels ? banded : own;
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
  const slid = withoutSlid(withoutRounding(joined(lone), before, after), before, after);
  const left = isBand ? withoutGround(slid, before, after) : slid;
  const counted = left.flatMap(({ rows, kind, rowInAfter }) => {
    const box = contentOf(kind === 'added' ? after : before, rows);
    if (rules.ignored?.[kind].some((each) => contains(each, box)) === true) return [];
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
    const moved = (boxes: readonly Box[], rows: Rows): readonly Box[] =>
      boxes.map((box) => ({ ...box, x: box.x - columns.from, y: box.y - rows.from }));
    const { pixels, regions, differs } = compareRowsOf(
      cut(before, withNext(pair.before), columns),
      cut(after, withNext(pair.after), columns),
      {
        ...rules,
        ...(rules.ignored && {
          ignored: {
            added: moved(rules.ignored.added, pair.after),
            removed: moved(rules.ignored.removed, pair.before),
          },
        }),
      },
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
  let pixels = 0;
  const count = countOf(pair.after);
  for (let at = 0; at < count; at += STRIP_ROWS) {
    const rows = Math.min(STRIP_ROWS, count - at);
    const [own, other] = (['before', 'after'] as const).map((side) => {
      const from = pair[side].from + at;
      return cut(side === 'before' ? before : after, { from, to: from + rows }, { from: 0, to: width }).pixels;
    });
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
