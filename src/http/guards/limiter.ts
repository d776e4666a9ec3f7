import type { Request, RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';

import { ServiceError } from '../../errors.ts';
import { createMemoryStore, type MemoryStore } from '../../rate-limit/memory-store.ts';
import type { Rate } from '../../rate-limit/rate.ts';
import type { SharedStore } from '../../rate-limit/shared-store.ts';
import { retryAfterSeconds } from '../../rate-limit/token-bucket.ts';
import { addressKey } from '../request/client-name.ts';

interface LimitOptions {
  /** False: every request passes, without headers. */
  readonly enabled: boolean;
  /** Unix milliseconds; the real clock unless a test brings its own. */
  readonly now?: () => number;
  /** Where the buckets are; of this process alone unless one is given. Closed with the limit. */
  readonly store?: MemoryStore | SharedStore;
}

export interface Limit {
  readonly middleware: RequestHandler;
  /** Stops the background timer; safe to call twice. */
  readonly close: () => void;
}

/**
 * The limiter of one route class: a token bucket for each client address. Answers carry X-RateLimit-Limit,
 * -Remaining and -Reset (Unix seconds); a refused request goes to the error handler as RateLimitError.
 */
export function createLimit(rate: Rate, { enabled, now = Date.now, store: given }: LimitOptions): Limit {
  if (!enabled) return { middleware: (_request, _response, next) => next(), close: () => undefined };

  const store = given ?? createMemoryStore(rate, { now });
  const secondsToWait = (request: Request): number => {
    const nowMs = now();
    return retryAfterSeconds(rate, resetTimeMs(request, nowMs), nowMs);
  };

  const middleware = rateLimit({
    limit: rate.limit,
    windowMs: rate.periodMs,
    store,
    legacyHeaders: true,
    standardHeaders: false,
    keyGenerator: ({ ip }) => addressKey(ip),
    retryAfter: secondsToWait,
    handler: (request, _response, next) => {
      next(new ServiceError('RateLimitError', undefined, { retryAfterSeconds: secondsToWait(request) }));
    },
    // Its checks can only print to the console; TRUST_PROXY is checked when the settings are read.
    validate: false,
  });

  return { middleware, close: store.shutdown };
}

/** When the client's bucket is full again, as the library left it on the request just before. */
function resetTimeMs(request: Request, nowMs: number): number {
  // Express's types do not know the property that the library adds.
  const client = 'rateLimit' in request ? request.rateLimit : undefined;
  if (typeof client !== 'object' || client === null || !('resetTime' in client)) return nowMs;
  return client.resetTime instanceof Date ? client.resetTime.getTime() : nowMs;
}
