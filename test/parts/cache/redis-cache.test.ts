import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CaptureCache } from '../../../src/parts/cache/capture-cache.ts';
import { createMemoryCache } from '../../../src/parts/cache/memory-cache.ts';
import { CACHE_TRIAL, createRedisCache } from '../../../src/parts/cache/redis-cache.ts';
import { createOpenRedis } from '../../../src/parts/stores/redis-connection.ts';
import { createRedisLink } from '../../../src/parts/stores/redis-link.ts';
import { eventually } from '../../support/eventually.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis.ts';
import { storedCapture } from '../../support/stored-capture.ts';

const KEY = 'capture-service:cache:a';
const capture = storedCapture(Buffer.from('picture'));

describe.skipIf(!HAS_REDIS)('createRedisCache (needs redis-server)', () => {
  let redis: TestRedis;
  let caches: CaptureCache[];
  beforeEach(async () => {
    redis = await startRedis();
    caches = [];
  });
  afterEach(async () => {
    for (const { close } of caches) await close();
    await redis[Symbol.asyncDispose]();
  });

  const cacheOf = async (): Promise<CaptureCache> => {
    const link = await createRedisLink({
      open: createOpenRedis(redis.url),
      part: 'cache',
      timeoutMs: 2_000,
      trial: CACHE_TRIAL,
      log: pino({ level: 'silent' }),
    });
    const own = createMemoryCache({ maxBytes: 1_000_000 });
    const cache = createRedisCache({ link, maxCaptureBytes: 1_000, own });
    caches.push(cache);
    return cache;
  };

  it('gives one instance the captures of another', async () => {
    const [one, other] = [await cacheOf(), await cacheOf()];

    await one.set('a', capture, 60);

    expect(await other.get('a')).toEqual(capture);
    expect(await other.get('b')).toBeUndefined();
  });

  it('lets Redis expire its entries', async () => {
    const cache = await cacheOf();
    await cache.set('a', capture, 60);
    await cache.set('b', capture, 0);

    const ttlMs = Number(await redis.send(['PTTL', KEY]));

    expect(ttlMs).toBeGreaterThan(50_000);
    expect(ttlMs).toBeLessThanOrEqual(60_000);
    expect(await redis.send(['EXISTS', 'capture-service:cache:b'])).toBe(0);
    await redis.send(['PEXPIRE', KEY, '0']);
    expect(await cache.get('a')).toBeUndefined();
  });

  it('does not store a capture that is too large', async () => {
    const cache = await cacheOf();

    await cache.set('a', storedCapture(Buffer.alloc(1_001)), 60);

    expect(await cache.get('a')).toBeUndefined();
  });

  it('treats an unreadable entry as a miss', async () => {
    await redis.send(['SET', KEY, 'something else']);

    expect(await (await cacheOf()).get('a')).toBeUndefined();
  });

  it('falls back to its own memory while Redis is unavailable, and recovers by itself', async () => {
    const cache = await cacheOf();
    await cache.set('a', capture, 60);
    await redis.kill();
    expect(await cache.get('a')).toBeUndefined();

    const meanwhile = storedCapture(Buffer.from('meanwhile'));
    await cache.set('a', meanwhile, 60);
    expect(await cache.get('a')).toEqual(meanwhile);

    await redis.restart();
    await eventually(async () => expect(await cache.get('a')).toBeUndefined());
    await cache.set('a', capture, 60);
    expect(await (await cacheOf()).get('a')).toEqual(capture);
  });
});
