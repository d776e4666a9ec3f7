import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createJobId } from '../../../src/parts/jobs/job-id.ts';
import type { NewJob } from '../../../src/parts/jobs/job.ts';
import type { JobStore } from '../../../src/parts/jobs/job-store.ts';
import { connectRedis } from '../../../src/parts/jobs/redis/connect.ts';
import { CONFIRM_MS } from '../../../src/parts/jobs/redis/redis-keys.ts';
import { createRedisStore } from '../../../src/parts/jobs/redis/redis-job-store.ts';
import { eventually } from '../../support/eventually.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis.ts';
import { type Relay, startRelay } from '../../support/relay.ts';
import { idsOf, jobResult } from '../../support/stored-capture.ts';

const SECRET = 'hidden-word';
const EMPTY = { queued: 0, running: 0, webhooks: 0 };
const leases = { jobMs: 60_000, webhookMs: 60_000 };

describe.skipIf(!HAS_REDIS)('a job store whose Redis loses data (needs redis-server)', () => {
  let folder: string;
  let redis: TestRedis;
  let store: JobStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'redis-forgets-'));
    redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always', '--dir', folder]);
    store = await open(redis.url);
    await store.submit([newJob()]);
  });
  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const stored = async (): Promise<string> => {
    const keys = [await redis.send(['KEYS', '*'])].flat().map(String);
    const hashes = ['captures', 'prepared', 'cancelled'].map((name) => `capture-service:jobs:${name}`);
    const values = await Promise.all(hashes.map((hash) => redis.send(['HGETALL', hash])));
    return [...keys, ...values.flat().map(String)].join('\n');
  };
  const back = (): Promise<unknown> => eventually(() => store.counts());

  it.each([
    ['a restart', () => redis.restart().then(back)],
    ['SCRIPT FLUSH', () => redis.send(['SCRIPT', 'FLUSH', 'SYNC'])],
    ['FLUSHALL and SCRIPT FLUSH', () => redis.send(['FLUSHALL']).then(() => redis.send(['SCRIPT', 'FLUSH']))],
  ])('accepts jobs with and without webhooks after %s, and hands them out', async (_, forget) => {
    await forget();
    const before = (await store.counts()).queued;

    const jobs = [newJob(), newJob({ webhookUrl: 'https://example.com/hook' }), newJob()];
    const ids = await idsOf(store.submit(jobs));
    const again = await idsOf(store.submit(jobs.slice(0, 1), { key: 'k', fingerprint: 'f' }));

    expect(ids).toEqual(jobs.map(({ id }) => id));
    expect(again).toEqual(ids.slice(0, 1));
    const claims = await Promise.all(Array.from({ length: before + 3 }, () => store.claim()));
    expect(claims.map((claim) => claim?.id)).toEqual(expect.arrayContaining([...ids]));
  });

  it.each([
    ['full', 'OOM', ['maxmemory', '1'], ['maxmemory', '0']],
    ['missing its required replicas', 'NOREPLICAS', ['min-replicas-to-write', '1'], ['min-replicas-to-write', '0']],
  ])('stores nothing of a submission that Redis refused because it is %s', async (_, reason, on, off) => {
    await redis.send(['CONFIG', 'SET', ...on]);
    const refused = newJob({ webhookUrl: 'https://example.com/hook' });

    await expect(store.submit([refused])).rejects.toThrow(reason);
    await expect(store.submit([refused, newJob()], { key: 'k', fingerprint: 'f' })).rejects.toThrow(reason);
    await expect(store.counts()).rejects.toThrow(reason);
    await redis.send(['CONFIG', 'SET', ...off]);

    expect(await stored()).not.toContain(refused.id);
    expect(await idsOf(store.submit([refused], { key: 'k', fingerprint: 'other' }))).toEqual([refused.id]);
    expect(await store.counts()).toMatchObject({ queued: 2 });
  });

  it('accepts jobs again after a failover, although its connection stays with the replica', async () => {
    await using second = await startRedis();
    await using relay = await startRelay(redis.url);
    await using moved = await open(relay.url);
    await moved.submit([newJob()]);

    await redis.send(['REPLICAOF', '127.0.0.1', '1']);
    await expect(moved.submit([newJob()])).rejects.toThrow('READONLY');
    await expect(moved.counts()).rejects.toThrow('READONLY');
    relay.leadTo(second.url);

    const [id] = await eventually(async () => {
      await moved.claim();
      return await idsOf(moved.submit([newJob()]));
    });
    expect(await moved.counts()).toMatchObject({ queued: 1 });
    expect(await moved.claim()).toMatchObject({ id });
  });

  it.each(['lose', 'pass and lose'] as const)(
    'never runs a submission that was refused because its acknowledgement was lost: %s',
    async (decision) => {
      await using relay = await startRelay(redis.url);
      await using far = await open(relay.url);
      await store.claim();
      const refused = [newJob({ webhookUrl: 'https://example.com/hook' }), newJob()];

      loseAt(relay, refused[0] ?? newJob(), 1, decision);
      await expect(far.submit(refused, { key: 'k', fingerprint: 'f' })).rejects.toThrow(/socket/i);

      expect(await store.claim()).toBeUndefined();
      await eventually(async () => {
        for (const { id } of refused) expect(await stored()).not.toContain(id);
      });
      expect(await store.counts()).toEqual({ ...EMPTY, running: 1 });
      const again = newJob();
      expect(await idsOf(store.submit([again], { key: 'k', fingerprint: 'other' }))).toEqual([again.id]);
    },
  );

  it.each([undefined, { key: 'k', fingerprint: 'f' }])(
    'never runs a submission that was refused because Redis hung: key %j',
    async (idempotency) => {
      await store.claim();
      const refused = newJob({ webhookUrl: 'https://example.com/hook' });

      redis.freeze();
      const answer = store.submit([refused], idempotency);
      await expect(answer).rejects.toThrow('no answer in time');
      redis.thaw();

      expect(await store.claim()).toBeUndefined();
      await eventually(async () => expect(await stored()).not.toContain(refused.id));
    },
  );

  it.each(['lose', 'pass and lose'] as const)(
    'runs an accepted submission whose confirmation was lost: %s',
    async (decision) => {
      await using relay = await startRelay(redis.url);
      await using far = await open(relay.url);
      await store.claim();
      const accepted = newJob();

      loseAt(relay, accepted, 2, decision);
      expect(await idsOf(far.submit([accepted], { key: 'k', fingerprint: 'f' }))).toEqual([accepted.id]);

      const claim = await eventually(async () => {
        const next = await store.claim();
        expect(next).toBeDefined();
        return next;
      });
      expect(claim).toMatchObject({ id: accepted.id, attempts: 1 });
      expect(await idsOf(store.submit([newJob()], { key: 'k', fingerprint: 'f' }))).toEqual([accepted.id]);
    },
  );

  it('sweeps the jobs of a process that crashed before it confirmed them', async () => {
    await using relay = await startRelay(redis.url);
    await using far = await open(relay.url);
    const submitted = [CONFIRM_MS, 0].map((ageMs) => newJob({ id: createJobId(Date.now() - ageMs) }));
    const [lost = newJob(), recent = newJob()] = submitted;
    loseAt(relay, lost, 1, 'pass and lose');
    relay.leadTo('redis://127.0.0.1:1'); // it never connects again
    await expect(far.submit(submitted)).rejects.toThrow(/socket/i);
    await eventually(async () => expect(await stored()).toContain(lost.id));
    await store.claim();

    await store.tidy();
    expect(await store.claim()).toBeUndefined();
    await store.tidy();

    expect(await stored()).not.toContain(lost.id);
    expect(await stored()).toContain(recent.id); // its process may still confirm it
    expect(await store.counts()).toEqual({ ...EMPTY, queued: 1, running: 1 });
  });

  it('refuses submissions while Redis loads its data, and accepts them afterwards', async () => {
    const filler = Array.from({ length: 40 }, (_, index) => [`filler-${index}`, 'x'.repeat(2_000)]).flat();
    await redis.send(['MSET', ...filler]);
    await redis.send(['BGREWRITEAOF']);
    await eventually(async () =>
      expect(String(await redis.send(['INFO', 'persistence']))).toMatch(
        /aof_rewrite_in_progress:0[^]*aof_last_bgrewrite_status:ok/,
      ),
    );
    const refused = newJob({ webhookUrl: 'https://example.com/hook' });

    const loaded = redis.restart(['--key-load-delay', '50000', '--loading-process-events-interval-bytes', '1024']);
    await eventually(() => expect(store.submit([refused])).rejects.toThrow('LOADING'));
    await expect(store.counts()).rejects.toThrow('LOADING');
    await loaded;

    const job = newJob();
    expect(await eventually(() => idsOf(store.submit([job])))).toEqual([job.id]);
    expect(await stored()).not.toContain(refused.id);
    expect(await store.get(refused.id)).toBeUndefined();
  });

  it('withdraws a submission that was answered with an error: no attempt, no webhook, no record', async () => {
    await store.claim();
    const jobs = [newJob(), newJob({ webhookUrl: 'https://example.com/hook' }), newJob()];
    await store.submit(jobs);
    const claim = await store.claim();

    await store.withdraw(jobs.map(({ id }) => id));

    expect(await store.counts()).toEqual({ ...EMPTY, running: 1 });
    expect(await store.claim()).toBeUndefined();
    expect(await store.claimWebhook()).toBeUndefined();
    expect(claim && (await store.heartbeat(claim))).toBe(false);
    for (const { id } of jobs) {
      expect(await store.get(id)).toBeUndefined();
      expect(await stored()).not.toContain(id);
    }
  });

  it('detects lost jobs after FLUSHALL, writes no partial records, and continues', async () => {
    const hooked = [newJob({ webhookUrl: 'https://example.com/hook' }), newJob(), newJob(), newJob()];
    await store.submit(hooked);
    const claims = await Promise.all(Array.from({ length: 5 }, () => store.claim()));

    await redis.send(['FLUSHALL']);

    const [active, finished, failed, retried, returned] = claims;
    if (!active || !finished || !failed || !retried || !returned) throw new Error('a claim is missing');
    expect(await store.heartbeat(active)).toBe(false);
    expect(await store.finish(finished, jobResult(finished.id))).toBe(false);
    expect(await store.fail(failed, { type: 'NavigationError', message: 'no' })).toBe(false);
    expect(await store.retry(retried, { type: 'NavigationError', message: 'no' }, 0)).toBe(false);
    await store.giveBack(returned);
    expect(await store.cancel(returned.id)).toBe(false);
    await store.tidy();
    for (const { id } of claims.flatMap((claim) => claim ?? [])) {
      expect(await stored()).not.toContain(id);
      expect(await store.get(id)).toBeUndefined();
    }
    expect(await store.counts()).toEqual(EMPTY);
    const [id] = await idsOf(store.submit([newJob()]));
    expect(await store.claim()).toMatchObject({ id });
  });
});

/** Loses the connection at the first or second step of the submission of a job. */
function loseAt(relay: Relay, { id }: NewJob, step: 1 | 2, decision: 'lose' | 'pass and lose'): void {
  let [isSeen, isPrepared, isDecided] = [false, false, false];
  relay.onMessage((message) => {
    if (isDecided) return 'pass';
    if (isPrepared) isDecided = message.includes(id);
    isSeen ||= message.includes(id);
    // A transaction may come in several messages: the last one has EXEC.
    isPrepared ||= isSeen && message.includes('\r\nEXEC\r\n');
    if (step === 1) isDecided = isPrepared;
    return isDecided ? decision : 'pass';
  });
}

async function open(url: string): Promise<JobStore> {
  const client = await connectRedis(url, () => undefined);
  return await createRedisStore({ client, leases, onError: () => undefined });
}

function newJob(given: Partial<NewJob> = {}): NewJob {
  const capture = { url: 'https://example.com/', cookies: SECRET };
  return { id: createJobId(Date.now()), capture, origin: 'http://localhost:8080', ...given };
}
