import type { RedisCommand } from '../redis/redis-connection.ts';
import type { RedisLink } from '../redis/redis-link.ts';
import type { CaptureCache } from './capture-cache.ts';
import type { MemoryCache } from './memory-cache.ts';
import { decodeCapture, encodeCapture } from './capture-codec.ts';

const PREFIX = 'capture-service:cache';

/** For the link of this cache: it must be let store and read, and have room. */
export const CACHE_TRIAL: readonly RedisCommand[] = [
  ['SET', `${PREFIX}:trial`, '1', 'PX', '1000'],
  ['GET', `${PREFIX}:trial`],
];

interface SharedCacheOptions {
  readonly link: RedisLink;
  /** A larger capture is not kept: for as long as it is on its way, every other one waits. */
  readonly maxCaptureBytes: number;
  /** Used while Redis is away, so that a page that many look at is not captured for each of them. */
  readonly own: MemoryCache;
}

/** A cache in Redis, shared by every instance that asks it. How much is kept, and what goes first, is up to that Redis. */
export function createSharedCache({
  link,
  maxCaptureBytes,
  own,
}: SharedCacheOptions): CaptureCache & Pick<MemoryCache, 'usage'> {
  return {
    usage: own.usage,
    get: async (key) => {
      if (!link.isUp()) return await own.get(key);
      const found = await link.ask(['GET', `${PREFIX}:${key}`]);
      return Buffer.isBuffer(found) ? decodeCapture(found) : undefined;
    },
    set: async (key, capture, ttlSeconds) => {
      if (!link.isUp()) return await own.set(key, capture, ttlSeconds);
      if (ttlSeconds <= 0 || capture.result.body.length > maxCaptureBytes) return;
      const ttlMs = String(Math.floor(ttlSeconds * 1_000));
      await link.ask(['SET', `${PREFIX}:${key}`, encodeCapture(capture), 'PX', ttlMs]);
    },
    close: async () => {
      link.close();
      await own.close();
    },
  };
}
