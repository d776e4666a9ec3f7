import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createJobId } from '../../../src/parts/jobs/job-id.ts';
import type { NewJob } from '../../../src/parts/jobs/job.ts';
import type { JobStore } from '../../../src/parts/jobs/job-store.ts';
import { connectRedis } from '../../../src/parts/jobs/redis/connect.ts';
import { KEYS, ownedKey } from '../../../src/parts/jobs/redis/redis-keys.ts';
import { createRedisStore } from '../../../src/parts/jobs/redis/redis-job-store.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis.ts';
import { idsOf, jobResult } from '../../support/stored-capture.ts';

const DAY_MS = 86_400_000;

describe.skipIf(!HAS_REDIS)('additional job data in Redis (needs redis-server)', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => redis[Symbol.asyncDispose]());
  beforeEach(async () => void (await redis.send(['FLUSHALL'])));

  const open = async (): Promise<JobStore> => {
    const client = await connectRedis(redis.url, () => undefined);
    const leases = { jobMs: 60_000, webhookMs: 60_000 };
    return await createRedisStore({ client, leases, onError: () => undefined });
  };
  const leave = async (id: string): Promise<void> => {
    await redis.send(['HSET', KEYS.captures, id, '{"url":"https://example.com/"}']);
  };

  it('is deleted after the job has ended, even after a crash', async () => {
    await using store = await open();
    await store.tidy(); // there is nothing to tidy
    const [done, failed, cancelled, running, waiting, young, old] = [
      newJob(),
      newJob(),
      newJob(),
      newJob(),
      newJob(),
      newJob(),
      newJob(Date.now() - DAY_MS - 1_000),
    ];
    await store.submit([done, failed, cancelled, running, waiting]);
    const claims = [await store.claim(), await store.claim()];
    await store.cancel(cancelled.id);
    await store.claim();
    if (claims[0]) await store.finish(claims[0], jobResult(done.id));
    if (claims[1]) await store.fail(claims[1], { type: 'NavigationError', message: 'no' });
    for (const { id } of [done, failed, cancelled, young, old]) await leave(id);

    await store.tidy();

    // The client may submit a missing young job again with the same key.
    const left = await redis.send(['HKEYS', KEYS.captures]);
    expect([left].flat().map(String).toSorted()).toEqual([running.id, waiting.id, young.id].toSorted());
  });

  // A key with few jobs would read all jobs of another key.
  it('lists the jobs of one owner with as many commands as it has jobs', async () => {
    await using store = await open();
    const [id = ''] = await idsOf(store.submit([{ ...newJob(), owner: 'shop' }]));
    for (let n = 0; n < 5; n++) await store.submit(Array.from({ length: 100 }, () => ({ ...newJob(), owner: 'blog' })));

    const before = await countCommands(redis);
    const { jobs, next } = await store.list('queued', { limit: 50, owner: 'shop' });
    const commands = (await countCommands(redis)) - before;

    expect([jobs.map((job) => job.id), next]).toEqual([[id], undefined]);
    expect(commands).toBeLessThan(20);
  });

  it('skips jobs that a crash left in the set of another state, and still fills the page', async () => {
    await using store = await open();
    const ids = await idsOf(store.submit(Array.from({ length: 9 }, () => ({ ...newJob(), owner: 'shop' }))));
    const newest = ids.toReversed();
    for (const id of newest.slice(0, 5)) await redis.send(['ZADD', ownedKey('shop', 'done'), '0', id]);
    for (let n = 0; n < 3; n++) {
      const claim = await store.claim();
      if (claim) await store.finish(claim, jobResult(claim.id));
    }
    for (const id of ids.slice(0, 3)) await redis.send(['ZADD', ownedKey('shop', 'queued'), '0', id]);

    const done = await store.list('done', { limit: 2, owner: 'shop' });
    const more = await store.list('done', { limit: 2, owner: 'shop', cursor: done.next ?? '' });
    const queued = await store.list('queued', { limit: 9, owner: 'shop' });

    expect([...done.jobs, ...more.jobs].map(({ id }) => id)).toEqual(newest.slice(6));
    expect([done.jobs.length, more.next]).toEqual([2, undefined]);
    expect(queued.jobs.map(({ id }) => id)).toEqual(newest.slice(0, 6));
  });

  it('is empty when all jobs are deleted', async () => {
    await using store = await open();
    const hooked = Array.from({ length: 7 }, () => ({
      ...newJob(),
      owner: 'shop',
      webhookUrl: 'https://example.com/hook',
    }));
    const ids = await idsOf(store.submit(hooked, { key: 'k', fingerprint: 'f' }));
    const claims = [await store.claim(), await store.claim(), await store.claim(), await store.claim()];
    const [done, failed, given, running] = claims;
    if (done) await store.finish(done, jobResult(done.id));
    if (failed) await store.fail(failed, { type: 'NavigationError', message: 'no' });
    if (given) await store.giveBack(given);
    if (running) await store.retry(running, { type: 'NavigationError', message: 'no' }, 60_000);
    for (const id of ids.slice(2)) await store.cancel(id);
    const first = await store.claimWebhook();
    if (first) await store.endWebhook(first);

    const { old } = await store.findSweepable({ before: Date.now() + 1, maxBytes: Infinity, limit: 100 });
    for (const { id } of old) await store.remove(id, 'drop');
    await store.tidy();
    expect([await store.claim(), await store.claimWebhook()]).toEqual([undefined, undefined]);

    const keys = [await redis.send(['KEYS', '*'])].flat().map(String);
    expect(old).toHaveLength(7);
    expect(keys.filter((key) => ids.some((id) => key.includes(id)))).toEqual([]);
    const kinds = await Promise.all(keys.map(async (key) => [key, String(await redis.send(['TYPE', key]))]));
    const expected = /:(meta|events|marker|stalled-check|trial|id|kept-bytes)$|:idempotency:/;
    expect(kinds.filter(([key = '']) => !expected.test(key))).toEqual([]);
    expect(Number(await redis.send(['GET', KEYS.keptBytes]))).toBe(0);
  });
});

async function countCommands({ send }: TestRedis): Promise<number> {
  return Number(/total_commands_processed:(\d+)/.exec(String(await send(['INFO', 'stats'])))?.[1]);
}

function newJob(atMs = Date.now()): NewJob {
  return {
    id: createJobId(atMs),
    capture: { url: 'https://example.com/' },
    origin: 'http://localhost:8080',
  };
}
