import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/core/ground/errors.ts';
import { createMemoryUsageStore } from '../../../src/parts/usage/create-usage.ts';
import { createUsage, type ReservedCapture, type Usage } from '../../../src/parts/usage/usage.ts';
import { dayOf } from '../../../src/parts/usage/usage-days.ts';
import type { UsageStore } from '../../../src/parts/usage/usage-store.ts';
import { eventually } from '../../support/eventually.ts';
import { keyWith } from '../../support/key.ts';

const NOON = Date.parse('2026-11-23T12:00:00Z');
const END_OF_MONTH = Date.parse('2026-12-01T00:00:00Z');
const DAY_MS = 86_400_000;
const MONTHLY = keyWith({ quota: { captures: 10, per: 'month' } });
const DAILY = keyWith({ quota: { captures: 2, per: 'day' } });
const CACHING = { etag: '"tag"', capturedAtMs: NOON, ttlSeconds: 60 };
const DOWN = new Error('the store is down');

let store: UsageStore;
let nowMs: number;
let isDown: boolean;
let isReadOnly: boolean;
let lines: { readonly msg: string; readonly reason?: string }[];
let usage: Usage;

beforeEach(async () => {
  [nowMs, isDown, isReadOnly, lines] = [NOON, false, false, []];
  store = await createMemoryUsageStore();
  const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
  usage = createUsage(
    breakable(store),
    log,
    () => nowMs,
    () => nowMs,
  );
});
afterEach(async () => {
  [isDown, isReadOnly] = [false, false];
  await usage.close();
});

/** A store that fails while `isDown`, and whose writes fail while `isReadOnly`. */
function breakable(whole: UsageStore): UsageStore {
  return {
    reserve: unlessDown(whole.reserve, () => isReadOnly),
    standing: unlessDown(whole.standing),
    renew: unlessDown(whole.renew),
    write: unlessDown(whole.write, () => isReadOnly),
    read: unlessDown(whole.read),
    close: whole.close,
  };
}

function unlessDown<Args extends unknown[], T>(
  call: (...args: Args) => Promise<T>,
  isBroken = () => false,
): (...args: Args) => Promise<T> {
  return async (...args) => {
    if (isDown || isBroken()) throw DOWN;
    return await call(...args);
  };
}

/** Makes captures one after the other, until the quota is exceeded. */
async function captureAll(key = MONTHLY): Promise<number> {
  for (let made = 0; made < 100; made += 1) {
    const reserved = await usage.reserve(key).catch(isExceeded);
    if (reserved === undefined) return made;
    await reserved.count(Buffer.alloc(1_000));
  }
  throw new Error('there is no quota');
}

function isExceeded(error: unknown): undefined {
  if (error instanceof ServiceError && error.type === 'QuotaExceededError') return;
  throw error;
}

const reservations = async (count: number, key = MONTHLY): Promise<(ReservedCapture | undefined)[]> =>
  Promise.all(Array.from({ length: count }, () => usage.reserve(key).catch(isExceeded)));

describe('createUsage', () => {
  it('counts captures, and refuses more than the quota until the period ends', async () => {
    expect(await captureAll()).toBe(10);

    const error = await usage.reserve(MONTHLY).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      type: 'QuotaExceededError',
      details: 'The key shop may make 10 captures per month',
      retryAfterSeconds: (END_OF_MONTH - NOON) / 1_000,
    });
    expect(await usage.currentQuota(MONTHLY)).toEqual({
      limit: 10,
      used: 10,
      remaining: 0,
      resetsAtMs: END_OF_MONTH,
    });
    expect(await usage.read('shop', '2026-11-01', '2026-11-30')).toMatchObject([
      { date: '2026-11-23', captures: 10, bytes: 10_000 },
    ]);
  });

  it('starts again with the next day or month', async () => {
    expect(await captureAll(DAILY)).toBe(2);
    nowMs = Date.parse('2026-11-23T23:59:59.999Z');
    expect(await captureAll(DAILY)).toBe(0);
    const nextDay = nowMs + 1;
    expect(usage.recentQuota(DAILY)).toMatchObject({ remaining: 0, resetsAtMs: nextDay });
    nowMs = nextDay;
    expect(await usage.recentQuota(DAILY)).toMatchObject({ remaining: 2, resetsAtMs: nextDay + DAY_MS });
    expect(await captureAll(DAILY)).toBe(2);

    expect(await captureAll(MONTHLY)).toBe(6);
    nowMs = END_OF_MONTH;
    expect(await captureAll(MONTHLY)).toBe(10);
  });

  it('grants exactly 10 of 64 concurrent captures, and gives back those that failed', async () => {
    const granted = (await reservations(64)).filter((reserved) => reserved !== undefined);
    expect(granted).toHaveLength(10);

    await Promise.all(
      granted.map((reserved, index) => (index < 4 ? reserved.giveBack() : reserved.count(Buffer.alloc(1)))),
    );

    expect(await usage.currentQuota(MONTHLY)).toMatchObject({ used: 6, remaining: 4 });
    expect(await captureAll()).toBe(4);
  });

  it('counts a capture for the day of its reservation', async () => {
    const [reserved] = await reservations(1, DAILY);
    nowMs = Date.parse('2026-11-24T00:00:01Z');
    await reserved?.count(Buffer.alloc(1));

    expect(await usage.currentQuota(DAILY)).toMatchObject({ used: 0, remaining: 2 });
    expect(await usage.read('shop', '2026-11-01', '2026-11-30')).toMatchObject([{ date: '2026-11-23' }]);
  });

  it('returns a recent quota without a call of the store, and reads it again after a second', async () => {
    await captureAll();
    isDown = true;
    expect(usage.recentQuota(MONTHLY)).toMatchObject({ used: 10 });
    expect(usage.recentQuota(keyWith())).toBeUndefined();
    isDown = false;
    await store.write({
      id: 'elsewhere',
      changes: [{ key: 'shop', day: '2026-11-23', add: { captures: -3 }, ended: [] }],
    });

    nowMs += 1_001;
    void usage.recentQuota(MONTHLY);
    await new Promise(setImmediate);

    expect(usage.recentQuota(MONTHLY)).toMatchObject({ used: 7, remaining: 3 });
  });

  it.each(['cached', 'failed'] as const)(
    'counts a capture as %s afterwards, once, and not an answer from the cache',
    async (as) => {
      const [reserved] = await reservations(1);
      const file = Buffer.alloc(500);
      await reserved?.count(file);
      // on the day of the reservation, because a negative count would be wrong
      nowMs = Date.parse('2026-11-24T00:00:01Z');

      await usage.countAs(as, MONTHLY, { file, caching: { ...CACHING, isHit: true } });
      expect(await usage.currentQuota(MONTHLY)).toMatchObject({ used: 1 });
      for (let times = 0; times < 2; times++) await usage.countAs(as, MONTHLY, { file });

      expect(await usage.currentQuota(MONTHLY)).toMatchObject({ used: 0, remaining: 10 });
      expect(await usage.read('shop', '2026-11-01', '2026-11-30')).toEqual([
        { date: '2026-11-23', captures: 0, cached: 0, failed: 0, jobs: 0, bytes: 0, [as]: 1 },
      ]);
    },
  );
});

describe('createUsage with captures that the cache keeps', () => {
  // Ten requests whose answers could not be sent made ten captures, which the cache answered afterwards.
  it('does not give them back to the quota', async () => {
    const [reserved] = await reservations(1);
    const file = Buffer.alloc(500);
    await reserved?.count(file);

    await usage.countAs('failed', MONTHLY, { file, caching: { ...CACHING, isHit: false } });

    expect(await usage.currentQuota(MONTHLY)).toMatchObject({ used: 1 });
  });
});

describe('createUsage with cheap answers', () => {
  // A write for each answer from the cache took a third of its time (2026-11-23).
  it('writes their counters together, within a second', async () => {
    const written: number[] = [];
    const write: UsageStore['write'] = async (batch) => {
      written.push(batch.changes.length);
      await store.write(batch);
    };
    const counting = createUsage({ ...store, write, close: async () => undefined }, pino({ level: 'silent' }));

    for (let answers = 0; answers < 100; answers += 1) counting.count('shop', { cached: 1 });
    expect(written).toEqual([]);
    await eventually(() => expect(written).toEqual([1]));

    const today = dayOf(Date.now());
    expect(await store.read('shop', today, today)).toMatchObject([{ cached: 100 }]);
    await counting.close();
  });
});

describe('createUsage while the store fails', () => {
  it('keeps a bounded number of ended reservations, which expire by themselves', async () => {
    const key = keyWith({ quota: { captures: 1_000_000, per: 'month' } });
    const sizes: number[] = [];
    const counting = createUsage(
      {
        ...breakable(store),
        write: async (batch) => {
          if (isDown) throw DOWN;
          sizes.push(...batch.changes.map(({ ended }) => ended.length));
        },
        close: async () => undefined,
      },
      pino({ level: 'silent' }),
    );
    isDown = true;
    for (let n = 0; n < 2_000; n++) void (await counting.reserve(key)).count(Buffer.alloc(1));
    isDown = false;
    await counting.close();

    expect(sizes.length).toBeGreaterThan(0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
  });

  // 30 of 30 captures were made with a quota of 10.
  it('grants no more than is left while it can read and not write, as on a full disk', async () => {
    await captureAll(keyWith({ quota: { captures: 9, per: 'month' } }));
    isReadOnly = true;

    const made = await reservations(1);
    await made[0]?.count(Buffer.alloc(1));
    for (let second = 0; second < 5; second++) {
      nowMs += 1_001;
      await usage.currentQuota(MONTHLY);
      expect(await reservations(1)).toEqual([undefined]);
    }
  });

  it('counts in memory from what it knows, logs it once, and writes it when the store answers', async () => {
    for (const reserved of await reservations(3)) await reserved?.count(Buffer.alloc(1));
    isDown = true;

    const granted = (await reservations(64)).filter((reserved) => reserved !== undefined);
    expect(granted).toHaveLength(7);
    await granted[0]?.giveBack();
    for (const reserved of granted.slice(1)) await reserved.count(Buffer.alloc(1));
    expect(await captureAll()).toBe(1);
    expect(await usage.currentQuota(MONTHLY)).toMatchObject({ used: 10, remaining: 0 });
    expect(lines).toMatchObject([
      { msg: expect.stringContaining('this instance counts in memory'), reason: DOWN.message },
    ]);

    isDown = false;
    usage.count('shop', { cached: 1 });
    await usage.read('shop', '2026-11-23', '2026-11-23');

    expect(await store.standing('shop', '2026-11')).toEqual({ used: 10, held: 0 });
    expect(lines.slice(1)).toMatchObject([{ msg: 'the store of usage and quotas answers again' }]);
  });

  it('gives a StorageError for the usage of days', async () => {
    isDown = true;

    await expect(usage.read('shop', '2026-11-01', '2026-11-30')).rejects.toMatchObject({
      type: 'StorageError',
    });
  });
});
