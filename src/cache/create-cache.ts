import type { Config } from '../config/settings.ts';
import type { Logger } from '../log.ts';
import { createOpenRedis } from '../redis/redis-connection.ts';
import { createRedisLink } from '../redis/redis-link.ts';
import type { CaptureCache } from './capture-cache.ts';
import { createGarbageCollector } from './collect-garbage.ts';
import { createMemoryCache, type MemoryCache } from './memory-cache.ts';
import { CACHE_TRIAL, createRedisCache } from './redis-cache.ts';

const REPLY_TIMEOUT_MS = 1_000; // time limit for replies of several megabytes; waiting longer costs more than most captures
const MAX_SHARED_BYTES = 16 * 1_048_576;

interface CacheOptions extends Pick<Config, 'cacheMaxBytes' | 'redisUrl'> {
  readonly log: Logger;
}

/** Creates the cache that the settings define. `usage` counts this process only. The caller closes it. */
export async function createCache({
  cacheMaxBytes,
  redisUrl,
  log,
}: CacheOptions): Promise<CaptureCache & Pick<MemoryCache, 'usage'>> {
  const own = createMemoryCache({ maxBytes: cacheMaxBytes, collectGarbage: createGarbageCollector() });
  if (redisUrl === undefined || cacheMaxBytes === 0) return own;
  // Own connection: a large capture in transfer must not delay rate limits.
  const link = await createRedisLink({
    open: createOpenRedis(redisUrl),
    part: 'cache',
    timeoutMs: REPLY_TIMEOUT_MS,
    trial: CACHE_TRIAL,
    log,
  });
  return createRedisCache({ link, maxCaptureBytes: Math.min(cacheMaxBytes, MAX_SHARED_BYTES), own });
}
