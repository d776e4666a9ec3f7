import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { COLOUR } from './colour.ts';
import { expectColour, readPicture } from './pixels.ts';

describe('readPicture', () => {
  it.each(['png', 'jpeg', 'webp', 'avif'] as const)('reads size, format and colour of a %s', async (format) => {
    const picture = await readPicture(await plainPicture(format));

    expect(picture).toMatchObject({ width: 30, height: 20, format });
    expectColour(picture, 29, 19, COLOUR.orange, 6);
  });

  it('refuses a pixel outside the picture', async () => {
    const picture = await readPicture(await plainPicture('png'));

    expect(() => picture.pixel(30, 0)).toThrow('No pixel (30, 0) in a picture of 30x20');
  });
});

describe('expectColour', () => {
  it('reports which pixel differs, and how', async () => {
    const picture = await readPicture(await plainPicture('png'));

    expect(() => expectColour(picture, 1, 2, COLOUR.blue)).toThrow(
      'Pixel (1, 2) is rgba(255, 128, 0, 255), not rgba(0, 0, 255, 255) within 2',
    );
  });
});

function plainPicture(format: 'png' | 'jpeg' | 'webp' | 'avif'): Promise<Buffer> {
  const [r, g, b] = COLOUR.orange;
  return sharp({ create: { width: 30, height: 20, channels: 3, background: { r, g, b } } })
    .toFormat(format, { quality: 100 })
    .toBuffer();
}
