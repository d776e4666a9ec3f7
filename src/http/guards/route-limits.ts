import type { Config } from '../../config/settings.ts';
import type { Logger } from '../../log.ts';
import type { Rate } from '../../rate-limit/rate.ts';
import { BUCKET_TRIAL, createRedisLimitStore } from '../../rate-limit/redis-store.ts';
import { createOpenRedis } from '../../redis/redis-connection.ts';
import { createRedisLink } from '../../redis/redis-link.ts';
import { createLimit, type Limit } from './limiter.ts';

const REPLY_TIMEOUT_MS = 250; // time limit of Redis, because every request waits for it
const CLOCKS = { now: Date.now, steadyNow: () => performance.now() };

interface LimitsOptions extends Pick<
  Config,
  'rateLimitEnabled' | 'rateLimitCapture' | 'rateLimitSigned' | 'redisUrl'
> {
  readonly log: Logger;
}

export interface Limits {
  readonly capture: Limit['middleware'];
  readonly signed: Limit['middleware'];
  /** Idempotent. */
  readonly close: () => void;
}

/** Creates the limiter of each route class, shared through Redis if there is one. */
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

  const limitOf = (name: string, rate: Rate): Limit => {
    if (link === undefined) return createLimit(rate, { enabled, ...CLOCKS });
    return createLimit(rate, { enabled, store: createRedisLimitStore(rate, { link, name, ...CLOCKS }) });
  };
  const [capture, signed] = [limitOf('capture', rateLimitCapture), limitOf('signed', rateLimitSigned)];

  return {
    capture: capture.middleware,
    signed: signed.middleware,
    close: () => {
      capture.close();
      signed.close();
      link?.close();
    },
  };
}
