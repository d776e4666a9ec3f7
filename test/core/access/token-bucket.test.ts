import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Rate } from '../../../src/core/access/rate.ts';
import {
  createBucket,
  giveBack,
  retryAfterSeconds,
  take,
  type Taken,
  type TokenBucket,
} from '../../../src/core/access/token-bucket.ts';

const START_MS = 1_800_000_000_000;
const FIVE_PER_SECOND: Rate = { limit: 5, periodMs: 1_000 };

const anyRate = fc.record({
  limit: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 100_000 })),
  periodMs: fc.oneof(
    fc.constantFrom(1_000, 7_000, 60_000),
    fc.integer({ min: 1, max: 2_678_400 }).map((s) => s * 1_000),
  ),
});
const smallRate = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  periodMs: fc.constantFrom(1_000, 7_000, 60_000),
});
const gapsMs = fc.array(fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 20_000 })), {
  maxLength: 120,
});

describe('take', () => {
  it('accepts exactly N requests at once', () => {
    const taken = takeMany(
      FIVE_PER_SECOND,
      Array.from({ length: 8 }, () => START_MS),
    );

    expect(taken.map(({ allowed }) => allowed)).toEqual([true, true, true, true, true, false, false, false]);
    expect(taken.map(({ remaining }) => remaining)).toEqual([4, 3, 2, 1, 0, 0, 0, 0]);
  });

  it('refills evenly: one token every fifth of a second', () => {
    const offsetsMs = [0, 0, 0, 0, 0, 199, 200, 399, 400];
    const taken = takeMany(
      FIVE_PER_SECOND,
      offsetsMs.map((offset) => START_MS + offset),
    );

    expect(taken.slice(5).map(({ allowed }) => allowed)).toEqual([false, true, false, true]);
  });

  it('reports when the bucket is full again', () => {
    const taken = takeMany(FIVE_PER_SECOND, [START_MS, START_MS, START_MS + 100]);

    expect(taken.map(({ fullAtMs }) => fullAtMs - START_MS)).toEqual([200, 400, 600]);
  });

  it('uses the wait for one token as the retry delay', () => {
    const perMinute: Rate = { limit: 6, periodMs: 60_000 };
    const taken = takeMany(
      perMinute,
      Array.from({ length: 7 }, () => START_MS),
    ).at(-1);

    expect(taken?.allowed).toBe(false);
    expect(retryAfterSeconds(perMinute, taken?.fullAtMs ?? 0, START_MS)).toBe(10);
  });

  it('never accepts more than N + elapsed x N / period in any window', () => {
    fc.assert(
      fc.property(smallRate, gapsMs, (rate, gaps) => {
        const allowedAt = allowedTimes(rate, timesFrom(gaps));

        for (const [first, fromMs] of allowedAt.entries()) {
          for (const [last, toMs] of allowedAt.entries()) {
            if (last < first) continue;
            expect((last - first + 1) * rate.periodMs).toBeLessThanOrEqual(
              rate.limit * rate.periodMs + (toMs - fromMs) * rate.limit,
            );
          }
        }
      }),
    );
  });

  it('accepts at least elapsed x N / period under constant load', () => {
    fc.assert(
      fc.property(smallRate, fc.integer({ min: 1, max: 3 }), (rate, periods) => {
        const stepMs = 10;
        const times = Array.from({ length: (periods * rate.periodMs) / stepMs + 1 }, (_, i) => START_MS + i * stepMs);

        // N at once, then the refill; a token that arrives between two steps is taken at the next one.
        expect(allowedTimes(rate, [...Array<number>(rate.limit).fill(START_MS), ...times]).length).toBe(
          rate.limit + periods * rate.limit,
        );
      }),
      { numRuns: 20 },
    );
  });

  it('accepts a client that has waited retryAfterSeconds, and not a second sooner', () => {
    fc.assert(
      fc.property(anyRate, fc.integer({ min: 0, max: 1_000_000 }), (rate, laterMs) => {
        const empty: TokenBucket = { credit: 0, updatedAtMs: START_MS };
        const refused = take(empty, rate, START_MS + (laterMs % Math.ceil(rate.periodMs / rate.limit)));
        fc.pre(!refused.allowed);
        const nowMs = refused.bucket.updatedAtMs;
        const waitMs = retryAfterSeconds(rate, refused.fullAtMs, nowMs) * 1_000;

        expect(waitMs).toBeGreaterThanOrEqual(1_000);
        expect(take(refused.bucket, rate, nowMs + waitMs).allowed).toBe(true);
        expect(waitMs > 1_000 && take(refused.bucket, rate, nowMs + waitMs - 1_002).allowed).toBe(false);
      }),
    );
  });

  it('contains N tokens again at fullAtMs, and not a millisecond before', () => {
    fc.assert(
      fc.property(anyRate, gapsMs, (rate, gaps) => {
        const taken = takeMany(rate, timesFrom([0, ...gaps])).at(-1);
        fc.pre(taken !== undefined);

        expect(isFull(taken.bucket, rate, taken.fullAtMs)).toBe(true);
        expect(isFull(taken.bucket, rate, taken.fullAtMs - 1)).toBe(false);
        expect(take(taken.bucket, rate, taken.fullAtMs).remaining).toBe(rate.limit - 1);
      }),
    );
  });

  it('neither adds tokens nor blocks a client when the clock is set back', () => {
    const HOUR_MS = 3_600_000;
    const times = [...Array<number>(6).fill(START_MS), START_MS - HOUR_MS, START_MS - HOUR_MS + 200];

    expect(
      takeMany(FIVE_PER_SECOND, times)
        .slice(5)
        .map(({ allowed }) => allowed),
    ).toEqual([false, false, true]);
  });

  it('keeps every number whole and within its range', () => {
    fc.assert(
      fc.property(anyRate, fc.array(fc.integer({ min: -5_000, max: 50_000 })), (rate, gaps) => {
        for (const { bucket, remaining, fullAtMs } of takeMany(rate, timesFrom(gaps))) {
          expect(Number.isSafeInteger(bucket.credit)).toBe(true);
          expect(bucket.credit).toBeGreaterThanOrEqual(0);
          expect(remaining).toBeLessThan(rate.limit);
          expect(fullAtMs - bucket.updatedAtMs).toBeLessThanOrEqual(rate.periodMs);
        }
      }),
    );
  });
});

describe('giveBack', () => {
  it('undoes one take, and never exceeds the capacity', () => {
    const full = createBucket(FIVE_PER_SECOND, START_MS);

    expect(giveBack(take(full, FIVE_PER_SECOND, START_MS).bucket, FIVE_PER_SECOND)).toEqual(full);
    expect(giveBack(full, FIVE_PER_SECOND)).toEqual(full);
  });
});

describe('retryAfterSeconds', () => {
  it.each([
    [{ limit: 5, periodMs: 1_000 }, 1_000, 1],
    [{ limit: 1, periodMs: 60_000 }, 60_000, 60],
    [{ limit: 1, periodMs: 60_000 }, 59_001, 60],
    [{ limit: 1, periodMs: 60_000 }, 59_000, 59],
    [{ limit: 6, periodMs: 60_000 }, 60_000, 10],
    [{ limit: 6, periodMs: 60_000 }, 0, 1],
  ])('of %j, full in %i ms, is %i', (rate, fullInMs, expected) => {
    expect(retryAfterSeconds(rate, START_MS + fullInMs, START_MS)).toBe(expected);
  });
});

function timesFrom(gaps: readonly number[]): number[] {
  let nowMs = START_MS;
  return gaps.map((gap) => (nowMs += gap));
}

function takeMany(rate: Rate, timesMs: readonly number[]): Taken[] {
  let bucket = createBucket(rate, START_MS);
  return timesMs.map((nowMs) => {
    const taken = take(bucket, rate, nowMs);
    bucket = taken.bucket;
    return taken;
  });
}

function allowedTimes(rate: Rate, timesMs: readonly number[]): number[] {
  const taken = takeMany(rate, timesMs);
  return timesMs.filter((_time, index) => taken[index]?.allowed);
}

/** True if the bucket has all its tokens. */
function isFull(bucket: TokenBucket, rate: Rate, nowMs: number): boolean {
  const { allowed, remaining } = take(bucket, rate, nowMs);
  return allowed && remaining === rate.limit - 1;
}
