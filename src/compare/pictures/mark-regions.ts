import { loadSharp } from '../../load-sharp.ts';
import type { Bitmap } from './bitmap.ts';
import type { Region, RegionKind } from './region.ts';

const LINE = 3;
const COLOURS: Readonly<Record<RegionKind, string>> = {
  changed: '#e5484d',
  added: '#2f9e44',
  removed: '#e5484d',
  moved: '#1c7ed6',
};

/** Draws a frame around each region of a picture. A removed region is a line where it was. */
export async function markRegions(
  { width, height, pixels }: Bitmap,
  regions: readonly Region[],
  format: 'png' | 'webp',
): Promise<Uint8Array> {
  const frames = regions.map(({ x, y, width: wide, height: high, kind, rowInAfter = y }) => {
    const stroke = `stroke="${COLOURS[kind]}" stroke-width="${LINE}"`;
    return kind === 'removed'
      ? `<path d="M${x} ${Math.min(height - 1, rowInAfter)}h${wide}" ${stroke} stroke-dasharray="8 4"/>`
      : `<rect x="${x - LINE}" y="${y - LINE}" width="${wide + 2 * LINE}" height="${high + 2 * LINE}" fill="none" ${stroke}/>`;
  });
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${frames.join('')}</svg>`;
  const sharp = await loadSharp();
  const marked = sharp(pixels, { raw: { width, height, channels: 4 } }).composite([{ input: Buffer.from(drawing) }]);
  return await marked.removeAlpha().toFormat(format).toBuffer();
}
