import type { RedisCommand, RedisConnection } from '../stores/redis-connection.ts';
import type { RedisLink } from '../stores/redis-link.ts';
import { createMemoryStore } from '../../core/access/memory-limit-store.ts';
import type { LimitStore, Rate } from '../../core/access/rate.ts';

/**
 * The token bucket of `token-bucket.ts` as a Redis script: atomic, with one clock for all instances. Key: the bucket.
 * Arguments: limit, period in milliseconds, and `take` or `give`. Reply: 1 if the token was taken (otherwise 0), the
 * whole tokens left, and the milliseconds until the bucket is full. A full bucket has no key.
 */
const BUCKET_SCRIPT = `
local limit, period = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local capacity = limit * period
local credit = capacity
local saved, since = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%d+)$')
if saved then
  local elapsed = math.min(math.max(now - since, 0), period)
  credit = math.min(capacity, saved + elapsed * limit)
end
local taken = 0
if ARGV[3] == 'give' then
  credit = math.min(capacity, credit + period)
elseif credit >= period then
  credit = credit - period
  taken = 1
end
local fullIn = math.ceil((capacity - credit) / limit)
if fullIn > 0 then
  redis.call('SET', KEYS[1], string.format('%.0f %.0f', credit, now), 'PX', fullIn)
else
  redis.call('DEL', KEYS[1])
end
return {taken, math.floor(credit / period), fullIn}
`;

const PREFIX = 'capture-service:limit';

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
 * Creates a store for one limiter, whose buckets all instances with the same Redis share. Each request takes a token
 * from a bucket of this instance, then from the shared bucket. So floods are refused without a Redis command, and while
 * Redis is unreachable the limit of this instance applies.
 */
export function createRedisLimitStore(
  rate: Rate,
  { link, name, now, monotonicNow = now }: RedisLimitStoreOptions,
): LimitStore {
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
