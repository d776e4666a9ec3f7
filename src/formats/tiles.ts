import sharp, { type Sharp } from 'sharp';
import type { Page } from '../browser/page.ts';
import type { Box } from '../capture/in-page/element-box.ts';

/**
 * Longest side of a tile, in device pixels. Compositors can not draw past 16,384 in one piece; half of that also needs a quarter of
 * the memory, and is faster (a page of 40,000 px at density 2: 635 MB and 4.8 s, against 2,240 MB and 8.6 s; 2026-11-20).
 */
const TILE_SIDE = 8_192;

interface TileOptions {
  readonly name: 'png' | 'jpeg' | 'webp';
  readonly density: number;
  readonly quality: number;
}

/** True for a picture that is larger than one tile. */
export function needsTiles({ width, height }: Box, density: number): boolean {
  return Math.max(width, height) * density > TILE_SIDE;
}

/** Captures the box tile by tile, without scrolling between them, so that nothing fixed is in two of them; then joins them. */
export async function captureInTiles(
  page: Page,
  box: Box,
  { name, density, quality }: TileOptions,
): Promise<Buffer> {
  const side = TILE_SIDE / density;
  const tiles: Buffer[] = [];
  for (let top = 0; top < box.height; top += side) {
    for (let left = 0; left < box.width; left += side) {
      const { data } = await page.send('Page.captureScreenshot', {
        format: 'png',
        optimizeForSpeed: true,
        captureBeyondViewport: true,
        clip: {
          x: box.x + left,
          y: box.y + top,
          width: Math.min(side, box.width - left),
          height: Math.min(side, box.height - top),
          scale: 1,
        },
      });
      tiles.push(Buffer.from(data, 'base64'));
    }
  }
  const joined = sharp(tiles, {
    join: { across: Math.ceil(box.width / side) },
    limitInputPixels: false,
    sequentialRead: true,
  });
  // Tiles at the right and lower edges are smaller than the cells that they are put in.
  const size = { width: Math.round(box.width * density), height: Math.round(box.height * density) };
  return await encode(joined.extract({ left: 0, top: 0, ...size }), name, quality);
}

/** Without filters and with the lowest compression, png is written as fast as Chrome writes it; it is lossless in any case. */
async function encode(picture: Sharp, name: TileOptions['name'], quality: number): Promise<Buffer> {
  switch (name) {
    case 'png':
      return await picture.png({ compressionLevel: 1, adaptiveFiltering: false }).toBuffer();
    case 'jpeg':
      return await picture.jpeg({ quality: Math.max(quality, 1) }).toBuffer();
    case 'webp':
      return await picture.webp({ quality }).toBuffer();
  }
}
