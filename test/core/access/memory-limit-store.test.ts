import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createMemoryStore, type MemoryStore } from '../../../src/core/access/memory-limit-store.ts';

const START_MS = 1_800_000_000_000;
const RATE = { limit: 3, periodMs: 3_000 };

const DAY_MS = 86_400_000;

function disposableStore(clocks: { now: () => number; monotonicNow: () => number }) {
  const store = createMemoryStore(RATE, clocks);
  return { store, [Symbol.dispose]: store.shutdown };
}

describe('createMemoryStore', () => {
  let store: MemoryStore;

  beforeEach(() => {
    vi.useFakeTimers({ now: START_MS });
    store = createMemoryStore(RATE, { now: Date.now, maxKeys: 3 });
  });

  afterEach(() => {
    store.shutdown();
    vi.useRealTimers();
  });

  it('counts so that the library accepts N requests, reports the remaining count, and refuses the next', async () => {
    const hits = [];
    for (let request = 0; request < 5; request += 1) hits.push(store.increment('a').totalHits);

    expect(hits).toEqual([1, 2, 3, 4, 4]);
  });

  it.each([DAY_MS, -DAY_MS])('refills by the monotonic clock when the wall clock jumps by %i ms', (jumpMs) => {
    let [wallMs, monotonicMs] = [START_MS, 0];
    using jumping = disposableStore({ now: () => wallMs, monotonicNow: () => monotonicMs });
    for (let request = 0; request < 3; request++) jumping.store.increment('a');

    wallMs += jumpMs;
    expect(jumping.store.increment('a')).toEqual({ totalHits: 4, resetTime: new Date(wallMs + 3_000) });
    monotonicMs += 1_000;
    expect(jumping.store.increment('a').totalHits).toBe(3);
  });

  it('reports the time when the bucket is full again as the reset time', async () => {
    store.increment('a');
    const second = store.increment('a');

    expect(second.resetTime).toEqual(new Date(START_MS + 2_000));
  });

  it('separates clients', async () => {
    for (let request = 0; request < 4; request += 1) store.increment('a');

    expect(store.increment('b').totalHits).toBe(1);
  });

  it('returns a token on decrement', async () => {
    store.increment('a');
    store.decrement('a');
    store.decrement('never seen');

    expect(store.increment('a').totalHits).toBe(1);
    expect(store.keyCount()).toBe(1);
  });

  it('forgets a client on resetKey', async () => {
    store.increment('a');
    store.resetKey('a');

    expect(store.keyCount()).toBe(0);
  });

  it('removes full buckets in the background and keeps the others', async () => {
    store.increment('early');
    await vi.advanceTimersByTimeAsync(2_900);
    store.increment('late');
    await vi.advanceTimersByTimeAsync(100);

    expect(store.keyCount()).toBe(1);
    expect(store.increment('late').totalHits).toBe(2);
  });

  it('removes the client unseen for longest when there are too many', async () => {
    for (const key of ['a', 'b', 'c', 'a', 'd']) store.increment(key);

    expect(store.keyCount()).toBe(3);
    expect(store.increment('a').totalHits).toBe(3);
    expect(store.increment('b').totalHits).toBe(1);
  });

  it('stops its timer and removes every client on shutdown, and can be shut down twice', async () => {
    store.increment('a');
    store.shutdown();
    store.shutdown();

    expect(store.keyCount()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not keep the process alive', () => {
    vi.useRealTimers();
    const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const real = createMemoryStore(RATE, { now: Date.now });

    // Only timers that are not unref()ed count as active.
    expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length).toBe(before);
    real.shutdown();
  });
});
