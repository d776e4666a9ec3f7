import type { Rate } from './rate.ts';

/** What one client has left. Immutable: `take` returns the next one. */
export interface TokenBucket {
  /**
   * Tokens multiplied by `periodMs`. In this unit one token costs `periodMs`, one millisecond brings `limit`, and
   * everything stays a whole number: no drift, and no client refused over 0.9999999 of a token.
   */
  readonly credit: number;
  readonly updatedAtMs: number;
}

/** The answer to one request. */
export interface Taken {
  readonly bucket: TokenBucket;
  readonly allowed: boolean;
  /** Whole tokens left. */
  readonly remaining: number;
  /** Unix milliseconds at which the bucket is full again if nothing more is taken. */
  readonly fullAtMs: number;
  /** Whole seconds until one token is there, at least 1; 0 when the request was allowed. */
  readonly retryAfterSeconds: number;
}

/** A full bucket: a client that was not seen before may send `limit` requests at once. */
export function createBucket(rate: Rate, nowMs: number): TokenBucket {
  return { credit: capacity(rate), updatedAtMs: nowMs };
}

/** Takes one token if one is there. */
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
    retryAfterSeconds: allowed ? 0 : retryAfterSeconds(rate, fullAtMs, nowMs),
  };
}

/** Gives one token back, never above the capacity. */
export function giveBack(bucket: TokenBucket, rate: Rate): TokenBucket {
  return { ...bucket, credit: Math.min(capacity(rate), bucket.credit + rate.periodMs) };
}

/** Whether the bucket is full, so that forgetting it changes nothing. */
export function isFull(bucket: TokenBucket, rate: Rate, nowMs: number): boolean {
  return refilled(bucket, rate, nowMs) === capacity(rate);
}

/**
 * Whole seconds, at least 1, until an empty bucket that is full at `fullAtMs` holds one token. Rounded up: a client
 * that waits this long and is alone on its address is let in.
 */
export function retryAfterSeconds(rate: Rate, fullAtMs: number, nowMs: number): number {
  const fromOneTokenToFullMs = ((rate.limit - 1) * rate.periodMs) / rate.limit;
  return Math.max(1, Math.ceil((fullAtMs - nowMs - fromOneTokenToFullMs) / 1_000));
}

function refilled(bucket: TokenBucket, rate: Rate, nowMs: number): number {
  // A clock that is set back brings nothing and costs nothing; `take` goes on from the new time, so that nobody is
  // locked out until the old time comes round again.
  const elapsedMs = Math.max(0, nowMs - bucket.updatedAtMs);
  return Math.min(capacity(rate), bucket.credit + elapsedMs * rate.limit);
}

function capacity(rate: Rate): number {
  return rate.limit * rate.periodMs;
}
