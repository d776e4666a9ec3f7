import { createOpenRedis, type RedisCommand } from '../stores/redis-connection.ts';
import { createRedisLink, type RedisLink } from '../stores/redis-link.ts';
import { type CaptureCache, contentBytes } from './capture-cache.ts';
import { createMemoryCache, type MemoryCache } from './memory-cache.ts';
import { decodeCapture, encodeCapture } from './capture-codec.ts';
import type { CacheSettings } from './cache-setting.ts';
import type { Config } from '../../core/config/settings.ts';
import type { Logger } from '../../core/ground/log.ts';
import { createGarbageCollector } from '../../core/ground/memory-budget.ts';

const PREFIX = 'capture-service:cache';

/** Commands that test a new connection: this Redis must allow writing and reading, and have room. */
export const CACHE_TRIAL: readonly RedisCommand[] = [
  ['SET', `${PREFIX}:trial`, '1', 'PX', '1000'],
  ['GET', `${PREFIX}:trial`],
];

interface RedisCacheOptions {
  readonly link: RedisLink;
  /** Larger captures are not stored, because all others wait while one is transferred. */
  readonly maxCaptureBytes: number;
  /** Fallback while Redis is unreachable, so that popular pages are not captured for each client. */
  readonly own: MemoryCache;
}

/** A cache in Redis that instances share. Redis decides how much is kept and what is evicted first. */
export function createRedisCache({
  link,
  maxCaptureBytes,
  own,
}: RedisCacheOptions): CaptureCache & Pick<MemoryCache, 'usage'> {
  return {
    usage: own.usage,
    get: async (key) => {
      if (!link.isUp()) return await own.get(key);
      const found = await link.send(['GET', `${PREFIX}:${key}`]);
      return Buffer.isBuffer(found) ? decodeCapture(found) : undefined;
    },
    set: async (key, capture, ttlSeconds) => {
      if (!link.isUp()) return await own.set(key, capture, ttlSeconds);
      if (ttlSeconds <= 0 || contentBytes(capture) > maxCaptureBytes) return;
      const ttlMs = String(Math.floor(ttlSeconds * 1_000));
      await link.send(['SET', `${PREFIX}:${key}`, encodeCapture(capture), 'PX', ttlMs]);
    },
    close: async () => {
      link.close();
      await own.close();
    },
  };
}

// time limit for replies of several megabytes; waiting longer costs more than most captures
const REPLY_TIMEOUT_MS = 1_000;
const MAX_SHARED_BYTES = 16 * 1_048_576;

interface CacheOptions extends CacheSettings, Pick<Config, 'redisUrl'> {
  readonly log: Logger;
}

/** Creates the cache that the settings define. `usage` counts this process only. The caller closes it. */
export async function createCache({
  cacheMaxBytes,
  redisUrl,
  cacheRedisUrl = redisUrl,
  log,
}: CacheOptions): Promise<CaptureCache & Pick<MemoryCache, 'usage'>> {
  const own = createMemoryCache({ maxBytes: cacheMaxBytes, collectGarbage: createGarbageCollector() });
  if (cacheRedisUrl === undefined || cacheMaxBytes === 0) return own;
  // Own connection: a large capture in transfer must not delay rate limits.
  const link = await createRedisLink({
    open: createOpenRedis(cacheRedisUrl),
    part: 'cache',
    timeoutMs: REPLY_TIMEOUT_MS,
    trial: CACHE_TRIAL,
    log,
  });
  return createRedisCache({ link, maxCaptureBytes: Math.min(cacheMaxBytes, MAX_SHARED_BYTES), own });
}
