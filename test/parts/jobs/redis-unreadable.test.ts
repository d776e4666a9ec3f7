import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createJobId } from '../../../src/parts/jobs/job-id.ts';
import type { NewJob } from '../../../src/parts/jobs/job.ts';
import type { JobStore } from '../../../src/parts/jobs/job-store.ts';
import { connectRedis } from '../../../src/parts/jobs/redis/connect.ts';
import { createRedisStore } from '../../../src/parts/jobs/redis/redis-job-store.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis.ts';
import { idsOf } from '../../support/stored-capture.ts';

const WORK = 'capture-service:jobs:work';
const BAD = '{"secret":"hidden-word"';

describe.skipIf(!HAS_REDIS)('an unreadable record in Redis (needs redis-server)', () => {
  let redis: TestRedis;
  let reported: string[];
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => redis[Symbol.asyncDispose]());
  beforeEach(async () => {
    await redis.send(['FLUSHALL']);
    reported = [];
  });

  const open = async (): Promise<JobStore> => {
    const client = await connectRedis(redis.url, () => undefined);
    return await createRedisStore({
      client,
      leases: { jobMs: 60_000, webhookMs: 60_000 },
      onError: () => undefined,
      onUnreadable: ({ id, reason }) => {
        expect(reason).not.toContain('hidden-word');
        reported.push(id);
      },
    });
  };

  it.each([
    ['data that is not JSON', (id: string) => ['HSET', `${WORK}:${id}`, 'data', BAD]],
    ['data of another version', (id: string) => ['HSET', `${WORK}:${id}`, 'data', '{"version":9}']],
    ['missing fields', (id: string) => ['HDEL', `${WORK}:${id}`, 'data', 'name', 'opts', 'timestamp']],
  ])('is reported once with its id and stops no claim, list or sweep: %s', async (_, damage) => {
    await using store = await open();
    const [bad, good] = [newJob(), newJob()];
    await store.submit([bad, good]);
    await redis.send(damage(bad.id));

    const { jobs } = await store.list('queued', { limit: 50 });
    expect(jobs.map(({ id }) => id)).toEqual([good.id]);
    await expect(store.get(bad.id)).rejects.toThrow('cannot be read');

    const claim = await store.claim();
    expect(claim?.id).toBe(good.id);
    if (claim) await store.fail(claim, { type: 'NavigationError', message: 'no' });
    await store.tidy();
    const { old } = await store.findSweepable({ before: Date.now() + 1, maxBytes: 0, limit: 1 });
    expect(old.map(({ id }) => id)).toEqual([good.id]);
    await store.remove(good.id);
    expect(await store.get(good.id)).toBeUndefined();
    expect(reported).toEqual([bad.id]);
  });

  it.each(['captures', 'cancelled'])('does not stop other records if it is in %s', async (place) => {
    await using store = await open();
    const [bad, good] = [newJob(), newJob()];
    await store.submit([bad, good]);
    if (place === 'cancelled') await store.cancel(bad.id);
    await redis.send(['HSET', `capture-service:jobs:${place}`, bad.id, BAD]);

    expect((await store.claim())?.id).toBe(good.id);
    const state = place === 'cancelled' ? 'cancelled' : 'failed';
    expect((await store.list(state, { limit: 50 })).jobs.map(({ id }) => id)).toEqual(
      place === 'cancelled' ? [] : [bad.id],
    );
    expect(reported).toEqual([bad.id]);
  });

  it.each(['[]', '{"path":"~jobs/a.png"}', BAD])(
    'does not stop the checks of other files if it is a pending file: %s',
    async (text) => {
      await using store = await open();
      const recordedAt = Date.now();
      for (const path of ['~jobs/a.png', '~jobs/b.png', '~jobs/c.png'])
        await store.recordFile({ path, jobId: 'j', attempt: 1, recordedAt }, 0);
      await redis.send(['HSET', 'capture-service:jobs:files', '~jobs/a.png', text]);

      const found = [await store.dueFiles(1), await store.dueFiles(1), await store.dueFiles(10)];

      expect(found.map((files) => files.map(({ path }) => path))).toEqual([
        ['~jobs/b.png'],
        ['~jobs/b.png'],
        ['~jobs/b.png', '~jobs/c.png'],
      ]);
      expect(reported).toEqual(['file ~jobs/a.png']);
    },
  );

  it('is replaced if it is an idempotency key', async () => {
    await using store = await open();
    await store.submit([newJob()], { key: 'k', fingerprint: 'f' });
    const [key] = [await redis.send(['KEYS', '*:idempotency:*'])].flat();
    await redis.send(['SET', String(key), BAD]);
    const job = newJob();

    expect(await idsOf(store.submit([job], { key: 'k', fingerprint: 'f' }))).toEqual([job.id]);
    expect(await idsOf(store.submit([newJob()], { key: 'k', fingerprint: 'f' }))).toEqual([job.id]);
    expect(reported).toEqual(['idempotency key']);
  });
});

function newJob(): NewJob {
  const capture = { url: 'https://example.com/' };
  return { id: createJobId(Date.now()), capture, origin: 'http://localhost:8080' };
}
