import { countOf, type Rows } from './align-rows.ts';
import { type Bitmap, type Box, IGNORED, rowsOf, wordsOf } from './bitmap.ts';

/** Part of a window in which rows count as its last ones: rows below them may be equal by chance. */
const LAST_PART = 0.15;
/**
 * Leaves out rows at the bottom that only slid out of the picture, or into it, because of other rows above. They are
 * empty, or the pictures have the height of a window.
 */
export function withoutSlid<Lone extends { readonly rows: Rows; readonly kind: 'added' | 'removed' }>(
  lone: readonly Lone[],
  before: Bitmap,
  after: Bitmap,
): readonly Lone[] {
  const last = lone.at(-1);
  const picture = last?.kind === 'removed' ? before : after;
  if (last === undefined) return lone;
  const { height } = picture;
  const areLast = before.height === after.height && height - last.rows.to <= height * LAST_PART;
  const isGround =
    !areLast && (isEmpty(picture, { from: last.rows.from, to: height }) || isGroundOf(picture, last.rows));
  if (!areLast && !isGround) return lone;
  const above = lone.slice(0, -1).filter(({ kind }) => kind !== last.kind);
  const rowsAbove = above.reduce((sum, { rows }) => sum + countOf(rows), 0);
  return rowsAbove >= countOf(last.rows) ? lone.slice(0, -1) : lone;
}

/** Rows of one colour that browsers add and remove where heights are no whole pixels. */
const MAX_ROUNDED = 2;

/**
 * Leaves out empty rows that are there because what slid was rounded to other pixels: those beside rows that made it
 * slide, and pairs of them, one added and one removed.
 */
export function withoutRounding<Lone extends { readonly rows: Rows; readonly kind: 'added' | 'removed' }>(
  lone: readonly Lone[],
  before: Bitmap,
  after: Bitmap,
): readonly Lone[] {
  const isRounded = ({ rows, kind }: Lone): boolean => {
    const picture = kind === 'added' ? after : before;
    return countOf(rows) <= MAX_ROUNDED && isEmpty(picture, rows) && isGroundOf(picture, rows);
  };
  if (lone.some((each) => countOf(each.rows) > MAX_ROUNDED)) return lone.filter((each) => !isRounded(each));
  const [added, removed] = (['added', 'removed'] as const).map((side) =>
    lone.filter((each) => each.kind === side && isRounded(each)),
  );
  const pairs = Math.min(added?.length ?? 0, removed?.length ?? 0);
  const left = new Set([...(added ?? []).slice(0, pairs), ...(removed ?? []).slice(0, pairs)]);
  return lone.filter((each) => !left.has(each));
}

/**
 * Returns the box of what rows have on the ground of the picture: the colour at the edge of the next row. Undefined if
 * only ignored pixels lie on it.
 */
export function contentOf(picture: Bitmap, { from, to }: Rows): Box | undefined {
  const { width, height } = picture;
  const words = wordsOf(rowsOf(picture, from, to));
  const [next] = wordsOf(to < height ? rowsOf(picture, to, to + 1) : rowsOf(picture, Math.max(0, from - 1), from));
  const first = words.find((word) => word !== IGNORED);
  if (first === undefined) return undefined;
  const isOnGround = next === first || next === IGNORED;
  let [left, right, top, bottom] = [width, -1, to, -1];
  let isIgnored = false;
  for (let y = 0, at = 0; y < to - from; y++)
    for (let x = 0; x < width; x++, at++) {
      if (words[at] === IGNORED) isIgnored = true;
      if (words[at] === IGNORED || words[at] === first) continue;
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [top, bottom] = [Math.min(top, from + y), from + y];
    }
  if (right < 0 && isIgnored && isOnGround) return undefined;
  if (right < 0) return { x: 0, y: from, width, height: to - from };
  if (!isOnGround) return { x: 0, y: from, width, height: to - from };
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** True if all pixels of the rows have one colour. */
function isEmpty(picture: Bitmap, { from, to }: Rows): boolean {
  const words = wordsOf(rowsOf(picture, from, to));
  return words.every((word) => word === words[0]);
}

/**
 * Leaves out the rows by which the ground of a column grew or shrank because of other columns: they repeat a row next
 * to them.
 */
export function withoutGround<Lone extends { readonly rows: Rows; readonly kind: 'added' | 'removed' }>(
  lone: readonly Lone[],
  before: Bitmap,
  after: Bitmap,
): readonly Lone[] {
  return lone.filter(({ rows, kind }) => {
    return !isGroundOf(kind === 'added' ? after : before, rows);
  });
}

/** True if rows repeat a row next to them. */
function isGroundOf(picture: Bitmap, rows: Rows): boolean {
  return repeats(picture, rows, rows.from - 1) || repeats(picture, rows, rows.to);
}

function repeats(picture: Bitmap, { from, to }: Rows, model: number): boolean {
  if (model < 0 || model >= picture.height) return false;
  const pixels = rowsOf(picture, model, model + 1);
  for (let row = from; row < to; row++) if (Buffer.compare(pixels, rowsOf(picture, row, row + 1)) !== 0) return false;
  return true;
}

/** Joins rows of one kind that touch. */
export function joined<Lone extends { readonly rows: Rows; readonly kind: string }>(
  lone: readonly Lone[],
): readonly Lone[] {
  const found: Lone[] = [];
  for (const each of lone) {
    const last = found.at(-1);
    if (last !== undefined && last.kind === each.kind && last.rows.to === each.rows.from)
      found[found.length - 1] = { ...last, rows: { from: last.rows.from, to: each.rows.to } };
    else found.push(each);
  }
  return found;
}
