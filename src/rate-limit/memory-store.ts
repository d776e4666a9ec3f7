import type { ClientRateLimitInfo, Store } from 'express-rate-limit';

import type { Rate } from './rate.ts';
import { createBucket, giveBack, isFull, take, type TokenBucket } from './token-bucket.ts';

/** An express-rate-limit store that answers from token buckets instead of fixed windows. */
export interface MemoryStore extends Store {
  readonly increment: (key: string) => ClientRateLimitInfo;
  readonly decrement: (key: string) => void;
  readonly resetKey: (key: string) => void;
  /** How many clients are remembered now. */
  readonly keyCount: () => number;
  readonly shutdown: () => void;
}

interface MemoryStoreOptions {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** How many clients may be remembered; beyond it the one unseen for longest is forgotten. */
  readonly maxKeys?: number;
}

// About 20 MB. A flood from many addresses must not fill the memory; whoever owns that many has as many full
// buckets anyway, so forgetting one gives nothing away.
const DEFAULT_MAX_KEYS = 100_000;

// A bucket is full one period after its last use at the latest; sweeping more often than this finds little.
const MIN_SWEEP_MS = 1_000;
const MAX_SWEEP_MS = 60_000;

/** A store for one limiter; `shutdown` stops its timer and forgets every client. */
export function createMemoryStore(
  rate: Rate,
  { now, maxKeys = DEFAULT_MAX_KEYS }: MemoryStoreOptions,
): MemoryStore {
  // A Map keeps insertion order; each use inserts anew, so the first key is the one unseen for longest.
  const buckets = new Map<string, TokenBucket>();
  const sweepMs = Math.min(Math.max(rate.periodMs, MIN_SWEEP_MS), MAX_SWEEP_MS);
  const sweep = setInterval(() => dropFull(buckets, rate, now()), sweepMs).unref();

  return {
    localKeys: true,
    keyCount: () => buckets.size,

    increment(key): ClientRateLimitInfo {
      const nowMs = now();
      const taken = take(buckets.get(key) ?? createBucket(rate, nowMs), rate, nowMs);
      buckets.delete(key);
      buckets.set(key, taken.bucket);
      if (buckets.size > maxKeys) dropOldest(buckets);

      // The library refuses when totalHits > limit and reports max(limit - totalHits, 0) as remaining.
      const totalHits = taken.allowed ? rate.limit - taken.remaining : rate.limit + 1;
      return { totalHits, resetTime: new Date(taken.fullAtMs) };
    },

    decrement(key): void {
      const bucket = buckets.get(key);
      if (bucket !== undefined) buckets.set(key, giveBack(bucket, rate));
    },

    resetKey(key): void {
      buckets.delete(key);
    },

    shutdown(): void {
      clearInterval(sweep);
      buckets.clear();
    },
  };
}

function dropFull(buckets: Map<string, TokenBucket>, rate: Rate, nowMs: number): void {
  for (const [key, bucket] of buckets) {
    if (isFull(bucket, rate, nowMs)) buckets.delete(key);
  }
}

function dropOldest(buckets: Map<string, TokenBucket>): void {
  const [oldest] = buckets.keys();
  if (oldest !== undefined) buckets.delete(oldest);
}
