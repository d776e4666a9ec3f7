import type { Rate } from './rate.ts';

/** Remaining tokens of a client. Sets X-RateLimit-Remaining. Immutable: `take` returns the next bucket. */
export interface TokenBucket {
  /**
   * Tokens multiplied by `periodMs`. In this unit a token costs `periodMs` and each millisecond adds `limit`, so all
   * values are integers without rounding errors.
   */
  readonly credit: number;
  readonly updatedAtMs: number;
}

/** Result of taking a token. */
export interface Taken {
  readonly bucket: TokenBucket;
  readonly allowed: boolean;
  /** Number of whole tokens left (X-RateLimit-Remaining). */
  readonly remaining: number;
  /** Time at which the bucket is full again if nothing more is taken, on the clock of the caller. */
  readonly fullAtMs: number;
}

/** Returns a full bucket: a new client may send `limit` requests at once. */
export function createBucket(rate: Rate, nowMs: number): TokenBucket {
  return { credit: capacity(rate), updatedAtMs: nowMs };
}

/** Takes a token if one is available. */
export function take(bucket: TokenBucket, rate: Rate, nowMs: number): Taken {
  const available = refilled(bucket, rate, nowMs);
  const allowed = available >= rate.periodMs;
  const credit = allowed ? available - rate.periodMs : available;
  const fullAtMs = nowMs + Math.ceil((capacity(rate) - credit) / rate.limit);
  return {
    bucket: { credit, updatedAtMs: nowMs },
    allowed,
    remaining: Math.floor(credit / rate.periodMs),
    fullAtMs,
  };
}

/** Returns a token to the bucket, up to its capacity. */
export function giveBack(bucket: TokenBucket, rate: Rate): TokenBucket {
  return { ...bucket, credit: Math.min(capacity(rate), bucket.credit + rate.periodMs) };
}

/**
 * Returns the seconds, at least 1, until an empty bucket that is full at `fullAtMs` has a token. Rounded up, so that a
 * client that waits this long is allowed.
 */
export function retryAfterSeconds(rate: Rate, fullAtMs: number, nowMs: number): number {
  const fromOneTokenToFullMs = ((rate.limit - 1) * rate.periodMs) / rate.limit;
  return Math.max(1, Math.ceil((fullAtMs - nowMs - fromOneTokenToFullMs) / 1_000));
}

function refilled(bucket: TokenBucket, rate: Rate, nowMs: number): number {
  // If the clock is set back, nothing is added and nothing is lost. `take` continues from the new time, so that no
  // client is locked out until the old time is reached again.
  const elapsedMs = Math.max(0, nowMs - bucket.updatedAtMs);
  return Math.min(capacity(rate), bucket.credit + elapsedMs * rate.limit);
}

function capacity(rate: Rate): number {
  return rate.limit * rate.periodMs;
}
