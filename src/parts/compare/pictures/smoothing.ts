import { type Bitmap, type Box, wordsOf } from './bitmap.ts';

/** Largest share of the contrast around a pixel by which smoothing changes it: a shift by half of a pixel. */
const MOST_SHIFT = 0.6;
/** A smaller share is never a change by itself: curves are drawn a little lighter or darker at another place. */
const WEAK_SHIFT = 0.25;
/** Less contrast is no edge. Steps of a channel, as is what rounding adds at an edge. */
const [LEAST_CONTRAST, ROUNDING] = [24, 6];
/** Largest share of the difference that may remain after the earlier part was shifted. */
const MOST_LEFT = 0.45;
/** Shifts that are tried, in pixels. */
const SHIFTS = [1 / 3, 1 / 2].flatMap((by) =>
  [-by, 0, by].flatMap((dx) => [-by, 0, by].map((dy) => [dx, dy] as const)),
);
/** Larger parts are never smoothing alone. */
const MOST_PIXELS = 1_000_000;

/** A part of two pictures, with the rows by which the earlier one has it lower. */
interface Part {
  readonly before: Bitmap;
  readonly after: Bitmap;
  readonly box: Box;
  readonly offset: number;
  /** True for pixels that differ by more than the threshold. */
  readonly differs: (one: number, two: number) => boolean;
}

/**
 * True if the pixels of a part differ only because its edges were smoothed elsewhere: they differ weakly, or as after a
 * shift by a part of a pixel. A point that became a comma has more ink, and a letter has it at other places.
 */
export function isSmoothing(part: Part): boolean {
  if (part.box.width * part.box.height > MOST_PIXELS) return false;
  const strength = strengthOf(part);
  return strength === 'weak' || (strength === 'edges' && isShifted(part));
}

/** Returns how strongly the edges of a part differ. Undefined if something else differs, too. */
function strengthOf({ before, after, box, offset, differs }: Part): 'weak' | 'edges' | undefined {
  const [own, other] = [wordsOf(before.pixels), wordsOf(after.pixels)];
  let strength: 'weak' | 'edges' = 'weak';
  for (let y = box.y; y < box.y + box.height; y++) {
    for (let x = box.x; x < box.x + box.width; x++) {
      const [one, two] = [own[(y + offset) * before.width + x] ?? 0, other[y * after.width + x] ?? 0];
      if (!differs(one, two)) continue;
      for (let shift = 0; shift < 24; shift += 8) {
        const by = Math.abs(((two >>> shift) & 255) - ((one >>> shift) & 255));
        if (by === 0) continue;
        const contrast = Math.min(
          contrastAround(own, before, { x, y: y + offset, shift }),
          contrastAround(other, after, { x, y, shift }),
        );
        const room = contrast < LEAST_CONTRAST ? 0 : ROUNDING;
        if (by > contrast * MOST_SHIFT + room) return undefined;
        if (by > contrast * WEAK_SHIFT + room) strength = 'edges';
      }
    }
  }
  return strength;
}

/** True if the later part is nearly the earlier one after a shift by a part of a pixel. */
function isShifted({ before, after, box, offset }: Part): boolean {
  const own = brightnessOf(before, { ...box, y: box.y + offset });
  const other = brightnessOf(after, box);
  const width = box.width + 2;
  let change = 0;
  for (let index = 0; index < own.length; index++) change += Math.abs((own[index] ?? 0) - (other[index] ?? 0));
  return SHIFTS.some(([dx, dy]) => {
    const [left, top] = [dx < 0 ? 1 : -1, dy < 0 ? width : -width];
    const [x, y] = [Math.abs(dx), Math.abs(dy)];
    let unexplained = 0;
    for (let row = 1; row <= box.height; row++)
      for (let at = row * width + 1; at <= row * width + box.width; at++) {
        const near = (own[at] ?? 0) * (1 - x) + (own[at + left] ?? 0) * x;
        const far = (own[at + top] ?? 0) * (1 - x) + (own[at + top + left] ?? 0) * x;
        unexplained += Math.abs((other[at] ?? 0) - near * (1 - y) - far * y);
      }
    return unexplained <= change * MOST_LEFT;
  });
}

/** Returns the sum of the channels of each pixel of a box, with one pixel around it. */
function brightnessOf({ width, height, pixels }: Bitmap, box: Box): Float32Array {
  const words = wordsOf(pixels);
  const found = new Float32Array((box.width + 2) * (box.height + 2));
  let at = 0;
  for (let y = box.y - 1; y <= box.y + box.height; y++)
    for (let x = box.x - 1; x <= box.x + box.width; x++) {
      const [column, row] = [Math.min(Math.max(x, 0), width - 1), Math.min(Math.max(y, 0), height - 1)];
      const word = words[row * width + column] ?? 0;
      found[at++] = (word & 255) + ((word >>> 8) & 255) + ((word >>> 16) & 255);
    }
  return found;
}

/** Returns the difference of the lightest and the darkest of nine pixels, in one channel. */
function contrastAround(
  words: Uint32Array,
  { width, height }: Bitmap,
  { x, y, shift }: { readonly x: number; readonly y: number; readonly shift: number },
): number {
  let [least, most] = [255, 0];
  for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row++)
    for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column++) {
      const value = ((words[row * width + column] ?? 0) >>> shift) & 255;
      if (value < least) least = value;
      if (value > most) most = value;
    }
  return most - least;
}
