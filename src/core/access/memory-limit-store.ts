import type { ClientRateLimitInfo, Store } from 'express-rate-limit';
import { LRUCache } from 'lru-cache';

import type { Rate } from './rate.ts';
import { createBucket, giveBack, retryAfterSeconds, take, type TokenBucket } from './token-bucket.ts';

/** An express-rate-limit store with token buckets instead of fixed windows. */
export interface MemoryStore extends Store {
  readonly increment: (key: string) => ClientRateLimitInfo;
  readonly decrement: (key: string) => void;
  readonly resetKey: (key: string) => void;
  /** Returns the seconds until this client has a token, at least 1, or 0 if it has one. Does not take a token. */
  readonly secondsToWait: (key: string) => number;
  /** Number of clients in memory. */
  readonly keyCount: () => number;
  readonly shutdown: () => void;
}

interface MemoryStoreOptions {
  /** Unix milliseconds, for the times that clients see. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock, which refills the buckets. Unset: `now`. */
  readonly monotonicNow?: () => number;
  /** Maximum number of clients in memory. Above it, the least recently seen client is dropped. */
  readonly maxKeys?: number;
}

// Maximum number of clients, about 20 MB. A flood from many addresses must not fill the memory. Dropping a client gives
// an attacker nothing: every new address has a full bucket anyway.
const DEFAULT_MAX_KEYS = 100_000;

// Sweep interval. A bucket is full at most one period after its last use, so sweeping more often finds little.
const MIN_SWEEP_MS = 1_000;
const MAX_SWEEP_MS = 60_000;

/** Creates a store for one limiter. `shutdown` stops its timer and drops all clients. */
export function createMemoryStore(
  rate: Rate,
  { now, monotonicNow = now, maxKeys = DEFAULT_MAX_KEYS }: MemoryStoreOptions,
): MemoryStore {
  const buckets = new LRUCache<string, TokenBucket>({
    maxSize: maxKeys,
    sizeCalculation: () => 1, // `max` would allocate room for all clients at once
    perf: { now: monotonicNow },
    ttlResolution: 0,
  });
  const sweepMs = Math.min(Math.max(rate.periodMs, MIN_SWEEP_MS), MAX_SWEEP_MS);
  const sweep = setInterval(() => buckets.purgeStale(), sweepMs).unref();

  return {
    localKeys: true,
    keyCount: () => buckets.size,

    increment(key): ClientRateLimitInfo {
      const nowMs = monotonicNow();
      const taken = take(buckets.get(key) ?? createBucket(rate, nowMs), rate, nowMs);
      buckets.set(key, taken.bucket, { ttl: taken.fullAtMs - nowMs }); // a full bucket is the same as none

      // The library refuses if totalHits > limit, and reports max(limit - totalHits, 0) as remaining.
      const totalHits = taken.allowed ? rate.limit - taken.remaining : rate.limit + 1;
      return { totalHits, resetTime: new Date(now() + taken.fullAtMs - nowMs) };
    },

    decrement(key): void {
      const bucket = buckets.get(key);
      if (bucket !== undefined) buckets.set(key, giveBack(bucket, rate), { noUpdateTTL: true });
    },

    secondsToWait(key): number {
      const bucket = buckets.get(key);
      const nowMs = monotonicNow();
      const taken = bucket && take(bucket, rate, nowMs);
      return taken?.allowed === false ? retryAfterSeconds(rate, taken.fullAtMs, nowMs) : 0;
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
