import { describe, expect, it } from 'vitest';
import { createBytesDecoder } from '../../../../src/core/browser/pipe/bytes-decoder.ts';
import type { ResultRoom } from '../../../../src/core/browser/pipe/result-buffer.ts';

const MEGABYTE = 1_048_576;

describe('a picture decoder', () => {
  // Twenty unread pictures of 60 MB: the service held 1,024 MB, of which 240 MB were pictures.
  it('reports as garbage all memory that it took but does not keep', () => {
    const { room, garbageBytes } = counting(100 * MEGABYTE);
    const decoder = createBytesDecoder(room);

    const bytes = Buffer.alloc(60 * MEGABYTE, 'picture');
    for (const piece of piecesOf(bytes.toString('base64'))) decoder.add(piece);
    const decoded = decoder.finish();

    expect(decoded.outcome === 'whole' && decoded.bytes.equals(bytes)).toBe(true);
    expect(garbageBytes()).toBeGreaterThan(50 * MEGABYTE);
  });

  it('reports as garbage the bytes before a picture that is too large', () => {
    const { room, garbageBytes } = counting(3 * MEGABYTE);
    const decoder = createBytesDecoder(room);

    for (const piece of piecesOf(Buffer.alloc(5 * MEGABYTE).toString('base64'))) decoder.add(piece);

    expect(decoder.finish().outcome).toBe('too large');
    expect(garbageBytes()).toBeGreaterThanOrEqual(3 * MEGABYTE);
  });

  it('reports no garbage for an ordinary picture', () => {
    const { room, garbageBytes } = counting(100 * MEGABYTE);
    const decoder = createBytesDecoder(room);

    for (const piece of piecesOf(Buffer.alloc(2 * MEGABYTE).toString('base64'))) decoder.add(piece);

    expect(decoder.finish().outcome).toBe('whole');
    expect(garbageBytes()).toBeLessThan(100_000);
  });
});

function counting(maxBytes: number): { readonly room: ResultRoom; readonly garbageBytes: () => number } {
  let garbageBytes = 0;
  const room: ResultRoom = {
    maxBytes,
    take: () => true,
    give: () => undefined,
    addGarbage: (bytes) => {
      garbageBytes += bytes;
    },
  };
  return { room, garbageBytes: () => garbageBytes };
}

function piecesOf(base64: string): readonly Buffer[] {
  const bytes = Buffer.from(base64, 'latin1');
  return Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, index) =>
    bytes.subarray(index * 65_536, (index + 1) * 65_536),
  );
}
