import { loadSharp } from '../../load-sharp.ts';
import { type Bitmap, blacken, type Box } from './bitmap.ts';
import { compareBitmaps } from './compare-bitmaps.ts';
import type { Region } from './region.ts';
import { markRegions } from './mark-regions.ts';

/** Names of sharp for the accepted formats: png, jpeg, webp, avif. */
const FORMATS: ReadonlySet<string> = new Set(['png', 'jpeg', 'webp', 'heif']);

export interface PictureSide {
  readonly bytes: Uint8Array;
  /** Boxes of this side that are left out. */
  readonly ignored: readonly Box[];
}

export interface CompareCall {
  readonly before: PictureSide;
  readonly after: PictureSide;
  readonly threshold: number;
  readonly align: 'rows' | 'none';
  /** Format of the picture with marks. Undefined: none. */
  readonly format: 'png' | 'webp' | undefined;
  readonly maxPixels: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The result, or the reason why the pictures cannot be compared. */
export type CompareResult =
  | { readonly problem: string }
  | {
      readonly pixels: number;
      readonly before: Size;
      readonly after: Size;
      readonly regions: readonly Region[];
      readonly picture: Uint8Array | undefined;
    };

/** Compares two pictures. Runs in the process of comparisons, because their bytes may be those of an attacker. */
export async function comparePictures(call: CompareCall): Promise<CompareResult> {
  const sizes = await Promise.all([sizeOf(call, 'before'), sizeOf(call, 'after')]);
  const [problem] = sizes.filter((size) => typeof size === 'string');
  const [ofBefore, ofAfter] = sizes;
  if (problem !== undefined) return { problem };
  if (typeof ofBefore === 'string' || typeof ofAfter === 'string') throw new TypeError('unreachable');
  if (call.align === 'rows' && ofBefore.width !== ofAfter.width)
    return { problem: `before is ${ofBefore.width} px wide, after ${ofAfter.width} px: only align none accepts that` };
  const isEqual = Buffer.compare(call.before.bytes, call.after.bytes) === 0;
  if (isEqual && call.format === undefined)
    return { pixels: 0, before: ofBefore, after: ofAfter, regions: [], picture: undefined };

  const decoded = await Promise.all([decode(call, 'before'), decode(call, 'after')]);
  const [before, after] = decoded;
  if (typeof before === 'string') return { problem: before };
  if (typeof after === 'string') return { problem: after };
  const isCopied = call.format !== undefined && call.after.ignored.length > 0; // the marks need the whole picture
  const plain = isCopied ? { ...after, pixels: Uint8Array.from(after.pixels) } : after;
  for (const [side, picture] of [
    [call.before, before],
    [call.after, after],
  ] as const)
    for (const box of side.ignored) blacken(picture, box);
  const { pixels, regions } = compareBitmaps(before, after, {
    ...call,
    ignored: { added: call.after.ignored, removed: call.before.ignored },
  });
  return {
    pixels,
    before: ofBefore,
    after: ofAfter,
    regions,
    picture: call.format && (await markRegions(plain, regions, call.format)),
  };
}

type SideName = 'before' | 'after';

/** Returns the size by the header alone, or the problem of the picture. */
async function sizeOf(call: CompareCall, side: SideName): Promise<Size | string> {
  const limit = { limitInputPixels: false } as const;
  const sharp = await loadSharp();
  const { format, width, height } = await sharp(call[side].bytes, limit)
    .metadata()
    .catch(() => ({ format: undefined, width: 0, height: 0 }));
  if (format === undefined || !FORMATS.has(format)) return `${side}: is no png, jpeg, webp or avif`;
  if (width * height > call.maxPixels) return `${side}: has ${width} x ${height} pixels, of at most ${call.maxPixels}`;
  return { width, height };
}

async function decode(call: CompareCall, side: SideName): Promise<Bitmap | string> {
  try {
    const sharp = await loadSharp();
    const { data, info } = await sharp(call[side].bytes, { limitInputPixels: call.maxPixels, failOn: 'error' })
      .toColourspace('srgb')
      .flatten({ background: '#fff' })
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, pixels: data };
  } catch {
    return `${side}: is damaged`;
  }
}
