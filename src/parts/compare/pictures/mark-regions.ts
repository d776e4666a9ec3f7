import { loadSharp } from '../../../core/ground/load-sharp.ts';
import { type Bitmap, type Box, fill, wordOf } from './bitmap.ts';
import type { Region, RegionKind } from './region.ts';

/** Width of the lines, and length and period of dashes, in pixels. */
const [LINE, DASH, PERIOD] = [3, 8, 12];
const [RED, GREEN, BLUE] = [wordOf(229, 72, 77), wordOf(47, 158, 68), wordOf(28, 126, 214)];
const COLOURS: Readonly<Record<RegionKind, number>> = { changed: RED, added: GREEN, removed: RED, moved: BLUE };

/** Draws a frame around each region into the picture. A removed region is a dashed line where it was. */
export async function markRegions(
  picture: Bitmap,
  regions: readonly Region[],
  format: 'png' | 'webp',
): Promise<Uint8Array> {
  const { width, height, pixels } = picture;
  for (const region of regions) for (const line of linesOf(region, height)) fill(picture, line, COLOURS[region.kind]);
  const sharp = await loadSharp();
  const marked = sharp(pixels, { raw: { width, height, channels: 4 } });
  return await marked.removeAlpha().toFormat(format).toBuffer();
}

function linesOf({ x, y, width, height, kind, rowInAfter = y }: Region, pictureHeight: number): readonly Box[] {
  if (kind === 'removed') {
    const top = Math.min(pictureHeight - 1, rowInAfter) - 1;
    return Array.from({ length: Math.ceil(width / PERIOD) }, (_, index) => {
      const left = index * PERIOD;
      return { x: x + left, y: top, width: Math.min(DASH, width - left), height: LINE };
    });
  }
  const [left, top, wide, high] = [x - LINE, y - LINE, width + 2 * LINE, height + 2 * LINE];
  return [
    { x: left, y: top, width: wide, height: LINE },
    { x: left, y: y + height, width: wide, height: LINE },
    { x: left, y: top, width: LINE, height: high },
    { x: x + width, y: top, width: LINE, height: high },
  ];
}
