import type { ClientRateLimitInfo, Store } from 'express-rate-limit';

/** A rate: at most `limit` requests in each period. */
export interface Rate {
  /** Integer, 1 to 100,000. */
  readonly limit: number;
  /** Period in whole milliseconds, one second to 31 days. */
  readonly periodMs: number;
}

/** A store of express-rate-limit for one limiter, which closes it. */
export interface LimitStore extends Store {
  readonly increment: (key: string) => Promise<ClientRateLimitInfo>;
  readonly shutdown: () => void;
}

/** Description of the formats that parseRate accepts, for error messages and the settings table. */
export const RATE_FORM =
  '"N per second" (or minute, hour, day), "N per M seconds", "N/second" or "N/s", ' +
  'with N from 1 to 100000 and a period of at most 31 days';

const RATE =
  /^(?<limit>\d+)\s*(?:per\s+(?:(?<count>\d+)\s+)?(?<word>second|minute|hour|day)s?|\/\s*(?<short>second|minute|hour|day|s|m|h|d))$/i;

const DAY_MS = 24 * 60 * 60 * 1_000;
const UNIT_MS = new Map([
  ['s', 1_000],
  ['m', 60 * 1_000],
  ['h', 60 * 60 * 1_000],
  ['d', DAY_MS],
]);

// Limits that keep limit x period far below 2^53, so that the token bucket can use exact integers.
const MAX_LIMIT = 100_000;
const MAX_PERIOD_MS = 31 * DAY_MS;

/**
 * Parses a rate such as `5 per second`.
 * @throws Error whose message lists the accepted formats
 */
export function parseRate(text: string): Rate {
  const groups = text.trim().match(RATE)?.groups;
  const unit = groups?.['word'] ?? groups?.['short'];
  const unitMs = UNIT_MS.get(unit?.charAt(0).toLowerCase() ?? '');
  const limit = Number(groups?.['limit']);
  const periodMs = Number(groups?.['count'] ?? 1) * (unitMs ?? Number.NaN);

  // NaN, from text that did not match, fails these comparisons too.
  if (!(limit >= 1 && limit <= MAX_LIMIT && periodMs >= 1 && periodMs <= MAX_PERIOD_MS)) {
    throw new Error(`"${text}" is not a rate; write ${RATE_FORM}`);
  }
  return { limit, periodMs };
}
