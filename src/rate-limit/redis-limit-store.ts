import type { ClientRateLimitInfo, Store } from 'express-rate-limit';

import type { RedisCommand, RedisConnection } from '../redis/redis-connection.ts';
import type { RedisLink } from '../redis/redis-link.ts';
import { BUCKET_SCRIPT } from './bucket-script.ts';
import { createMemoryStore } from './memory-limit-store.ts';
import type { Rate } from './rate.ts';

const PREFIX = 'capture-service:limit';

/** An express-rate-limit store whose buckets all instances with the same Redis share. */
export interface RedisLimitStore extends Store {
  readonly increment: (key: string) => Promise<ClientRateLimitInfo>;
  readonly shutdown: () => void;
}

interface RedisLimitStoreOptions {
  readonly link: RedisLink;
  /** The route class. Each has its own buckets. */
  readonly name: string;
  /** Unix milliseconds of this machine. The buckets use the clock of Redis. */
  readonly now: () => number;
  /** Like in `createMemoryStore`. */
  readonly monotonicNow?: () => number;
}

/** Test command for new connections of this store: takes a token like a request. */
export const BUCKET_TRIAL: readonly RedisCommand[] = [bucketCommand(`${PREFIX}:trial`, 1, 1_000, 'take')];

/**
 * Creates a store for one limiter. Each request takes a token from a bucket of this instance, then from the shared
 * bucket. So floods are refused without a Redis command, and while Redis is unreachable the limit of this instance
 * applies.
 */
export function createRedisLimitStore(
  rate: Rate,
  { link, name, now, monotonicNow = now }: RedisLimitStoreOptions,
): RedisLimitStore {
  const own = createMemoryStore(rate, { now, monotonicNow });
  // The key contains the rate, so that instances with different settings, as in a roll-out, don't misread each other's
  // buckets.
  const bucket = (key: string): string => `${PREFIX}:${name}:${rate.limit}/${rate.periodMs}:${key}`;
  const sendCommand = (key: string, action: 'take' | 'give'): ReturnType<RedisConnection['send']> =>
    link.send(bucketCommand(bucket(key), rate.limit, rate.periodMs, action));

  return {
    localKeys: false,

    async increment(key) {
      const here = own.increment(key);
      if (here.totalHits > rate.limit) return here;
      const shared = readReply(await sendCommand(key, 'take'));
      if (shared === undefined) return here;
      if (!shared.taken) own.decrement(key);
      return {
        totalHits: shared.taken ? rate.limit - shared.remaining : rate.limit + 1,
        // Uses the clock of this machine, because clients compare with it.
        resetTime: new Date(now() + shared.fullInMs),
      };
    },

    async decrement(key) {
      own.decrement(key);
      await sendCommand(key, 'give');
    },

    async resetKey(key) {
      own.resetKey(key);
      await link.send(['DEL', bucket(key)]);
    },

    shutdown: own.shutdown,
  };
}

/** Sends the text of the script (1 KB): its hash alone would fail on a server that was restarted or flushed. */
function bucketCommand(key: string, limit: number, periodMs: number, action: 'take' | 'give'): RedisCommand {
  return ['EVAL', BUCKET_SCRIPT, '1', key, String(limit), String(periodMs), action];
}

function readReply(
  reply: unknown,
): { readonly taken: boolean; readonly remaining: number; readonly fullInMs: number } | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [taken, remaining, fullInMs]: readonly unknown[] = reply;
  if (typeof remaining !== 'number' || typeof fullInMs !== 'number') return undefined;
  return { taken: taken === 1, remaining, fullInMs };
}
