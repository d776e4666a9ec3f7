/** A decoded picture: four bytes per pixel, opaque, row after row. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** A rectangle in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the pixels of some rows, without a copy. */
export function rowsOf({ width, pixels }: Bitmap, from: number, to: number): Uint8Array {
  return pixels.subarray(from * width * 4, to * width * 4);
}

/**
 * A pixel that is left out of the comparison: it is equal to any other. Transparent, which no decoded pixel is.
 */
export const IGNORED = 0;

/**
 * Leaves out the pixels of boxes, as far as they are in the picture. Takes time for the pixels once, however many boxes
 * cover them.
 */
export function ignore({ width, height, pixels }: Bitmap, boxes: readonly Box[]): void {
  /** For each row, the columns at which the number of boxes over it rises and falls. */
  const starts = new Map<number, [from: number, to: number, by: number][]>();
  const change = (row: number, from: number, to: number, by: number): void => {
    const atRow = starts.get(row) ?? [];
    starts.set(row, atRow);
    atRow.push([from, to, by]);
  };
  for (const { x, y, width: wide, height: high } of boxes) {
    const [left, right] = [Math.max(0, Math.floor(x)), Math.min(width, Math.ceil(x + wide))];
    const [top, bottom] = [Math.max(0, Math.floor(y)), Math.min(height, Math.ceil(y + high))];
    if (left >= right || top >= bottom) continue;
    change(top, left, right, 1);
    change(bottom, left, right, -1);
  }
  const words = wordsOf(pixels);
  const changes = new Int32Array(width + 1);
  let open = 0;
  for (let y = 0; y < height; y++) {
    for (const [from, to, by] of starts.get(y) ?? []) {
      changes[from] = (changes[from] ?? 0) + by;
      changes[to] = (changes[to] ?? 0) - by;
      open += by;
    }
    if (open === 0) continue;
    for (let x = 0, covering = 0; x < width; x++) {
      covering += changes[x] ?? 0;
      if (covering > 0) words[y * width + x] = IGNORED;
    }
  }
}

/** Fills a box, as far as it is in the picture. */
export function fill(
  { width, height, pixels }: Bitmap,
  { x, y, width: wide, height: high }: Box,
  colour: number,
): void {
  const [left, right] = [Math.max(0, x), Math.min(width, x + wide)];
  const words = wordsOf(pixels);
  for (let row = Math.max(0, y); row < Math.min(height, y + high); row++)
    if (left < right) words.fill(colour, row * width + left, row * width + right);
}

/** Returns the number of an opaque colour in `wordsOf`. */
export function wordOf(red: number, green: number, blue: number): number {
  return new Uint32Array(new Uint8Array([red, green, blue, 255]).buffer)[0] ?? 0;
}

/** The pixels of a picture, one number each. */
export function wordsOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** Exchanges rows and columns. */
export function transpose({ width, height, pixels }: Bitmap): Bitmap {
  const words = wordsOf(pixels);
  const turned = new Uint32Array(width * height);
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++) turned[x * height + y] = words[at] ?? 0;
  return { width: height, height: width, pixels: new Uint8Array(turned.buffer) };
}
