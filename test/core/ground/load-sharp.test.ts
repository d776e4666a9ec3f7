import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { loadSharp } from '../../../src/core/ground/load-sharp.ts';

describe('the picture library', () => {
  it('reads pictures while it is loaded again', async () => {
    await loadSharp();
    const png = await sharp({ create: { width: 400, height: 400, channels: 3, background: 'red' } })
      .png()
      .toBuffer();

    const read = Array.from({ length: 200 }, async () => {
      const pixels = sharp(png).raw().toBuffer();
      for (let loads = 0; loads < 50; loads++) await loadSharp();
      return (await pixels).length;
    });

    expect(new Set(await Promise.all(read))).toEqual(new Set([480_000]));
  });

  it('reads no other formats', async () => {
    await loadSharp();

    await expect(
      sharp(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')).toBuffer(),
    ).rejects.toThrow('unsupported');
  });
});
