import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/core/access/memory-limit-store.ts';
import type { Rate } from '../../../src/core/access/rate.ts';
import { BUCKET_TRIAL, createRedisLimitStore } from '../../../src/parts/shared-limits/redis-limit-store.ts';
import type { LimitStore } from '../../../src/core/access/rate.ts';
import { createOpenRedis } from '../../../src/parts/stores/redis-connection.ts';
import { createRedisLink, type RedisLink } from '../../../src/parts/stores/redis-link.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis.ts';

/** Refills so slowly that no token returns during a test. */
const RATE: Rate = { limit: 5, periodMs: 24 * 3_600_000 };

describe.skipIf(!HAS_REDIS)('createRedisLimitStore (needs redis-server)', () => {
  let redis: TestRedis;
  let links: RedisLink[];
  let stores: LimitStore[];

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());
  beforeEach(async () => {
    links = [];
    stores = [];
    await redis.send(['FLUSHALL', 'SYNC']);
  });
  afterEach(() => {
    for (const { shutdown } of stores) shutdown();
    for (const { close } of links) close();
  });

  const storeOf = async (rate = RATE, name = 'capture', url = redis.url): Promise<LimitStore> => {
    const link = await createRedisLink({
      open: createOpenRedis(url),
      part: 'limits',
      timeoutMs: 2_000,
      trial: BUCKET_TRIAL,
      log: pino({ level: 'silent' }),
    });
    const store = createRedisLimitStore(rate, { link, name, now: Date.now });
    links.push(link);
    stores.push(store);
    return store;
  };

  const bucketKey = async (): Promise<string> => String((await keys())[0]);
  const keys = async (): Promise<unknown[]> => {
    const found: unknown = await redis.send(['KEYS', '*:capture:*']);
    return Array.isArray(found) ? found : [];
  };

  it('answers like the memory store', async () => {
    const shared = await storeOf();
    const memory = createMemoryStore(RATE, { now: Date.now });

    for (let request = 0; request < 7; request += 1) {
      const [expected, given] = [memory.increment('a'), await shared.increment('a')];
      expect(given.totalHits).toBe(expected.totalHits);
      const [one, other] = [Number(given.resetTime), Number(expected.resetTime)];
      expect(Math.abs(one - other)).toBeLessThan(5_000);
    }
    memory.shutdown();
  });

  it('accepts exactly N of many concurrent requests across instances', async () => {
    const instances = [await storeOf(), await storeOf(), await storeOf()];

    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, sent) => instances[sent % 3]?.increment('a')),
    );

    expect(answers.filter((answer) => (answer?.totalHits ?? 0) <= RATE.limit)).toHaveLength(RATE.limit);
  });

  it('separates clients, route classes and rates', async () => {
    const store = await storeOf();
    for (let request = 0; request < 6; request += 1) await store.increment('a');
    const others = [await storeOf(RATE, 'signed'), await storeOf({ ...RATE, limit: 6 })];

    expect((await store.increment('b')).totalHits).toBe(1);
    for (const other of others) expect((await other.increment('a')).totalHits).toBe(1);
  });

  it('refills exactly, by the clock of Redis', async () => {
    const rate = { limit: 3, periodMs: 3_000_000 };
    await (await storeOf(rate)).increment('a');
    const nowMs = await redisNowMs();
    // Empty 2,900,000 ms ago: two tokens are available, and the third 100 s later, however busy the machine is.
    await redis.send(['SET', await bucketKey(), `0 ${nowMs - 2_900_000}`, 'KEEPTTL']);

    const answer = await (await storeOf(rate)).increment('a');

    expect(answer.totalHits).toBe(2);
    expect(Math.abs(Number(answer.resetTime) - Date.now() - 1_100_000)).toBeLessThan(60_000);
  });

  it('neither adds nor removes tokens when the clock of Redis is set back', async () => {
    await (await storeOf()).increment('a');
    const nowMs = await redisNowMs();
    await redis.send(['SET', await bucketKey(), `${2 * RATE.periodMs} ${nowMs + 3_600_000}`, 'KEEPTTL']);

    expect((await (await storeOf()).increment('a')).totalHits).toBe(4);
    const [, updatedAtMs] = String(await redis.send(['GET', await bucketKey()])).split(' ');
    expect(Number(updatedAtMs)).toBeLessThan(nowMs + 60_000);
  });

  it('lets a full bucket expire, and counts the largest rates exactly', async () => {
    const largest = { limit: 100_000, periodMs: 31 * 24 * 3_600_000 };
    const store = await storeOf(largest);

    const first = await store.increment('a');
    const second = await store.increment('a');

    expect([first.totalHits, second.totalHits]).toEqual([1, 2]);
    const ttlMs = Number(await redis.send(['PTTL', await bucketKey()]));
    expect(ttlMs).toBeGreaterThan(1);
    expect(ttlMs).toBeLessThanOrEqual(2 * 26_784);
    expect(String(await redis.send(['GET', await bucketKey()]))).toMatch(/^2678\d{11} \d{13}$/);
  });

  it('returns a token on decrement and forgets a client on resetKey', async () => {
    const store = await storeOf();
    await store.increment('a');
    await store.increment('a');
    await store.decrement('a');
    expect((await store.increment('a')).totalHits).toBe(2);

    await store.resetKey('a');
    expect(await keys()).toEqual([]);
  });

  it.each([
    ['SCRIPT FLUSH SYNC', () => redis.send(['SCRIPT', 'FLUSH', 'SYNC'])],
    ['SCRIPT FLUSH ASYNC', () => redis.send(['SCRIPT', 'FLUSH', 'ASYNC'])],
  ])('shares its buckets after %s, without a new connection', async (_, flush) => {
    const [one, other] = [await storeOf(), await storeOf()];
    await one.increment('a');

    await flush();

    expect((await other.increment('a')).totalHits).toBe(2);
    expect((await one.increment('a')).totalHits).toBe(3);
    expect(links.map(({ isUp }) => isUp())).toEqual([true, true]);
  });

  it('applies the limit of this instance while Redis is unavailable, and remembers accepted requests', async () => {
    await using other = await startRedis();
    const store = await storeOf(RATE, 'capture', other.url);
    for (let request = 0; request < 3; request += 1) await store.increment('a');
    await other.kill();

    const hits = [];
    for (let request = 0; request < 4; request += 1) hits.push((await store.increment('a')).totalHits);

    expect(hits).toEqual([4, 5, 6, 6]);
  });

  it('does not charge this instance for the requests of another', async () => {
    const [busy, quiet] = [await storeOf(), await storeOf()];
    for (let request = 0; request < 5; request += 1) await busy.increment('a');
    for (let request = 0; request < 9; request += 1) {
      expect((await quiet.increment('a')).totalHits).toBe(RATE.limit + 1);
    }
    await redis.send(['FLUSHALL', 'SYNC']);

    expect((await quiet.increment('a')).totalHits).toBe(1);
  });

  async function redisNowMs(): Promise<number> {
    const time: unknown = await redis.send(['TIME']);
    return Array.isArray(time) ? Number(String(time[0])) * 1_000 : Number.NaN;
  }
});
