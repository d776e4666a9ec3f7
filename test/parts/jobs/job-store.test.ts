import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJobId } from '../../../src/parts/jobs/job-id.ts';
import { JOB_STATES, type JobError, type JobRecord, type NewJob } from '../../../src/parts/jobs/job.ts';
import type { JobClaim, JobStore, Leases } from '../../../src/parts/jobs/job-store.ts';
import type { QueueLimits } from '../../../src/parts/jobs/queue-limit.ts';
import { connectRedis } from '../../../src/parts/jobs/redis/connect.ts';
import { createRedisStore } from '../../../src/parts/jobs/redis/redis-job-store.ts';
import { openDatabase } from '../../../src/parts/jobs/sqlite/open-database.ts';
import { createSqliteStore } from '../../../src/parts/jobs/sqlite/sqlite-job-store.ts';
import { eventually } from '../../support/eventually.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis.ts';
import { idsOf, jobResult } from '../../support/stored-capture.ts';

const LONG: Leases = { jobMs: 60_000, webhookMs: 60_000 };
const SHORT: Leases = { jobMs: 100, webhookMs: 100 };
const ERROR: JobError = { type: 'NavigationError', message: 'The page could not be loaded' };
const NEVER = { before: 0, maxBytes: Infinity, limit: 10 };

/** A store engine under test. `open` finds the existing data until `clear` is called. */
interface Engine {
  readonly name: string;
  readonly isHere: boolean;
  readonly open: (leases: Leases, queueLimits?: QueueLimits) => Promise<JobStore>;
  readonly clear: () => Promise<void>;
  readonly end: () => Promise<void>;
}

function sqliteEngine(): Engine {
  let folder = '';
  const clear = async (): Promise<void> => {
    if (folder !== '') await rm(folder, { recursive: true });
    folder = await mkdtemp(join(tmpdir(), 'job-store-'));
  };
  return {
    name: 'SQLite',
    isHere: true,
    open: async (leases, queueLimits) =>
      createSqliteStore({ database: await openDatabase(folder), leases, queueLimits }),
    clear,
    end: () => rm(folder, { recursive: true }),
  };
}

function redisEngine(): Engine {
  let redis: TestRedis | undefined;
  return {
    name: 'Redis (needs redis-server)',
    isHere: HAS_REDIS,
    open: async (leases, queueLimits) => {
      const client = await connectRedis(redis?.url ?? '', () => undefined);
      return await createRedisStore({ client, leases, queueLimits, onError: () => undefined });
    },
    clear: async () => {
      redis ??= await startRedis();
      await redis.send(['FLUSHALL']);
    },
    end: async () => redis?.[Symbol.asyncDispose](),
  };
}

const newJob = (given: Partial<NewJob> = {}): NewJob => ({
  id: createJobId(Date.now()),
  capture: { url: 'https://example.com/', http_auth: { username: 'u', password: 'geheim' } },
  origin: 'http://localhost:8080',
  ...given,
});

const submit = async (store: JobStore, given: Partial<NewJob> = {}): Promise<string> => {
  const [id = ''] = await idsOf(store.submit([newJob(given)]));
  return id;
};

const claim = async (store: JobStore): Promise<JobClaim> => {
  const claimed = await store.claim();
  if (claimed === undefined) throw new Error('there is nothing to claim');
  return claimed;
};

const listIds = async (store: JobStore, state: Parameters<JobStore['list']>[0]): Promise<string[]> =>
  (await store.list(state, { limit: 10 })).jobs.map(({ id }) => id);

/** True if the fields of a job fit its state. */
const fitsItsState = (job: unknown): boolean => {
  const { state, result, error, finishedAt }: Partial<JobRecord> = Object(job);
  if (state === 'done') return result !== undefined && finishedAt !== undefined;
  if (state === 'failed') return error !== undefined && finishedAt !== undefined;
  return state !== undefined && (state === 'cancelled') === (finishedAt !== undefined);
};

const claimHook = async (store: JobStore) => {
  const claimed = await store.claimWebhook();
  if (claimed === undefined) throw new Error('no webhook is due');
  return claimed;
};

for (const engine of [sqliteEngine(), redisEngine()]) {
  describe.skipIf(!engine.isHere)(`a job store in ${engine.name}`, () => {
    beforeAll(async () => engine.clear());
    afterAll(async () => engine.end());

    // oxlint-disable-next-line unicorn/consistent-function-scoping -- the engine belongs to the loop
    const newStore = async (leases = LONG, queueLimits?: QueueLimits): Promise<JobStore> => {
      await engine.clear();
      return await engine.open(leases, queueLimits);
    };

    it('hands out jobs in order of submission, each to one worker', async () => {
      await using store = await newStore();
      const ids = [await submit(store), await submit(store), await submit(store)];

      const claimed = await Promise.all([store.claim(), store.claim(), store.claim(), store.claim()]);

      expect(claimed.map((each) => each?.id)).toEqual([...ids, undefined]);
      expect(claimed[0]).toMatchObject({ attempts: 1, capture: newJob().capture });
    });

    it('reports a job from submission to result, without its capture fields', async () => {
      await using store = await newStore();
      const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
      const pageUrl = 'http://a.test/b?c';
      const id = await submit(store, {
        label: 'Report',
        pageUrl,
        isTriedOnce: true,
        storePath: 'a/b.png',
        traceparent,
      });
      const queued = await store.get(id);
      const held = await claim(store);
      const running = await store.get(id);

      expect(await store.finish(held, jobResult(id))).toBe(true);

      const done = await store.get(id);
      expect([queued?.state, running?.state, done?.state]).toEqual(['queued', 'running', 'done']);
      expect([queued?.attempts, running?.attempts, done?.attempts]).toEqual([0, 1, 1]);
      expect(queued).toMatchObject({ id, label: 'Report', storePath: 'a/b.png', origin: 'http://localhost:8080' });
      expect([held.isTriedOnce, queued?.pageUrl, done?.pageUrl]).toEqual([true, pageUrl, pageUrl]);
      expect([held.traceparent, done?.traceparent]).toEqual([traceparent, traceparent]);
      expect([done?.label, done?.result]).toEqual(['Report', jobResult(id)]);
      expect(done?.finishedAt).toBeGreaterThanOrEqual(done?.startedAt ?? Infinity);
      expect(JSON.stringify([queued, running, done])).not.toContain('geheim');
    });

    it('returns undefined for an unknown job', async () => {
      await using store = await newStore();
      const id = createJobId(Date.now());

      expect([await store.get(id), await store.cancel(id), await store.claim()]).toEqual([undefined, false, undefined]);
    });

    it('keeps submitted jobs after a restart', async () => {
      const before = await newStore();
      const id = await submit(before);
      await before[Symbol.asyncDispose]();

      await using after = await engine.open(LONG);

      expect((await after.claim())?.id).toBe(id);
    });

    it('accepts a whole batch', async () => {
      await using store = await newStore();
      const jobs = Array.from({ length: 100 }, () => newJob());

      expect(await idsOf(store.submit(jobs))).toEqual(jobs.map(({ id }) => id));

      expect((await store.counts()).queued).toBe(100);
    });

    it('creates one job for two requests with the same key', async () => {
      await using store = await newStore();
      const [first, second] = [newJob(), newJob()];

      const once = await idsOf(store.submit([first], { key: 'k', fingerprint: 'f' }));
      const twice = await idsOf(store.submit([second], { key: 'k', fingerprint: 'f' }));

      expect([once, twice]).toEqual([[first.id], [first.id]]);
      expect((await store.counts()).queued).toBe(1);
    });

    it('returns new jobs as they are stored', async () => {
      await using store = await newStore();
      const [job, owned] = [newJob(), newJob({ owner: 'shop', storePath: 'a.png' })];

      const submitted = await store.submit([job, owned]);

      expect(await Promise.all([job, owned].map(({ id }) => store.get(id)))).toMatchObject(submitted);
    });

    it('refuses a key whose jobs were removed since', async () => {
      await using store = await newStore();
      const [job, request] = [newJob(), { key: 'k', fingerprint: 'f' }];
      await store.submit([job], request);
      await store.cancel(job.id);
      await store.remove(job.id);

      await expect(store.findSubmitted(request)).rejects.toMatchObject({ type: 'JobExpiredError' });
      await expect(store.submit([newJob()], request)).rejects.toMatchObject({ type: 'JobExpiredError' });
    });

    it('finds the jobs of an earlier request with the same key', async () => {
      await using store = await newStore();
      const job = newJob();
      const request = { key: 'k', fingerprint: 'f' };
      expect(await store.findSubmitted(request)).toBeUndefined();
      await store.submit([job], request);

      expect(await store.findSubmitted(request)).toEqual([await store.get(job.id)]);
      await expect(store.findSubmitted({ key: 'k', fingerprint: 'g' })).rejects.toMatchObject({
        type: 'IdempotencyError',
      });
    });

    it('creates one job for concurrent requests with one key, even if it finishes meanwhile', async () => {
      await using store = await newStore();
      await using other = await engine.open(LONG);
      const idempotency = { key: 'k', fingerprint: 'f' };
      const requested = Array.from({ length: 8 }, (_, n) =>
        (n % 2 === 0 ? store : other).submit([newJob()], idempotency),
      );
      const claimed = await eventually(() => claim(other));
      await other.finish(claimed, jobResult(claimed.id));

      const ids = new Set((await Promise.all(requested)).flat().map(({ id }) => id));

      expect([...ids]).toEqual([claimed.id]);
      expect(await store.counts()).toMatchObject({ queued: 0, running: 0 });
      expect(await listIds(store, 'done')).toEqual([claimed.id]);
    });

    it('refuses a key that comes with another request, and submits none of it', async () => {
      await using store = await newStore();
      await store.submit([newJob()], { key: 'k', fingerprint: 'f' });

      const other = store.submit([newJob()], { key: 'k', fingerprint: 'g' });

      await expect(other).rejects.toMatchObject({ type: 'IdempotencyError' });
      expect((await store.counts()).queued).toBe(1);
    });

    it('hands a job to another worker when its lease expires, and ignores the first worker', async () => {
      await using store = await newStore(SHORT);
      const id = await submit(store);
      const lost = await claim(store);

      const taken = await eventually(() => claim(store));

      expect(taken).toMatchObject({ id, attempts: 2 });
      expect(await store.finish(lost, jobResult(id))).toBe(false);
      expect(await store.fail(lost, ERROR)).toBe(false);
      expect(await store.heartbeat(lost)).toBe(false);
      expect((await store.get(id))?.finishedAt).toBeUndefined();
    });

    it('keeps the lease while its worker sends heartbeats', async () => {
      await using store = await newStore({ jobMs: 1_000, webhookMs: 1_000 });
      await submit(store);
      const held = await claim(store);
      const startedAt = performance.now();

      while (performance.now() - startedAt < 2_200) {
        expect(await store.heartbeat(held)).toBe(true);
        expect(await store.claim()).toBeUndefined();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    });

    it('retries a failed job after its delay, and reports the error meanwhile', async () => {
      await using store = await newStore();
      const id = await submit(store);

      expect(await store.retry(await claim(store), ERROR, 150)).toBe(true);

      expect(await store.claim()).toBeUndefined();
      expect(await store.get(id)).toMatchObject({ state: 'queued', attempts: 1, error: ERROR });
      expect(await eventually(() => claim(store))).toMatchObject({ id, attempts: 2 });
    });

    it('keeps the error of a job that failed for good', async () => {
      await using store = await newStore();
      const id = await submit(store);

      expect(await store.fail(await claim(store), { ...ERROR, details: 'why' })).toBe(true);

      expect(await store.get(id)).toMatchObject({ state: 'failed', error: { ...ERROR, details: 'why' } });
      expect(await store.claim()).toBeUndefined();
    });

    it('does not count the attempt of a released job, and hands it out first', async () => {
      await using store = await newStore();
      const [id] = [await submit(store), await submit(store)];

      await store.giveBack(await claim(store));

      expect(await store.get(id ?? '')).toMatchObject({ state: 'queued', attempts: 0 });
      expect(await claim(store)).toMatchObject({ id, attempts: 1 });
    });

    it('cancels a queued job', async () => {
      await using store = await newStore();
      const id = await submit(store);

      expect([await store.cancel(id), await store.cancel(id)]).toEqual([true, false]);

      expect(await store.get(id)).toMatchObject({ id, state: 'cancelled', attempts: 0 });
      expect(await store.claim()).toBeUndefined();
      expect(await listIds(store, 'cancelled')).toEqual([id]);
      expect(await store.counts()).toEqual({ queued: 0, running: 0, webhooks: 0 });
    });

    it('cancels a running job and notifies its worker', async () => {
      await using store = await newStore();
      const id = await submit(store);
      const held = await claim(store);

      expect(await store.cancel(id)).toBe(true);

      expect(await store.get(id)).toMatchObject({ state: 'cancelled', attempts: 1 });
      expect(await store.heartbeat(held)).toBe(false);
      expect(await store.finish(held, jobResult(id))).toBe(false);
      expect((await store.get(id))?.state).toBe('cancelled');
      expect(await store.counts()).toEqual({ queued: 0, running: 0, webhooks: 0 });
    });

    it('ends a job once, even if it is cancelled while it ends', async () => {
      await using store = await newStore();
      await using other = await engine.open(LONG);
      const ends: unknown[] = [];
      for (let n = 0; n < 60; n++) {
        const id = await submit(store);
        const held = await claim(store);
        const first = n % 2 === 0 ? store.finish(held, jobResult(id, 1_000)) : undefined;
        const isCancelled = other.cancel(id);
        const isDone = first ?? store.finish(held, jobResult(id, 1_000));
        ends.push([await isDone, await isCancelled, (await store.get(id))?.state]);
      }

      const [done, cancelled] = [
        [true, false, 'done'],
        [false, true, 'cancelled'],
      ];
      expect(ends.filter((end) => ![done, cancelled].some((each) => isDeepStrictEqual(each, end)))).toEqual([]);
      expect((await store.counts()).running).toBe(0);
      // The counted size of the results equals their real size.
      for (const { id } of (await store.findSweepable({ ...NEVER, before: Infinity, limit: 100 })).old)
        await store.remove(id);
      const last = await submit(store);
      await store.finish(await claim(store), jobResult(last, 1_000));
      expect((await store.findSweepable({ ...NEVER, maxBytes: 1_000 })).large).toEqual([]);
    });

    it('does not cancel a finished job', async () => {
      await using store = await newStore();
      const id = await submit(store);
      await store.finish(await claim(store), jobResult(id));

      expect(await store.cancel(id)).toBe(false);

      expect((await store.get(id))?.state).toBe('done');
    });

    it('lists the jobs of a state, newest first, in pages', async () => {
      await using store = await newStore();
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) ids.push(await submit(store));
      for (const id of ids) await store.finish(await claim(store), jobResult(id));
      const waiting = await submit(store);

      const first = await store.list('done', { limit: 3 });
      const second = await store.list('done', { limit: 3, cursor: first.next ?? '' });

      expect([...first.jobs, ...second.jobs].map(({ id }) => id)).toEqual(ids.toReversed());
      expect([first.jobs.length, second.next]).toEqual([3, undefined]);
      expect(await listIds(store, 'queued')).toEqual([waiting]);
      await expect(store.list('done', { limit: 3, cursor: 'x' })).rejects.toMatchObject({
        type: 'ValidationError',
      });
    });

    it('lists each job once while others are submitted, including jobs that wait for a retry', async () => {
      await using store = await newStore();
      const ids: string[] = [];
      for (let n = 0; n < 12; n++) ids.push(await submit(store));
      for (let n = 0; n < 6; n++) await store.retry(await claim(store), ERROR, 60_000);

      const listed: string[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const page = await store.list('queued', { limit: 4, ...(cursor !== '' && { cursor }) });
        listed.push(...page.jobs.map(({ id }) => id));
        cursor = page.next;
        await submit(store);
      }

      expect(listed.toSorted()).toEqual(ids);
    });

    it('continues a list at its cursor after the job of the cursor was deleted', async () => {
      await using store = await newStore();
      const ids: string[] = [];
      for (let n = 0; n < 4; n++) ids.push(await submit(store));

      const first = await store.list('queued', { limit: 2 });
      await store.cancel(first.jobs[1]?.id ?? '');
      const second = await store.list('queued', { limit: 2, cursor: first.next ?? '' });

      expect([...first.jobs, ...second.jobs].map(({ id }) => id)).toEqual(ids.toReversed());
    });

    it('keeps the owner of a job, and returns it with the claim', async () => {
      await using store = await newStore();
      const ids = await idsOf(store.submit([{ owner: 'shop' }, {}, { owner: 'shop' }].map(newJob)));

      const claimed = await claim(store);
      await store.finish(claimed, jobResult(ids[0] ?? ''));
      await store.loseResult(ids[0] ?? '');
      await store.cancel(ids[2] ?? '');

      expect([claimed.owner, (await claim(store)).owner].toSorted()).toEqual(['default', 'shop']);
      expect((await Promise.all(ids.map(store.get))).map((job) => job?.owner)).toEqual(['shop', 'default', 'shop']);
    });

    it('serves the owners of jobs and webhooks in turn, and skips those that must wait', async () => {
      await using store = await newStore();
      const webhookUrl = 'https://example.com/hook';
      const of = (owner: string, count: number) =>
        idsOf(store.submit(Array.from({ length: count }, () => newJob({ owner, webhookUrl }))));
      const shop = [...(await of('shop', 4))];
      const blog = [...(await of('blog', 1)), ...(await of('blog', 1))];

      const claims = [await claim(store), await claim(store), await claim(store), await claim(store)];
      const skipping = [await store.claim(['blog', 'shop']), await store.claim(['shop'])];
      for (const each of claims) await store.fail(each, ERROR);
      const hooks = [await claimHook(store), await claimHook(store), await store.claimWebhook(['blog'])];

      expect(claims.map(({ id }) => id).toSorted()).toEqual([...shop.slice(0, 2), ...blog].toSorted());
      expect(claims[0]?.owner).not.toBe(claims[1]?.owner);
      expect(claims[2]?.owner).not.toBe(claims[3]?.owner);
      expect(skipping).toEqual([undefined, undefined]);
      expect((await store.claim(['blog']))?.id).toBe(shop[2]);
      expect(new Set(hooks.slice(0, 2).map((hook) => hook?.owner))).toEqual(new Set(['blog', 'shop']));
      expect(hooks[2]?.owner).toBe('shop');
      expect(await store.claimWebhook(['blog'])).toBeUndefined();
      expect((await claimHook(store)).owner).toBe('blog');
    });

    it('does not count an attempt to send a webhook that is given back', async () => {
      await using store = await newStore();
      await submit(store, { webhookUrl: 'https://example.com/hook' });
      await store.fail(await claim(store), ERROR);
      await store.retryWebhook(await claimHook(store), 0);

      await store.giveBackWebhook(await claimHook(store));

      expect(await claimHook(store)).toMatchObject({ attempts: 2 });
    });

    // Otherwise the second attempt would wait for all jobs of the other owner.
    it('hands out a job that is tried again in the turn of its owner', async () => {
      await using store = await newStore();
      const id = await submit(store, { owner: 'blog' });
      await store.retry(await claim(store), ERROR, 0);
      await store.submit(Array.from({ length: 4 }, () => newJob({ owner: 'shop' })));

      const owners = [(await claim(store)).owner, (await claim(store)).owner];

      expect(owners.toSorted()).toEqual(['blog', 'shop']);
      expect(await store.get(id)).toMatchObject({ state: 'running', attempts: 2 });
    });

    const captureBytes = Buffer.byteLength(JSON.stringify(newJob().capture));
    it.each([
      ['jobs', 'waiting jobs', { jobs: 4, bytes: Infinity }],
      ['bytes', 'bytes of waiting captures', { jobs: Infinity, bytes: 4 * captureBytes }],
    ])('takes %s up to a limit, half of it from one owner, and a batch whole', async (_, unit, limits) => {
      await using store = await newStore(LONG, limits);
      const send = (owner: string, count: number, key = owner) =>
        idsOf(
          store.submit(
            Array.from({ length: count }, () => newJob({ owner })),
            { key, fingerprint: 'f' },
          ),
        );
      const refusal = { type: 'OverloadedError', retryAfterSeconds: 10 };

      const shop = await send('shop', 1);
      await expect(send('shop', 2, 'batch')).rejects.toMatchObject({
        ...refusal,
        details: expect.stringMatching(`^${unit} of this key: `),
      });
      await send('shop', 1, 'second');
      await send('blog', 2);
      await expect(send('news', 1)).rejects.toMatchObject({
        ...refusal,
        details: expect.stringMatching(`^${unit}: `),
      });

      expect(await send('shop', 1)).toEqual(shop);
      expect(await store.counts()).toMatchObject({ queued: 4 });
      await store.cancel(shop[0] ?? '');
      expect(await send('news', 1)).toHaveLength(1);
    });

    it('takes a capture of any size while no other waits, because waiting would not help', async () => {
      await using store = await newStore(LONG, { jobs: 2, bytes: 1 });

      expect(await idsOf(store.submit([newJob()]))).toHaveLength(1);
      await expect(store.submit([newJob({ owner: 'shop' })])).rejects.toThrow('Too many jobs are waiting');
    });

    it('does not count jobs that run as waiting', async () => {
      await using store = await newStore(LONG, { jobs: 1, bytes: Infinity });
      await submit(store);
      await expect(submit(store)).rejects.toThrow('Too many jobs are waiting');
      await claim(store);

      expect(await submit(store)).toBeDefined();
    });

    it('lists the jobs of one owner in each state, newest first', async () => {
      await using store = await newStore();
      const owners = ['shop', 'blog', undefined];
      const submitted: [id: string, owner: string | undefined][] = [];
      for (let n = 0; n < 27; n++) {
        const owner = owners[n % 3];
        submitted.push([await submit(store, { owner }), owner]);
      }
      const ownIds = submitted.filter(([, owner]) => owner === 'shop').map(([id]) => id);
      for (let n = 0; n < 18; n++) {
        const held = await claim(store);
        if (n < 6) await store.finish(held, jobResult(held.id));
        else if (n < 9) await store.fail(held, ERROR);
        else if (n < 12) await store.retry(held, ERROR, 60_000);
        else if (n < 15) await store.cancel(held.id);
      }
      for (const [id] of submitted.slice(18, 21)) await store.cancel(id);

      const listed: Record<string, readonly string[]> = {};
      for (const state of JOB_STATES) {
        const { jobs } = await store.list(state, { limit: 10, owner: 'shop' });
        listed[state] = jobs.map(({ id }) => id);
      }

      const [done1, done2, failed, retried, stopped, running, withdrawn, ...queued] = ownIds;
      expect(listed).toEqual({
        running: [running],
        queued: [...queued.toReversed(), retried],
        failed: [failed],
        cancelled: [withdrawn, stopped],
        done: [done2, done1],
      });
      expect((await store.list('done', { limit: 10 })).jobs).toHaveLength(6);
      expect(await store.list('done', { limit: 10, owner: 'nobody' })).toEqual({ jobs: [], next: undefined });
    });

    it('fills the pages of one owner among jobs of others, and continues at the cursor', async () => {
      await using store = await newStore();
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) {
        await store.submit([newJob({ owner: 'blog' }), newJob(), newJob({ owner: 'blog' })]);
        ids.push(await submit(store, { owner: 'shop' }));
      }

      const first = await store.list('queued', { limit: 2, owner: 'shop' });
      await store.cancel(first.jobs[1]?.id ?? '');
      const second = await store.list('queued', { limit: 2, owner: 'shop', cursor: first.next ?? '' });
      const third = await store.list('queued', { limit: 2, owner: 'shop', cursor: second.next ?? '' });

      const pages = [first, second, third].map(({ jobs }) => jobs.map(({ id }) => id));
      const [a, b, c, d, e] = ids;
      expect(pages).toEqual([[e, d], [c, b], [a]]);
      expect(third.next).toBeUndefined();
      // A number would show how many jobs the other keys have submitted.
      expect([first.next, second.next]).toEqual([d, b]);
      await expect(store.list('queued', { limit: 2, owner: 'shop', cursor: 'x' })).rejects.toMatchObject({
        type: 'ValidationError',
      });
    });

    // The state was read after the job. A job that ended in between was done without a result, or failed without an
    // error.
    it('reads a job consistently while it ends or is cancelled', async () => {
      await using store = await newStore();
      await using other = await engine.open(LONG);
      const reports: (JobRecord | undefined)[] = [];
      for (let n = 0; n < 60; n++) {
        const id = await submit(store);
        const held = await claim(store);
        const ends = [
          () => store.finish(held, jobResult(id)),
          () => store.fail(held, ERROR),
          () => store.giveBack(held).then(() => store.cancel(id)),
        ];
        const ending = ends[n % 3]?.();
        let job: JobRecord | undefined;
        do reports.push((job = await other.get(id)));
        while (job !== undefined && job.finishedAt === undefined);
        await ending;
      }

      expect(reports.filter((job) => !fitsItsState(job))).toEqual([]);
    });

    it('counts queued and running jobs', async () => {
      await using store = await newStore();
      for (let n = 0; n < 3; n++) await submit(store);
      await claim(store);
      await store.retry(await claim(store), ERROR, 60_000);

      expect(await store.counts()).toEqual({ queued: 2, running: 1, webhooks: 0 });
    });

    it('finds jobs that finished before a time, and deletes them on request', async () => {
      await using store = await newStore();
      const [done, failed, cancelled, waiting] = [
        await submit(store),
        await submit(store),
        await submit(store),
        await submit(store),
      ];
      await store.finish(await claim(store), jobResult(done));
      await store.fail(await claim(store), ERROR);
      await store.cancel(cancelled);

      expect(await store.findSweepable(NEVER)).toEqual({ old: [], large: [] });
      const { old } = await store.findSweepable({ ...NEVER, before: Date.now() + 1 });
      for (const { id } of old) await store.remove(id);
      await store.remove(waiting);

      expect(old.map(({ id }) => id).toSorted()).toEqual([done, failed, cancelled].toSorted());
      expect(await Promise.all([done, failed, cancelled].map(store.get))).toEqual(Array(3).fill(undefined));
      expect((await store.get(waiting))?.state).toBe('queued');
    });

    it('finds the oldest results beyond the size limit', async () => {
      await using store = await newStore();
      const ids = [await submit(store), await submit(store, { storePath: 'mine.png' })];
      for (const id of ids) await store.finish(await claim(store), jobResult(id, 1_000));

      const find = async (maxBytes: number) =>
        (await store.findSweepable({ ...NEVER, maxBytes })).large.map(({ id }) => id);

      expect(await find(2_000)).toEqual([]);
      expect(await find(1_999)).toEqual([ids[0]]);
      await store.loseResult(ids[0] ?? '');
      expect(await store.get(ids[0] ?? '')).toMatchObject({
        state: 'done',
        hasLostResult: true,
        result: undefined,
      });
      expect(await find(999)).toEqual([ids[1]]);
      await store.remove(ids[1] ?? '');
      expect(await find(0)).toEqual([]);
    });

    it('hands out a pending file when its check is due, until it is deleted', async () => {
      await using store = await newStore();
      const file = { path: '~jobs/a.png', jobId: 'a', attempt: 1, recordedAt: 1_000 };

      await store.recordFile(file, 60_000);
      expect(await store.dueFiles(10)).toEqual([]);
      await store.recordFile(file, 0);
      await store.recordFile({ ...file, path: '~jobs/b.png' }, 0);
      const due = await store.dueFiles(10);
      await store.forgetFile('~jobs/b.png');

      expect(due.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([file, { ...file, path: '~jobs/b.png' }]);
      expect(await store.dueFiles(10)).toEqual([file]);
    });

    it('forgets the pending file of a stored result, but not of a job that lost its lease', async () => {
      await using store = await newStore();
      const id = await submit(store);
      const held = await claim(store);
      const result = jobResult(id);
      await store.recordFile({ path: result.path, jobId: id, attempt: 1, recordedAt: 1_000 }, 0);

      expect(await store.finish({ ...held, token: 'another' }, result)).toBe(false);
      expect(await store.dueFiles(10)).toHaveLength(1);
      expect(await store.finish(held, result)).toBe(true);

      expect(await store.dueFiles(10)).toEqual([]);
    });

    describe('webhooks', () => {
      const url = 'https://example.com/hook';

      it.each(['done', 'failed', 'cancelled', 'cancelled while it ran'])(
        'has a webhook to deliver for a job that is %s',
        async (how) => {
          await using store = await newStore();
          const id = await submit(store, { webhookUrl: url });
          expect(await store.claimWebhook()).toBeUndefined();

          if (how === 'cancelled') await store.cancel(id);
          else {
            const held = await claim(store);
            if (how === 'done') await store.finish(held, jobResult(id));
            if (how === 'failed') await store.fail(held, ERROR);
            if (how === 'cancelled while it ran') {
              await store.cancel(id);
              await store.heartbeat(held);
            }
          }

          expect((await store.counts()).webhooks).toBe(1);
          expect(await store.claimWebhook()).toMatchObject({ id, url, attempts: 1 });
          expect(await store.claimWebhook()).toBeUndefined();
        },
      );

      it('retries a webhook after a delay until it is delivered', async () => {
        await using store = await newStore();
        const id = await submit(store, { webhookUrl: url });
        await store.finish(await claim(store), jobResult(id));

        await store.retryWebhook(await claimHook(store), 150);
        expect(await store.claimWebhook()).toBeUndefined();
        const again = await eventually(() => claimHook(store));
        expect(again).toMatchObject({ id, attempts: 2 });
        await store.endWebhook(again);

        expect((await store.counts()).webhooks).toBe(0);
        expect((await store.get(id))?.state).toBe('done');
      });

      // JOB_RETENTION may be shorter than the delay before the next attempt.
      it.each(['before the first attempt', 'between two attempts', 'during an attempt'])(
        'keeps a webhook with the final state if its job is removed %s',
        async (moment) => {
          await using store = await newStore();
          const id = await submit(store, { webhookUrl: url });
          await store.finish(await claim(store), jobResult(id));
          const ended = await store.get(id);
          const first = moment === 'before the first attempt' ? undefined : await claimHook(store);
          if (first !== undefined && moment === 'between two attempts') await store.retryWebhook(first, 0);

          await store.remove(id);
          if (first !== undefined && moment === 'during an attempt') await store.retryWebhook(first, 0);

          expect(await store.get(id)).toBeUndefined();
          const hook = await eventually(() => claimHook(store));
          expect(hook).toMatchObject({ id, url });
          expect(hook.job).toEqual(ended);
          await store.endWebhook(hook);
          expect((await store.counts()).webhooks).toBe(0);
        },
      );

      it('drops a webhook with the job on request', async () => {
        await using store = await newStore();
        const id = await submit(store, { webhookUrl: url });
        await store.finish(await claim(store), jobResult(id));

        await store.remove(id, 'drop');

        expect(await store.claimWebhook()).toBeUndefined();
        expect((await store.counts()).webhooks).toBe(0);
      });

      it('hands a webhook to another worker when its lease expires', async () => {
        await using store = await newStore({ ...LONG, webhookMs: 100 });
        const id = await submit(store, { webhookUrl: url });
        await store.finish(await claim(store), jobResult(id));
        const lost = await claimHook(store);

        const again = await eventually(() => claimHook(store));
        await store.endWebhook(lost);

        expect(again).toMatchObject({ id, attempts: 2 });
        expect((await store.counts()).webhooks).toBe(1);
      });
    });

    it('announces new work', async () => {
      await using store = await newStore();
      let reports = 0;
      const stop = store.onWork(() => (reports += 1));

      await submit(store);
      stop();
      await submit(store);

      expect(reports).toBe(1);
    });
  });
}
