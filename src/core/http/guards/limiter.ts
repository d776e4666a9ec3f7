import type { Request, RequestHandler, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { ServiceError } from '../../ground/errors.ts';
import { createMemoryStore, type MemoryStore } from '../../access/memory-limit-store.ts';
import type { LimitStore, Rate } from '../../access/rate.ts';
import { retryAfterSeconds } from '../../access/token-bucket.ts';
import type { GuessLimit } from '../routes/route.ts';
import { rateLimitKey } from '../request/rate-limit-key.ts';

export interface LimitOptions {
  /** False: every request passes, without rate limit headers. */
  readonly enabled: boolean;
  /** Unix milliseconds. Default: the real clock. */
  readonly now?: () => number;
  /** Milliseconds of a monotonic clock, which refills the buckets. Unset: `now`. */
  readonly monotonicNow?: () => number;
  /** Bucket of a request. Default: that of its client address. */
  readonly bucketOf?: (request: Request, response: Response) => string;
  /** Storage of the buckets, which closing the limiter closes. Default: the memory of this process. */
  readonly store?: MemoryStore | LimitStore;
}

/** A limit that allows any number of guesses, for a service without rate limits. */
export const NO_GUESS_LIMIT: GuessLimit = {
  check: async () => undefined,
  count: (_request, _response, next, error) => next(error),
};

/**
 * Creates the limit for guesses. Only wrong credentials draw from its buckets: those for captures would also refuse the
 * requests of a client that captures as much as it may.
 */
export function createGuessLimit(capture: RequestHandler, store: MemoryStore): GuessLimit {
  const waitBeforeRefusal = createSlowRefusals();
  return {
    check: async ({ ip }, response) => {
      const address = rateLimitKey(ip);
      if (store.secondsToWait(address) === 0) return;
      await waitBeforeRefusal(address, response);
      const retryAfterSeconds = Math.max(1, store.secondsToWait(address));
      throw new ServiceError('RateLimitError', undefined, { retryAfterSeconds });
    },
    count: (request, response, next, error) => {
      store.increment(rateLimitKey(request.ip));
      capture(request, response, (limited: unknown) => next(limited ?? error));
    },
  };
}

export interface Limit {
  readonly middleware: RequestHandler;
  /** Stops the background timer. Idempotent. */
  readonly close: () => void;
}

/**
 * The rate limiter of a route class: a token bucket per client address. Answers have X-RateLimit-Limit,
 * X-RateLimit-Remaining and X-RateLimit-Reset (Unix seconds). A refused request becomes a RateLimitError.
 */
export function createLimit(rate: Rate, options: LimitOptions): Limit {
  const { enabled, now = Date.now, monotonicNow = now, store: given } = options;
  const { bucketOf = ({ ip }) => rateLimitKey(ip) } = options;
  if (!enabled) return { middleware: (_request, _response, next) => next(), close: () => undefined };

  const store = given ?? createMemoryStore(rate, { now, monotonicNow });
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
    keyGenerator: bucketOf,
    retryAfter: secondsToWait,
    handler: (request, _response, next) => {
      next(new ServiceError('RateLimitError', undefined, { retryAfterSeconds: secondsToWait(request) }));
    },
    // Disables the checks of the library, which only print to the console. TRUST_PROXY is validated with the settings.
    validate: false,
  });

  return { middleware, close: store.shutdown };
}

/** Returns the time when the client's bucket is full again, as the library has stored it on the request. */
function resetTimeMs(request: Request, nowMs: number): number {
  // Express's types don't know the property that the library adds.
  const client = 'rateLimit' in request ? request.rateLimit : undefined;
  if (typeof client !== 'object' || client === null || !('resetTime' in client)) return nowMs;
  return client.resetTime instanceof Date ? client.resetTime.getTime() : nowMs;
}

/**
 * Maximum refusals that one address gets in a second. With links of 64 KB, they cost less than a tenth of a processor.
 */
const PER_SECOND = 32;
/** Refusals of one address that may wait, each with the header of its request in memory. */
const MAX_WAITING = 128;
const MAX_WAITING_OF_ALL = 512;

/**
 * Returns a function that waits before a request is refused, so that an address gets its refusals one after the other,
 * however many connections it has. Otherwise a client that guesses could use a whole processor. Resolves at once when
 * the client leaves. A connection with too many waiting requests is closed.
 */
export function createSlowRefusals() {
  const waitingOf = new Map<string, number>();
  let waitingOfAll = 0;

  return async (address: string, response: Response): Promise<void> => {
    const waiting = (waitingOf.get(address) ?? 0) + 1;
    if (waiting > MAX_WAITING || waitingOfAll >= MAX_WAITING_OF_ALL) {
      response.destroy();
      return;
    }
    waitingOf.set(address, waiting);
    waitingOfAll++;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, (waiting * 1_000) / PER_SECOND);
      response.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    waitingOfAll--;
    const left = (waitingOf.get(address) ?? 1) - 1;
    if (left === 0) waitingOf.delete(address);
    else waitingOf.set(address, left);
  };
}
