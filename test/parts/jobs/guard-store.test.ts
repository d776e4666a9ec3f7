import { mkdtemp, mkdtempDisposable, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/core/ground/errors.ts';
import { guardStore } from '../../../src/parts/jobs/guard-store.ts';
import { createJobId } from '../../../src/parts/jobs/job-id.ts';
import type { NewJob } from '../../../src/parts/jobs/job.ts';
import type { JobStore } from '../../../src/parts/jobs/job-store.ts';
import { openDatabase } from '../../../src/parts/jobs/sqlite/open-database.ts';
import { createSqliteStore } from '../../../src/parts/jobs/sqlite/sqlite-job-store.ts';
import { eventually } from '../../support/eventually.ts';
import { idsOf } from '../../support/stored-capture.ts';

const LIMIT_MS = 20;
const log = pino({ level: 'silent' });

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guard-store-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('a job store that answers too late', () => {
  it('gets a late claim back as if it had not been claimed', async () => {
    const leases = { jobMs: 60_000, webhookMs: 60_000 };
    const inner = createSqliteStore({ database: await openDatabase(folder), leases });
    const hangs = Promise.withResolvers<void>();
    const back: string[] = [];
    const slow: JobStore = {
      ...inner,
      claim: async () => (await hangs.promise, await inner.claim()),
      claimWebhook: async () => (await hangs.promise, await inner.claimWebhook()),
      giveBack: async (claim) => (await inner.giveBack(claim), void back.push(claim.id)),
      giveBackWebhook: async (claim) => (await inner.giveBackWebhook(claim), void back.push(claim.id)),
    };
    await using store = guardStore({ opening: Promise.resolve(slow), giveUp: () => undefined }, log, LIMIT_MS);
    const webhookUrl = 'https://example.com/hook';
    const [ended, id] = await idsOf(inner.submit([newJob({ webhookUrl }), newJob()]));
    const claim = await inner.claim();
    if (claim) await inner.fail(claim, { type: 'NavigationError', message: 'no' });

    const requested = await Promise.allSettled([store.claim(), store.claimWebhook()]);
    hangs.resolve();

    expect(requested.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await eventually(() => expect(new Set(back)).toEqual(new Set([ended, id])));
    expect(await inner.counts()).toMatchObject({ queued: 1, running: 0 });
    expect(await inner.claim()).toMatchObject({ id, attempts: 1 });
    expect(await inner.claimWebhook()).toMatchObject({ id: ended, attempts: 1 });
  });

  it('withdraws a submission that failed for the client, unless it has an idempotency key', async () => {
    await using database = await mkdtempDisposable(join(tmpdir(), 'guard-store-'));
    const inner = createSqliteStore({
      database: await openDatabase(database.path),
      leases: { jobMs: 60_000, webhookMs: 60_000 },
    });
    const hangs = Promise.withResolvers<void>();
    const withdrawn: string[] = [];
    const slow: JobStore = {
      ...inner,
      submit: async (...args) => (await hangs.promise, await inner.submit(...args)),
      withdraw: async (ids) => (await inner.withdraw(ids), void withdrawn.push(...ids)),
    };
    await using store = guardStore({ opening: Promise.resolve(slow), giveUp: () => undefined }, log, LIMIT_MS);
    const [plain, keyed] = [newJob({ webhookUrl: 'https://example.com/hook' }), newJob()];

    await eventually(() => store.counts()); // the store is open
    const answers = await Promise.allSettled([
      store.submit([plain]),
      store.submit([keyed], { key: 'k', fingerprint: 'f' }),
    ]);
    hangs.resolve();

    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await eventually(() => expect(withdrawn).toEqual([plain.id]));
    expect(await inner.get(plain.id)).toBeUndefined();
    expect(await idsOf(store.submit([newJob()], { key: 'k', fingerprint: 'f' }))).toEqual([keyed.id]);
    expect(await inner.counts()).toEqual({ queued: 1, running: 0, webhooks: 0 });
  });
});

describe('the counts of a store', () => {
  // Health checks need no token and have no limit: 140 per second occupied the thread of the store.
  it('are queried once for calls at the same time, and for calls within a tenth of a second', async () => {
    await using database = await mkdtempDisposable(join(tmpdir(), 'guard-store-'));
    const inner = createSqliteStore({
      database: await openDatabase(database.path),
      leases: { jobMs: 60_000, webhookMs: 60_000 },
    });
    let queries = 0;
    const counting: JobStore = { ...inner, counts: () => (queries++, inner.counts()) };
    await using store = guardStore({ opening: Promise.resolve(counting), giveUp: () => undefined }, log);
    await eventually(() => store.counts());

    await Promise.all(Array.from({ length: 1_000 }, () => store.counts()));
    for (let n = 0; n < 10; n++) await store.counts();

    expect(queries).toBeLessThanOrEqual(2);
    await inner.submit([newJob()]);
    await eventually(async () => expect(await store.counts()).toMatchObject({ queued: 1 }));
  });
});

describe('a store whose writes fail', () => {
  it('fails its counts until a write succeeds, without waiting for the next submission', async () => {
    await using database = await mkdtempDisposable(join(tmpdir(), 'guard-store-'));
    const inner = createSqliteStore({
      database: await openDatabase(database.path),
      leases: { jobMs: 60_000, webhookMs: 60_000 },
    });
    let isFull = true;
    const full: JobStore = {
      ...inner,
      submit: async (...args) => (isFull ? await Promise.reject(new Error('full')) : inner.submit(...args)),
      tidy: async () => (isFull ? await Promise.reject(new Error('full')) : inner.tidy()),
    };
    await using store = guardStore({ opening: Promise.resolve(full), giveUp: () => undefined }, log);
    await eventually(() => store.counts()); // the store is open

    await expect(store.submit([newJob()])).rejects.toThrow(ServiceError);
    await expect(store.counts()).rejects.toThrow(ServiceError);
    isFull = false;

    expect(await store.counts()).toMatchObject({ queued: 0 });
  });
});

function newJob(given: Partial<NewJob> = {}): NewJob {
  const capture = { url: 'https://example.com/' };
  return { id: createJobId(Date.now()), capture, origin: 'http://localhost:8080', ...given };
}
