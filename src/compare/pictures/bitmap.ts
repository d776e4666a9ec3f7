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

/** Makes the pixels of a box black, as far as it is in the picture. */
export function blacken({ width, height, pixels }: Bitmap, box: Box): void {
  const [left, top] = [Math.max(0, Math.floor(box.x)), Math.max(0, Math.floor(box.y))];
  const right = Math.min(width, Math.ceil(box.x + box.width));
  const bottom = Math.min(height, Math.ceil(box.y + box.height));
  const words = wordsOf(pixels);
  for (let y = top; y < bottom; y++) if (right > left) words.fill(BLACK, y * width + left, y * width + right);
}

const BLACK = new Uint32Array(new Uint8Array([0, 0, 0, 255]).buffer)[0] ?? 0;

/** The pixels of a picture, one number each. */
export function wordsOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** True if a box contains another one. Allows for one pixel of rounding. */
export function contains(outer: Box, inner: Box): boolean {
  return (
    outer.x <= inner.x + 1 &&
    outer.y <= inner.y + 1 &&
    outer.x + outer.width + 1 >= inner.x + inner.width &&
    outer.y + outer.height + 1 >= inner.y + inner.height
  );
}
