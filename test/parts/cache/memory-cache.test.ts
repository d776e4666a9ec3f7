import { describe, expect, it } from 'vitest';
import { createMemoryCache } from '../../../src/parts/cache/memory-cache.ts';
import { storedCapture } from '../../support/stored-capture.ts';

describe('createMemoryCache', () => {
  it('returns a stored capture until it expires', async () => {
    let nowMs = 5_000;
    const cache = createMemoryCache({ maxBytes: 10_000, now: () => nowMs });
    const capture = storedCapture(Buffer.from('picture'));

    await cache.set('a', capture, 60);

    nowMs += 60_000;
    expect(await cache.get('a')).toEqual(capture);
    expect(await cache.get('b')).toBeUndefined();
    nowMs += 1;
    expect(await cache.get('a')).toBeUndefined();
  });

  it.each([0, -1])('stores nothing for %s seconds', async (ttlSeconds) => {
    const cache = createMemoryCache({ maxBytes: 10_000 });

    await cache.set('a', storedCapture(Buffer.from('picture')), ttlSeconds);

    expect(await cache.get('a')).toBeUndefined();
  });

  it('evicts the least recently used capture when the bytes are used up', async () => {
    const cache = createMemoryCache({ maxBytes: 10_000 });
    const capture = storedCapture(Buffer.alloc(2_000));
    for (const key of ['a', 'b']) await cache.set(key, capture, 60);
    await cache.get('a');

    await cache.set('c', capture, 60);

    const kept = await Promise.all(['a', 'b', 'c'].map((key) => cache.get(key)));
    expect(kept).toEqual([capture, undefined, capture]);
    expect(cache.usage().bytes).toBeLessThanOrEqual(10_000);
  });

  it('does not store a capture larger than the whole cache, and evicts nothing for it', async () => {
    const cache = createMemoryCache({ maxBytes: 10_000 });
    await cache.set('small', storedCapture(Buffer.alloc(10)), 60);

    await cache.set('large', storedCapture(Buffer.alloc(10_000)), 60);

    expect(await cache.get('large')).toBeUndefined();
    expect(cache.usage().entries).toBe(1);
  });

  it('counts captures without bytes, too', async () => {
    const cache = createMemoryCache({ maxBytes: 100_000 });

    for (let index = 0; index < 1_000; index++) await cache.set(`${index}`, storedCapture(Buffer.alloc(0)), 60);

    expect(cache.usage().entries).toBeLessThan(100);
  });

  // A small Buffer is a slice of a slab of kilobytes, which lives as long as its last slice.
  it('retains no memory beyond the bytes of a capture', async () => {
    const cache = createMemoryCache({ maxBytes: 10_000 });
    const slab = Buffer.alloc(100_000, 'x');

    await cache.set('a', storedCapture(slab.subarray(10, 17)), 60);

    const body = (await cache.get('a'))?.captured.file;
    expect(body?.toString()).toBe('xxxxxxx');
    expect(body?.buffer.byteLength).toBe(7);
  });

  it('triggers garbage collection before evicted captures reach a twentieth of its size', async () => {
    let collections = 0;
    const cache = createMemoryCache({ maxBytes: 200_000_000, collectGarbage: () => collections++ });
    const keep = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index++)
        await cache.set(`${index % 5}`, storedCapture(Buffer.alloc(1_000_000)), 60);
      await new Promise((resolve) => setImmediate(resolve));
    };

    await keep(5 + 9); // the first five evict nothing
    expect(collections).toBe(0);
    await keep(1);

    expect(collections).toBe(1);
  });

  it('is empty after close', async () => {
    const cache = createMemoryCache({ maxBytes: 10_000 });
    await cache.set('a', storedCapture(Buffer.from('picture')), 60);

    await cache.close();

    expect(cache.usage()).toEqual({ entries: 0, bytes: 0 });
  });
});
