import { type Bitmap, type Box, wordsOf } from './bitmap.ts';

/** Largest share of the contrast around a pixel by which smoothing changes it: a shift by half of a pixel. */
const MOST_SHIFT = 0.6;
/** Steps of a channel that rounding adds. */
const ROUNDING = 6;
/** Largest share of all changes by which a part may be darker or lighter as a whole. What moves keeps its ink. */
const MOST_GAIN = 0.3;
/** Larger parts are never smoothing alone. */
const MOST_PIXELS = 4_000_000;

/** A part of two pictures, with the rows by which the earlier one has it lower. */
interface Part {
  readonly before: Bitmap;
  readonly after: Bitmap;
  readonly box: Box;
  readonly offset: number;
}

/**
 * True if the pixels of a part differ only because its edges were smoothed elsewhere: no pixel differs by more than a
 * shift of half a pixel explains, and the part is as dark as before. A point that became a comma has more ink.
 */
export function isSmoothing({ before, after, box, offset }: Part): boolean {
  if (box.width * box.height > MOST_PIXELS) return false;
  const [own, other] = [wordsOf(before.pixels), wordsOf(after.pixels)];
  const { x: left, y: top, width, height } = box;
  let [gain, change] = [0, 0];
  for (let y = top; y < top + height; y++) {
    for (let x = left; x < left + width; x++) {
      const [one, two] = [own[(y + offset) * before.width + x] ?? 0, other[y * after.width + x] ?? 0];
      if (one === two) continue;
      for (let shift = 0; shift < 24; shift += 8) {
        const by = ((two >>> shift) & 255) - ((one >>> shift) & 255);
        gain += by;
        change += Math.abs(by);
        if (Math.abs(by) <= ROUNDING) continue;
        const contrast = Math.min(
          contrastAround(own, before, { x, y: y + offset, shift }),
          contrastAround(other, after, { x, y, shift }),
        );
        if (Math.abs(by) > contrast * MOST_SHIFT + ROUNDING) return false;
      }
    }
  }
  return Math.abs(gain) <= change * MOST_GAIN;
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
