const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Time after which a webhook is given up. */
const DAY_MS = 24 * HOUR_MS;

/** Delays that Standard Webhooks 1.0 recommends, up to a day in total. */
const DELAYS_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS];
const LAST_DELAY_MS = 6 * HOUR_MS;
/** Random share of each delay, so that messages that failed together are not retried together. */
const JITTER = 0.1;

interface RetryFacts {
  /** Milliseconds since the first attempt was due. */
  readonly ageMs: number;
  /** The delay that the receiver requests. */
  readonly afterMs?: number | undefined;
}

/**
 * Returns the milliseconds until the next attempt, after this number of failed attempts (from 1). Undefined after a
 * day: give up. Only the time counts, because crashes of the service use up attempts, too.
 */
export function retryDelayMs(attempt: number, { ageMs, afterMs = 0 }: RetryFacts): number | undefined {
  const delayMs = DELAYS_MS[attempt - 1] ?? LAST_DELAY_MS;
  const leftMs = DAY_MS - ageMs;
  if (leftMs <= 0) return undefined;
  const jittered = Math.round(delayMs * (1 - JITTER * Math.random()));
  return Math.min(Math.max(jittered, afterMs), leftMs);
}
