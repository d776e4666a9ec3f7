import sharp from 'sharp';
import { type Colour, toCss } from '../../support/colour.ts';

const FRAME_MS = 100;
const SIDE = 160;

/** Creates a WebM file of plain frames, 100 ms each, 160 x 160. It uses frames of lossy WebP, which are VP8, too. */
export async function createVideo(colours: readonly Colour[]): Promise<Buffer> {
  const frames = await Promise.all(colours.map(encodeFrame));
  const blocks = frames.map((frame, index) => {
    const head = Buffer.from([0x81, 0, 0, 0x80]); // track 1, time in the cluster, key frame
    head.writeInt16BE(index * FRAME_MS, 1);
    return element('a3', head, frame);
  });
  return Buffer.concat([
    element(
      '1a45dfa3',
      element('4286', number(1)),
      element('42f7', number(1)),
      element('42f2', number(4)),
      element('42f3', number(8)),
      element('4282', Buffer.from('webm')),
      element('4287', number(2)),
      element('4285', number(2)),
    ),
    element(
      '18538067',
      element(
        '1549a966',
        element('2ad7b1', number(1_000_000)), // nanoseconds in a tick: milliseconds
        element('4489', float(frames.length * FRAME_MS)),
        element('4d80', Buffer.from('fixture')),
        element('5741', Buffer.from('fixture')),
      ),
      element(
        '1654ae6b',
        element(
          'ae',
          element('d7', number(1)),
          element('73c5', number(1)),
          element('83', number(1)), // video
          element('86', Buffer.from('V_VP8')),
          element('e0', element('b0', number(SIDE)), element('ba', number(SIDE))),
        ),
      ),
      element('1f43b675', element('e7', number(0)), ...blocks),
    ),
  ]);
}

/** Returns the VP8 key frame in a WebP file: the data of its only chunk (RIFF, WEBP, `VP8 `, length). */
async function encodeFrame(colour: Colour): Promise<Buffer> {
  const file = await sharp({ create: { width: SIDE, height: SIDE, channels: 3, background: toCss(colour) } })
    .webp({ quality: 100 })
    .toBuffer();
  return file.subarray(20, 20 + file.readUInt32LE(16));
}

/** One EBML element (RFC 8794): its id, its length in eight bytes, its content. */
function element(id: string, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(body.length));
  length.writeUInt8(1);
  return Buffer.concat([Buffer.from(id, 'hex'), length, body]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
}
