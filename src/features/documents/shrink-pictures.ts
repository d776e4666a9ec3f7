import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { loadSharp } from '../../core/ground/load-sharp.ts';
import type { PdfFile } from './pdf-file.ts';

const unpack = promisify(inflate);
/** Smaller pictures are icons, and gain little. */
const LEAST_BYTES = 20_000;
const MOST_PIXELS = 100_000_000;
/** Drawings with few colours are small without loss, and look worse as jpeg. */
const LEAST_GAIN = 0.8;

/**
 * Returns the document with opaque photographs as jpeg that Chrome stores without loss: those that a camera has
 * rotated, and those of webp, avif, png and CMYK. They take several times the bytes of their sources otherwise. The
 * others stay.
 */
export async function shrinkPictures(body: Buffer, file: PdfFile, quality: number): Promise<Buffer> {
  const smaller = new Map<number, Buffer>();
  for (let number = 1; number < file.size; number++) {
    const made = await asJpeg(file, number, quality);
    if (made !== undefined) smaller.set(number, made);
  }
  return smaller.size === 0 ? body : file.withReplaced(smaller);
}

/** Returns the number of channels of a picture, if jpeg can have them. */
function channelsOf(file: PdfFile, dictionary: string): 1 | 3 | undefined {
  const [, device, profile] = /\/ColorSpace (?:\/Device(RGB|Gray)\b|\[\s*\/ICCBased (\d+) 0 R)/.exec(dictionary) ?? [];
  if (device !== undefined) return device === 'RGB' ? 3 : 1;
  const [, count] = /\/N (\d)/.exec(profile === undefined ? '' : file.objectText(Number(profile))) ?? [];
  return count === '3' ? 3 : count === '1' ? 1 : undefined;
}

async function asJpeg(file: PdfFile, number: number, quality: number): Promise<Buffer | undefined> {
  const stream = file.streamOf(number);
  if (stream === undefined || stream.stored.length < LEAST_BYTES) return undefined;
  const { dictionary, stored } = stream;
  const isPlain =
    dictionary.includes('/FlateDecode') &&
    dictionary.includes('/Subtype /Image') &&
    !/\/(?:SMask|Mask|ImageMask|DecodeParms)\b/.test(dictionary);
  const channels = channelsOf(file, dictionary);
  const [, width = NaN, height = NaN] = (/\/Width (\d+)\s+\/Height (\d+)/.exec(dictionary) ?? []).map(Number);
  if (!isPlain || channels === undefined || !(width * height <= MOST_PIXELS)) return undefined;
  const maxOutputLength = width * height * channels;
  const pixels = await unpack(stored, { maxOutputLength });
  if (pixels.length !== maxOutputLength) return undefined;
  const sharp = await loadSharp();
  const picture = sharp(pixels, { raw: { width, height, channels }, limitInputPixels: MOST_PIXELS });
  const jpeg = await picture.jpeg({ quality }).toBuffer();
  if (jpeg.length > stored.length * LEAST_GAIN) return undefined;
  const head = dictionary.replace(/\/Filter \/FlateDecode\s*/, '');
  return Buffer.concat([
    Buffer.from(`${number} 0 obj\n<<${head}/Filter /DCTDecode\n/Length ${jpeg.length}>> stream\n`, 'latin1'),
    jpeg,
    Buffer.from('\nendstream\nendobj\n', 'latin1'),
  ]);
}
