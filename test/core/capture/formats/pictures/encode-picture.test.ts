import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { avifEffort, type Pieces } from '../../../../../src/core/capture/formats/pictures/encode.ts';
import { encodePicture } from '../../../../../src/core/capture/formats/pictures/encode-picture.ts';
import { createEncodeLimit, type EncodeLimit } from '../../../../../src/core/capture/formats/pictures/encode-limit.ts';

const PNG = { name: 'png', quality: 90, keepsAlpha: false, resize: undefined } as const;

describe('encodePicture', () => {
  it('is cancelled when no client waits, and holds the mutex until the work has ended', async () => {
    const limit = createEncodeLimit(1);
    const leaving = new AbortController();
    let hasEnded = false;
    const watched: EncodeLimit = (work, picture) =>
      limit(async () => {
        leaving.abort(new Error('gone'));
        const result = await work();
        hasEnded = true;
        return result;
      }, picture);

    const encoding = encodePicture(await plainPieces(64, 64), PNG, {
      limit: watched,
      signal: leaving.signal,
    });

    await expect(encoding).rejects.toThrow('gone');
    expect(hasEnded).toBe(false);
    await limit(async () => undefined, { isLarge: false, signal: new AbortController().signal });
    expect(hasEnded).toBe(true);
  });

  it.each([
    ['png', 6_000, 6_000, undefined, true],
    ['png', 4_000, 4_000, undefined, false],
    ['avif', 2_000, 2_000, undefined, true],
    ['avif', 1_280, 720, undefined, false],
    ['avif', 4_000, 4_000, 400, false],
    ['webp', 9_000, 9_000, 400, true],
  ] as const)('treats %s of %i x %i, resized to %s, as large: %s', async (name, width, height, to, isLarge) => {
    let requested: unknown;
    const limit: EncodeLimit = async (_work, picture) => {
      requested = picture.isLarge;
      throw new Error('not now');
    };
    const resize = to === undefined ? undefined : { width: to, height: undefined, fit: 'inside' as const };
    const pieces = { pngs: [], across: 1, size: { width, height } };

    await expect(
      encodePicture(pieces, { ...PNG, name, resize }, { limit, signal: new AbortController().signal }),
    ).rejects.toThrow('not now');

    expect(requested).toBe(isLarge);
  });

  it.each([
    ['avif', 4_000],
    ['webp', 4_096],
  ] as const)('stops a large %s when its request ends', async (name, side) => {
    const leaving = new AbortController();
    const works: Promise<unknown>[] = [];
    const limit: EncodeLimit = (work) => {
      const working = work();
      works.push(working);
      return working;
    };
    const pieces = await plainPieces(side, side + 1);

    const encoding = encodePicture(pieces, { ...PNG, name }, { limit, signal: leaving.signal });
    leaving.abort(new Error('gone'));

    await expect(encoding).rejects.toThrow('gone');
    // The encoding itself, which would return a picture if it had continued.
    expect(works).toHaveLength(1);
    await expect(works[0]).rejects.toThrow('gone');
  });

  it('encodes a large avif exactly as a small one', async () => {
    const { signal } = new AbortController();
    const resize = { width: 50, height: undefined, fit: 'inside' as const };
    const encoding = { ...PNG, name: 'avif' as const, resize };

    const [large, small] = await Promise.all(
      [6_000, 600].map(async (side) =>
        encodePicture(await plainPieces(side, side), encoding, { limit: createEncodeLimit(1), signal }),
      ),
    );

    expect(large?.size).toEqual({ width: 50, height: 50 });
    expect(large?.body.equals(small?.body ?? Buffer.alloc(0))).toBe(true);
  });

  it.each([
    [1_280, 720, 1],
    [2_048, 2_048, 1],
    [2_049, 2_048, 0],
    [16_384, 2_176, 0],
  ])('uses less effort for a large avif: %i x %i, effort %i', (width, height, effort) => {
    expect(avifEffort({ width, height })).toBe(effort);
  });

  it.each(['png', 'jpeg', 'webp', 'avif'] as const)('supports every quality from 0 to 100, as %s', async (name) => {
    const { signal } = new AbortController();
    const pieces = await plainPieces(8, 8);

    for (const quality of [0, 1, 100]) {
      const encoding = { ...PNG, name, quality };
      const { body } = await encodePicture(pieces, encoding, { limit: createEncodeLimit(1), signal });
      expect((await sharp(body).metadata()).width).toBe(8);
    }
  });
});

async function plainPieces(width: number, height: number): Promise<Pieces> {
  const png = await sharp({ create: { width, height, channels: 3, background: '#fff' } })
    .png()
    .toBuffer();
  return { pngs: [png], across: 1, size: { width, height } };
}
