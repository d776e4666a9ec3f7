import { crc32, deflateSync } from 'node:zlib';
import type { PdfPicture } from './pdf-contents.ts';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Bits of a channel, colours without alpha, and three zeros for what PNG has one method of. */
const KIND = [8, 2, 0, 0, 0];
const CHANNELS = { from: 4, to: 3 };

/** Returns an opaque picture as PNG: packed fast, because the browser unpacks it again at once. */
export function pngOf({ width, height, pixels }: PdfPicture): Buffer {
  const { from, to } = CHANNELS;
  const rows = Buffer.alloc((width * to + 1) * height); // each row begins with a zero: no filter
  let at = 0;
  for (let y = 0; y < height; y++) {
    at++;
    for (let x = 0, source = y * width * from; x < width; x++, source += from) {
      rows[at++] = pixels[source] ?? 0;
      rows[at++] = pixels[source + 1] ?? 0;
      rows[at++] = pixels[source + 2] ?? 0;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set(KIND, 8);
  const packed = deflateSync(rows, { level: 1 });
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), chunk('IDAT', packed), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(content.length, 0);
  framed.set(named, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}
