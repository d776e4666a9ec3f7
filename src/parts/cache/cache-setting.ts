import { z } from 'zod';
import { parseRedisUrl, wholeNumber } from '../../core/config/parsers.ts';
import { type ConfigOf, setting } from '../../core/config/setting.ts';

/** Settings of the cache. */
export const CACHE_SETTINGS = {
  cacheRedisUrl: setting('CACHE_REDIS_URL', {
    form: 'redis://[[user]:password@]host[:port][/database], or rediss:// for TLS',
    schema: z.string().transform(parseRedisUrl),
    meaning:
      'Redis for the cache alone. It may evict, while that of REDIS_URL must not: jobs, locks and idempotency keys are there. Default: REDIS_URL',
    secret: true,
  }),
  cacheMaxBytes: setting('CACHE_MAX_BYTES', {
    ...wholeNumber(0, 1_099_511_627_776),
    default: '104857600',
    meaning:
      'Memory for cached answers, in bytes. The least recently used are dropped first. With REDIS_URL, answers are cached there, and in memory only while Redis is unreachable. 0: no caching',
  }),
};

export type CacheSettings = ConfigOf<typeof CACHE_SETTINGS>;
