import { countOf, keyOfRows, type Rows } from './align-rows.ts';
import { type Bitmap, type Box, IGNORED, rowsOf, wordsOf } from './bitmap.ts';

/** Rows that only one picture has. */
export interface Lone {
  readonly rows: Rows;
  readonly kind: 'added' | 'removed';
  /** Row of the later picture where removed rows were. */
  readonly rowInAfter?: number;
}

/**
 * Leaves out rows at the bottom that only slid out of the picture, or into it, because of other rows above.
 * @param isWindow whether the pictures end where a window of one height ends. Elsewhere, only ground can slide out.
 */
export function withoutSlid(lone: readonly Lone[], before: Bitmap, after: Bitmap, isWindow: boolean): readonly Lone[] {
  const last = lone.at(-1);
  if (last === undefined) return lone;
  const { rows, kind } = last;
  const above = lone.slice(0, -1);
  const shift = above.reduce((sum, each) => sum + (each.kind === kind ? -1 : 1) * countOf(each.rows), 0);
  if (shift < countOf(rows)) return lone;
  const picture = kind === 'removed' ? before : after;
  const { height } = picture;
  // Only the last rows of a window have slid out of the other one. A lone row above was added or removed.
  const hasSlid = isWindow && lowest(picture, rows).from >= height - shift && !hasMoved(last, above, before, after);
  const isBottom = isEmpty(picture, { from: rows.from, to: height }) && hasSameEnd(before, after);
  return hasSlid || isBottom || isGroundOf(picture, rows) ? above : lone;
}

/** True if rows are the same as others of the other picture. */
function hasMoved(own: Lone, others: readonly Lone[], before: Bitmap, after: Bitmap): boolean {
  const keyOf = ({ rows, kind }: Lone): string => keyOfRows(kind === 'added' ? after : before, rows);
  return others.some((each) => countOf(each.rows) === countOf(own.rows) && keyOf(each) === keyOf(own));
}

/** Returns the lowest place of rows that are equal to those just below them: which of them are lone is chance. */
function lowest(picture: Bitmap, { from, to }: Rows): Rows {
  let by = 0;
  while (to + by < picture.height && areEqualRows(picture, from + by, to + by)) by++;
  return { from: from + by, to: to + by };
}

/** True if the last rows of two pictures are equal. */
function hasSameEnd(before: Bitmap, after: Bitmap): boolean {
  const [own, other] = [before, after].map((picture) => rowsOf(picture, picture.height - 1, picture.height));
  return own !== undefined && other !== undefined && Buffer.compare(own, other) === 0;
}

function areEqualRows(picture: Bitmap, row: number, other: number): boolean {
  return Buffer.compare(rowsOf(picture, row, row + 1), rowsOf(picture, other, other + 1)) === 0;
}

/**
 * Leaves out empty rows that are there because what slid was rounded to other pixels: those beside rows that made it
 * slide, and pairs of them, one added and one removed.
 * @param density pixels for a pixel of the page
 */
export function withoutRounding(
  lone: readonly Lone[],
  before: Bitmap,
  after: Bitmap,
  density: number,
): readonly Lone[] {
  const hasSlid = lone.some(({ rows }) => countOf(rows) > 2 * density);
  const most = Math.ceil(hasSlid ? 2 * density : density);
  const isRounded = ({ rows, kind }: Lone): boolean => {
    const picture = kind === 'added' ? after : before;
    return countOf(rows) <= most && isEmpty(picture, rows) && isGroundOf(picture, rows);
  };
  if (hasSlid) return lone.filter((each) => !isRounded(each));
  const [added, removed] = (['added', 'removed'] as const).map((side) =>
    lone.filter((each) => each.kind === side && isRounded(each)),
  );
  const pairs = Math.min(added?.length ?? 0, removed?.length ?? 0);
  const left = new Set([...(added ?? []).slice(0, pairs), ...(removed ?? []).slice(0, pairs)]);
  return lone.filter((each) => !left.has(each));
}

/** Leaves out rows by which ignored elements grew or shrank: apart from these, they repeat a row next to them. */
export function withoutIgnored(lone: readonly Lone[], before: Bitmap, after: Bitmap): readonly Lone[] {
  const hasIgnored = ({ rows, kind }: Lone): boolean => ignoredRows(kind === 'added' ? after : before, rows) > 0;
  if (!lone.some(hasIgnored)) return lone;
  const growth = ignoredRows(after, allOf(after)) - ignoredRows(before, allOf(before));
  const [kind, picture] = growth > 0 ? (['added', after] as const) : (['removed', before] as const);
  let left = Math.abs(growth);
  return lone.filter((each) => {
    const ignored = each.kind === kind ? ignoredRows(picture, each.rows) : 0;
    if (ignored === 0 || ignored > left || !isGroundOf(picture, each.rows, areSameOrIgnored)) return true;
    left -= ignored;
    return false;
  });
}

function allOf({ height }: Bitmap): Rows {
  return { from: 0, to: height };
}

/** Returns the number of rows with ignored pixels. */
function ignoredRows({ width, pixels }: Bitmap, { from, to }: Rows): number {
  const words = wordsOf(pixels);
  let count = 0;
  for (let row = from; row < to; row++) if (words.subarray(row * width, (row + 1) * width).includes(IGNORED)) count++;
  return count;
}

/** Returns the box of what rows have on the ground of the picture: the colour at the edge of the next row. */
export function contentOf(picture: Bitmap, { from, to }: Rows): Box {
  const { width, height } = picture;
  const words = wordsOf(rowsOf(picture, from, to));
  const [next] = wordsOf(to < height ? rowsOf(picture, to, to + 1) : rowsOf(picture, Math.max(0, from - 1), from));
  const first = words.find((word) => word !== IGNORED);
  let [left, right, top, bottom] = [width, -1, to, -1];
  for (let y = 0, at = 0; y < to - from; y++)
    for (let x = 0; x < width; x++, at++) {
      if (words[at] === IGNORED || words[at] === first) continue;
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [top, bottom] = [Math.min(top, from + y), from + y];
    }
  if (right < 0 || (next !== first && next !== IGNORED)) return { x: 0, y: from, width, height: to - from };
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** True if all pixels of the rows have one colour. */
function isEmpty(picture: Bitmap, { from, to }: Rows): boolean {
  const words = wordsOf(rowsOf(picture, from, to));
  return words.every((word) => word === words[0]);
}

/**
 * Leaves out the rows by which the ground of a column grew or shrank with other columns: they repeat a row next to
 * them.
 */
export function withoutGround(lone: readonly Lone[], before: Bitmap, after: Bitmap): readonly Lone[] {
  if (before.height === after.height) return lone;
  const [kind, picture] = before.height < after.height ? (['added', after] as const) : (['removed', before] as const);
  return lone.filter((each) => each.kind !== kind || !isGroundOf(picture, each.rows));
}

/** True if rows repeat a row next to them, as far as `areEqual` tells pixels apart. */
function isGroundOf(picture: Bitmap, rows: Rows, areEqual = areSame): boolean {
  const { width, height } = picture;
  const words = wordsOf(rowsOf(picture, rows.from, rows.to));
  return [rows.from - 1, rows.to].some((model) => {
    if (model < 0 || model >= height) return false;
    const ground = wordsOf(rowsOf(picture, model, model + 1));
    return words.every((word, at) => areEqual(word, ground[at % width]));
  });
}

function areSame(one: number, two: number | undefined): boolean {
  return one === two;
}

function areSameOrIgnored(one: number, two: number | undefined): boolean {
  return one === two || one === IGNORED || two === IGNORED;
}

/** Joins rows of one kind that touch. */
export function joined(lone: readonly Lone[]): readonly Lone[] {
  const found: Lone[] = [];
  for (const each of lone) {
    const last = found.at(-1);
    if (last !== undefined && last.kind === each.kind && last.rows.to === each.rows.from)
      found[found.length - 1] = { ...last, rows: { from: last.rows.from, to: each.rows.to } };
    else found.push(each);
  }
  return found;
}
