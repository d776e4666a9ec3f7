import { createOpenRedis } from '../stores/redis-connection.ts';
import { createRedisLink } from '../stores/redis-link.ts';
import type { Part } from '../../core/part.ts';
import { BUCKET_TRIAL, createRedisLimitStore } from './redis-limit-store.ts';

const REPLY_TIMEOUT_MS = 250; // time limit of Redis, because every request waits for it

/** Rate limits that all instances with the same Redis share. */
export const SHARED_LIMITS: Part<object, object> = {
  open: async ({ config: { rateLimitEnabled, redisUrl }, lifecycle, log }) => {
    if (!rateLimitEnabled || redisUrl === undefined) return { state: {} };
    const link = await createRedisLink({
      open: createOpenRedis(redisUrl),
      part: 'limits',
      timeoutMs: REPLY_TIMEOUT_MS,
      trial: BUCKET_TRIAL,
      log,
    });
    lifecycle.onClose({ name: 'shared limits', timeoutMs: 100, close: async () => link.close() });
    const clocks = { now: Date.now, monotonicNow: () => performance.now() };
    return {
      state: {},
      ports: { sharedStore: (name, rate) => createRedisLimitStore(rate, { link, name, ...clocks }) },
    };
  },
};
