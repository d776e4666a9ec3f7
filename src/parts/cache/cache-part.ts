import { createCache } from './redis-cache.ts';
import type { CacheState } from './memory-cache.ts';
import { createCaching } from './with-cache.ts';
import type { Config } from '../../core/config/settings.ts';
import type { CacheSettings } from './cache-setting.ts';
import type { Part } from '../../core/part.ts';

/** Answers of earlier captures, in memory or in Redis. */
export const CACHE: Part<{ readonly config: Config & CacheSettings }, CacheState> = {
  open: async ({ config, lifecycle, log, shaping, version }) => {
    const cache = await createCache({ ...config, log });
    lifecycle.onClose({ name: 'cache', timeoutMs: 1_000, close: cache.close });
    const scope = JSON.stringify({ version, ...shaping });
    const { around, find } = createCaching({ cache, scope });
    return { state: { cacheUsage: cache.usage }, around: { cache: around }, ports: { findCached: find } };
  },
};
