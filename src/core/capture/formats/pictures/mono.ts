import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';
import type { PixelSize } from './resize.ts';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Pixels between two pauses of the event loop: about 2 ms. */
const PIECE = 262_144;
const MIDDLE = 128;
const WHITE = 255;
const compress = promisify(deflate);

/**
 * Returns a png with one bit for each pixel, black or white, as e-paper shows it.
 * @param gray one byte for each pixel, row by row
 * @param isDithered true to spread the error of each pixel over its neighbours (Floyd and Steinberg, 1976)
 */
export async function encodeMono(gray: Uint8Array, { width, height }: PixelSize, isDithered: boolean): Promise<Buffer> {
  const rowBytes = 1 + Math.ceil(width / 8); // each row begins with its filter: none
  const rows = Buffer.alloc(rowBytes * height);
  // Errors of this row and the next, with a pixel more at both ends.
  let errors = new Float32Array(width + 2);
  let below = new Float32Array(width + 2);
  for (let y = 0, sincePause = 0; y < height; y++, sincePause += width) {
    if (sincePause >= PIECE) {
      sincePause = 0;
      await yieldToEventLoop();
    }
    let ahead = 0;
    for (let x = 0; x < width; x++) {
      const value = Math.min(WHITE, Math.max(0, (gray[y * width + x] ?? 0) + ahead + (errors[x + 1] ?? 0)));
      const isWhite = value >= MIDDLE;
      const byte = y * rowBytes + 1 + (x >> 3);
      if (isWhite) rows[byte] = (rows[byte] ?? 0) | (0x80 >> (x & 7));
      if (!isDithered) continue;
      const error = (value - (isWhite ? WHITE : 0)) / 16;
      ahead = error * 7;
      below[x] = (below[x] ?? 0) + error * 3;
      below[x + 1] = (below[x + 1] ?? 0) + error * 5;
      below[x + 2] = error;
    }
    [errors, below] = [below, errors.fill(0)];
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(1, 8); // bits of a pixel; colour type 0, gray, and the other fields stay 0
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', await compress(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
