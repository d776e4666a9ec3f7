import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createJobId } from '../../../src/parts/jobs/job-id.ts';
import type { JobStore } from '../../../src/parts/jobs/job-store.ts';
import { createHeldJobs } from '../../../src/parts/jobs/redis/bullmq/held-jobs.ts';
import { connectRedis } from '../../../src/parts/jobs/redis/connect.ts';
import { createRedisStore } from '../../../src/parts/jobs/redis/redis-job-store.ts';
import { startSweeping } from '../../../src/parts/jobs/sweep.ts';
import { eventually } from '../../support/eventually.ts';
import { fake } from '../../support/fake.ts';
import { createMemoryStorage } from '../../support/memory-storage.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis.ts';
import { jobResult } from '../../support/stored-capture.ts';

const LIMIT_MB = 6;
const DAY_MS = 86_400_000;

const newJob = (id = createJobId(Date.now())) => ({
  id,
  owner: 'shop',
  capture: { url: 'https://a.test/' },
  origin: '',
});

describe.skipIf(!HAS_REDIS)('a job store whose Redis has little memory (needs redis-server)', () => {
  let redis: TestRedis;
  let store: JobStore;
  beforeEach(async () => {
    redis = await startRedis(['--maxmemory', `${LIMIT_MB}mb`, '--maxmemory-policy', 'noeviction']);
    const client = await connectRedis(redis.url, () => undefined);
    const leases = { jobMs: 60_000, webhookMs: 60_000 };
    store = await createRedisStore({ client, leases, onError: () => undefined, keptMs: 0 });
  });
  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  });

  const runJob = async (): Promise<void> => {
    await store.submit([newJob()]);
    const claim = await store.claim();
    if (claim === undefined) throw new Error('no job to claim');
    expect(await store.finish(claim, jobResult(claim.id))).toBe(true);
  };
  const sweep = () =>
    startSweeping({
      store,
      storage: createMemoryStorage(),
      retentionMs: DAY_MS,
      maxBytes: Number.POSITIVE_INFINITY,
      sendsWebhooks: false,
      log: fake({ warn: () => undefined }),
      everyMs: 50,
    });
  const limitTo = (memory: string) => redis.send(['CONFIG', 'SET', 'maxmemory', memory]);
  let fillers = 0;
  /** Fills the memory with other data. */
  const fill = async (): Promise<void> => {
    for (const size of [100_000, 1_000, 10]) {
      const isStored = async (): Promise<boolean> =>
        (await redis.send(['SET', `other:${fillers++}`, 'x'.repeat(size)]).catch(() => '')) === 'OK';
      while (await isStored());
    }
  };

  it('runs more jobs than fit into it, without a failure', async () => {
    const sweeping = sweep();
    for (let done = 0; done < 2_500; done++) await runJob();
    await sweeping.close();

    expect(await store.counts()).toMatchObject({ queued: 0, running: 0 });
  }, 120_000);

  it('accepts no jobs while it is nearly full, keeps the others, and recovers with room', async () => {
    for (let done = 0; done < 5; done++) await runJob();
    const [kept] = await store.submit([newJob()], { key: 'k', fingerprint: 'f' });
    await fill();

    await eventually(async () => {
      const refused = await store.submit([newJob()]).catch((error: unknown) => error);
      expect(refused).toMatchObject({ type: 'OverloadedError', retryAfterSeconds: 10 });
    });
    // Below what is in use, so that no buffer that is freed meanwhile makes room.
    await limitTo('1mb');
    await expect(store.tidy()).rejects.toThrow('OOM');
    const { old } = await store.findSweepable({ before: 0, maxBytes: Number.POSITIVE_INFINITY, limit: 100 });
    for (const { id } of old) await store.remove(id, 'drop');
    expect(old.length).toBeGreaterThanOrEqual(5);
    expect(await store.get(old[0]?.id ?? '')).toBeUndefined();

    await redis.send([
      'EVAL',
      "for _, key in ipairs(redis.call('KEYS', 'other:*')) do redis.call('DEL', key) end",
      '0',
    ]);
    await limitTo(`${LIMIT_MB}mb`);
    await expect(store.tidy()).resolves.toBe(false);
    await eventually(runJob);
    expect(await store.findSubmitted({ key: 'k', fingerprint: 'f' })).toMatchObject([{ id: kept?.id }]);
  });

  it('marks a job as done again if the first answer was lost, and counts its result once', async () => {
    await store.submit([newJob()]);
    const claim = await store.claim();
    if (claim === undefined) throw new Error('no job to claim');
    const result = jobResult('a', 1_000);

    expect([await store.finish(claim, result), await store.finish(claim, result)]).toEqual([true, true]);
    expect(await store.finish(claim, jobResult('b', 1_000))).toBe(false);
    expect(String(await redis.send(['GET', 'capture-service:jobs:kept-bytes']))).toBe('1000');
  });
});

describe('createHeldJobs', () => {
  it('forgets a job that turns out to be cancelled', async () => {
    const held = createHeldJobs(new Set());
    held.keep('token', fake({}));
    const moves: string[] = [];
    const move = async (): Promise<boolean> => {
      moves.push('move');
      return false;
    };

    expect([await held.use('token', move), await held.use('token', move)]).toEqual([false, false]);
    expect(moves).toHaveLength(1);
  });
});
