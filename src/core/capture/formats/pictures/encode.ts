import type { Sharp } from 'sharp';
import { LIMIT_MS } from '../../../ground/time-limits.ts';
import { loadSharp } from '../../../ground/load-sharp.ts';
import { encodeMono } from './mono.ts';
import { planResizing, type PixelSize, type RequestedSize } from './resize.ts';

/** A picture from the browser, whole or in tiles: rows of png files. */
export interface Pieces {
  readonly pngs: readonly Buffer[];
  readonly across: number;
  /** Size of the whole picture. Tiles at the right and lower edges may be larger than their content. */
  readonly size: PixelSize;
}

export interface Encoding {
  readonly name: keyof typeof ENCODE;
  /** Quality from 0 to 100. */
  readonly quality: number;
  /** False: transparency becomes white. */
  readonly keepsAlpha: boolean;
  readonly resize: RequestedSize | undefined;
  /** Default: full. */
  readonly color?: (typeof COLORS)[number];
  /** True to show the grays of `mono` as patterns. */
  readonly dither?: boolean;
}

/** Colours of a picture: all, 256 grays, or black and white. */
export const COLORS = ['full', 'gray', 'mono'] as const;

export interface Encoded {
  readonly body: Buffer;
  readonly size: PixelSize;
}

const ENCODE = {
  // Without filters and with the lowest compression, as fast as Chrome; png is always lossless.
  png: (picture: Sharp) => picture.png({ compressionLevel: 1, adaptiveFiltering: false }),
  // The encoder accepts no quality 0.
  jpeg: (picture: Sharp, quality: number) => picture.jpeg({ quality: Math.max(quality, 1) }),
  webp: (picture: Sharp, quality: number) => picture.webp({ quality: Math.max(quality, 1) }),
  // Efforts 0 to 3 make 214, 134, 133 and 130 KB of a page of text and pictures, in 0.14, 0.38, 0.68 and 1.4 s. Chroma
  // subsampling (4:2:0) saves 3 %, but gives seams to coloured text (libvips 8.18, 2026-11-22).
  avif: (picture: Sharp, quality: number, size: PixelSize) =>
    picture.avif({ quality: Math.max(quality, 1), effort: avifEffort(size), chromaSubsampling: '4:4:4' }),
} as const;

/**
 * Processor time of an avif at efforts 0 and 1: 0.14 to 0.24 and 0.47 to 0.73 s for a million pixels (quality 80,
 * 2026-11-23).
 */
const MAX_PIXELS_AT_EFFORT_1 = 4_194_304;

const WHITE = { r: 255, g: 255, b: 255, alpha: 1 };
const TRANSPARENT = { r: 255, g: 255, b: 255, alpha: 0 };

/**
 * Effort of an avif of this size: higher efforts make smaller files. The largest that the format holds, 35 million
 * pixels, takes 10 s of processor time at effort 0 (noise, quality 80, 2026-11-23). With effort 1 it took 40 s.
 */
export function avifEffort({ width, height }: PixelSize): 0 | 1 {
  return width * height > MAX_PIXELS_AT_EFFORT_1 ? 0 : 1;
}

/**
 * Joins, resizes and encodes the pieces, a few rows at a time if the format allows it. avif needs the whole picture in
 * memory.
 */
export async function encode({ pngs, across, size }: Pieces, encoding: Encoding): Promise<Encoded> {
  const sharp = await loadSharp();
  const { crop, scaled, canvas } = planResizing(size, encoding.resize);
  const { color = 'full', dither = false } = encoding;
  const [only] = pngs;
  // the browser captures no more than MAX_PIXELS
  const input = { limitInputPixels: false, sequentialRead: true } as const;
  let picture = pngs.length === 1 ? sharp(only, input) : sharp([...pngs], { join: { across }, ...input });
  picture = picture.timeout({ seconds: LIMIT_MS.render / 1_000 }).extract(crop);
  const isMono = color === 'mono' && encoding.name === 'png';
  const keepsAlpha = encoding.keepsAlpha && !isMono;
  if (!keepsAlpha) picture = picture.flatten({ background: WHITE });
  if (!isSame(scaled, crop)) picture = picture.resize({ ...scaled, fit: 'fill' });
  if (!isSame(canvas, scaled)) {
    const [left, top] = [
      Math.floor((canvas.width - scaled.width) / 2),
      Math.floor((canvas.height - scaled.height) / 2),
    ];
    picture = picture.extend({
      left,
      top,
      right: canvas.width - scaled.width - left,
      bottom: canvas.height - scaled.height - top,
      background: keepsAlpha ? TRANSPARENT : WHITE,
    });
  }
  if (color !== 'full') picture = picture.grayscale().toColourspace('b-w');
  if (isMono) return { body: await encodeMono(await picture.raw().toBuffer(), canvas, dither), size: canvas };
  const { data, info } = await ENCODE[encoding.name](picture, encoding.quality, canvas).toBuffer({
    resolveWithObject: true,
  });
  return { body: data, size: { width: info.width, height: info.height } };
}

function isSame(one: PixelSize, other: PixelSize): boolean {
  return one.width === other.width && one.height === other.height;
}
