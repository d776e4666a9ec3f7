import type { Response } from 'express';
import type { Config } from '../../config/settings.ts';
import type { Logger } from '../../log.ts';
import type { Rate } from '../../rate-limit/rate.ts';
import { createMemoryStore } from '../../rate-limit/memory-limit-store.ts';
import { BUCKET_TRIAL, createRedisLimitStore } from '../../rate-limit/redis-limit-store.ts';
import { createOpenRedis } from '../../redis/redis-connection.ts';
import { createRedisLink } from '../../redis/redis-link.ts';
import { contextOf } from '../request/request-context.ts';
import type { GuessLimit } from '../routes/route.ts';
import { createGuessLimit, createLimit, type Limit, type LimitOptions, NO_GUESS_LIMIT } from './limiter.ts';

const REPLY_TIMEOUT_MS = 250; // time limit of Redis, because every request waits for it
const CLOCKS = { now: Date.now, monotonicNow: () => performance.now() };

interface LimitsOptions extends Pick<Config, 'rateLimitEnabled' | 'rateLimitCapture' | 'rateLimitSigned' | 'redisUrl'> {
  readonly log: Logger;
}

export interface Limits {
  readonly capture: Limit['middleware'];
  readonly signed: Limit['middleware'];
  readonly guesses: GuessLimit;
  /** Idempotent. */
  readonly close: () => void;
}

function bucketOfKey(response: Response): string {
  return contextOf(response).key?.id ?? '';
}

/** Creates the limiter of each route class and of keys with their own rate, shared through Redis if there is one. */
export async function createLimits(options: LimitsOptions): Promise<Limits> {
  const { rateLimitEnabled: enabled, rateLimitCapture, rateLimitSigned, redisUrl, log } = options;
  const link =
    enabled && redisUrl !== undefined
      ? await createRedisLink({
          open: createOpenRedis(redisUrl),
          part: 'limits',
          timeoutMs: REPLY_TIMEOUT_MS,
          trial: BUCKET_TRIAL,
          log,
        })
      : undefined;

  const limitOf = (name: string, rate: Rate, bucketOf?: LimitOptions['bucketOf']): Limit => {
    const shared = { enabled, ...(bucketOf && { bucketOf }) };
    if (link === undefined) return createLimit(rate, { ...shared, ...CLOCKS });
    return createLimit(rate, { ...shared, store: createRedisLimitStore(rate, { link, name, ...CLOCKS }) });
  };
  const [capture, signed] = [limitOf('capture', rateLimitCapture), limitOf('signed', rateLimitSigned)];
  // Keys with the same rate share a limiter, with a bucket for each key.
  const ofKeys = new Map<string, Limit>();
  const limitOfKeys = (rate: Rate): Limit => {
    const name = `key-${rate.limit}-${rate.periodMs}`;
    const limit = ofKeys.get(name) ?? limitOf(name, rate, (_request, response) => bucketOfKey(response));
    ofKeys.set(name, limit);
    return limit;
  };
  const orOfKey =
    (limit: Limit): Limit['middleware'] =>
    (request, response, next) => {
      const { rate } = contextOf(response).key ?? {};
      (rate === undefined ? limit : limitOfKeys(rate)).middleware(request, response, next);
    };

  const wrong = enabled ? createMemoryStore(rateLimitCapture, CLOCKS) : undefined;

  return {
    capture: orOfKey(capture),
    signed: orOfKey(signed),
    guesses: wrong === undefined ? NO_GUESS_LIMIT : createGuessLimit(capture.middleware, wrong),
    close: () => {
      for (const limit of [capture, signed, ...ofKeys.values()]) limit.close();
      wrong?.shutdown();
      link?.close();
    },
  };
}
