import type { RedisCommand } from '../redis/redis-connection.ts';
import type { RedisLink } from '../redis/redis-link.ts';
import { type CaptureCache, contentBytes } from './capture-cache.ts';
import type { MemoryCache } from './memory-cache.ts';
import { decodeCapture, encodeCapture } from './capture-codec.ts';

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
