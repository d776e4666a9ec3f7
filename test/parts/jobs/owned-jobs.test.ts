import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryBudget } from '../../../src/core/ground/memory-budget.ts';
import { parseOptions } from '../../../src/core/capture/request/parse-options.ts';
import { createJobId } from '../../../src/parts/jobs/job-id.ts';
import { JOBS_IN_A_PAGE } from '../../../src/parts/jobs/job-limits.ts';
import { createJobs, type Jobs } from '../../../src/parts/jobs/jobs.ts';
import { openDatabase } from '../../../src/parts/jobs/sqlite/open-database.ts';
import { createSqliteStore } from '../../../src/parts/jobs/sqlite/sqlite-job-store.ts';
import { appWith } from '../../support/app.ts';
import { comparable } from '../../support/errors.ts';
import { ringOf } from '../../support/keys.ts';
import { createMemoryStorage } from '../../support/memory-storage.ts';
import { CAPTURE_RESULT } from '../../support/stored-capture.ts';

const capture = { url: 'https://example.com/' };
const RETENTION_SECONDS = 3_600;
const OLD_MS = 2 * RETENTION_SECONDS * 1_000;
const NOT_FOUND = { status: 404, body: { error_type: 'NotFoundError' } };

describe('jobs of three keys', () => {
  let folder: string;
  let jobs: Jobs;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'owned-jobs-'));
    const database = await openDatabase(folder);
    jobs = createJobs({
      store: createSqliteStore({ database, leases: { jobMs: 60_000, webhookMs: 60_000 } }),
      storage: createMemoryStorage(),
      memory: createMemoryBudget(1e9),
      deliver: undefined,
      keys: ring,
      capture: async () => CAPTURE_RESULT,
      parse: async (fields) => parseOptions(fields, { maxWaitMs: 60_000 }),
      concurrency: 1,
      retentionSeconds: RETENTION_SECONDS,
      retentionBytes: 1e9,
      metrics: { recordJob: () => undefined },
      log: pino({ level: 'silent' }),
    });
  });
  afterAll(async () => {
    await jobs.close();
    await rm(folder, { recursive: true });
  });

  const ring = ringOf('default', 'shop', 'blog');
  const call = async (
    owner: string,
    method: 'get' | 'head' | 'post' | 'delete',
    path: string,
    { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
  ) => {
    const app = appWith({ keys: ring, jobs, now: () => Date.now() / 1_000 });
    const sent = request(app)[method](path).set('Authorization', `Bearer token-of-${owner}`).set(headers);
    return await sent.send(body);
  };
  const submit = async (owner: string, headers: Record<string, string> = {}): Promise<string> => {
    const { body } = await call(owner, 'post', '/jobs', { body: { capture }, headers });
    return body.id;
  };
  const submitOld = async (owner: string): Promise<string> => {
    const id = createJobId(Date.now() - OLD_MS);
    await jobs.store.submit([{ id, owner, capture, origin: 'http://localhost' }]);
    return id;
  };
  const list = async (owner: string): Promise<string[]> => {
    const { body } = await call(owner, 'get', '/jobs?state=queued');
    return body.jobs.map(({ id }: { id: string }) => id);
  };

  it('are listed for their key, and all of them for default', async () => {
    const ids = [await submit('shop'), await submit('blog'), await submit('default')];
    const { body } = await call('blog', 'post', '/jobs/batch', { body: { captures: [capture, capture] } });
    const batch: string[] = body.jobs.map(({ id }: { id: string }) => id);

    expect(await list('shop')).toEqual([ids[0]]);
    expect(await list('blog')).toEqual([...batch.toReversed(), ids[1]]);
    expect(await list('default')).toEqual([...batch.toReversed(), ...ids.toReversed()]);
  });

  it.each([
    ['get', ''],
    ['head', ''],
    ['get', '/result'],
    ['delete', ''],
  ] as const)('answer %s%s of another key as for an unknown id, and stay as they are', async (method, end) => {
    const [own, unknown] = [await submit('shop'), createJobId(Date.now())];
    const { body } = await call('shop', 'post', '/jobs/batch', { body: { captures: [capture] } });
    const [{ id: ofBatch }] = body.jobs;
    const [old, forgotten] = [await submitOld('shop'), createJobId(Date.now() - OLD_MS)];
    const answerTo = async (id: string) => comparable(await call('blog', method, `/jobs/${id}${end}`));

    const toUnknown = await answerTo(unknown);

    expect(toUnknown).toMatchObject(method === 'head' ? { status: 404 } : NOT_FOUND);
    expect(await answerTo(own)).toEqual(toUnknown);
    expect(await answerTo(ofBatch)).toEqual(toUnknown);
    expect(await answerTo(old)).toEqual(await answerTo(forgotten));
    for (const id of [own, ofBatch, old]) expect((await jobs.store.get(id))?.state).toBe('queued');
    expect((await call('default', method, `/jobs/${own}${end}`)).status).toBe(end === '' ? 200 : 409);
  });

  it('that were removed after the retention are expired for every key, like ids that never had a job', async () => {
    const [old, never] = [await submitOld('shop'), createJobId(Date.now() - OLD_MS)];
    const before = comparable(await call('blog', 'get', `/jobs/${old}`));

    await jobs.store.cancel(old);
    await jobs.store.remove(old);

    expect(before).toMatchObject({ status: 410, body: { error_type: 'JobExpiredError' } });
    for (const owner of ['shop', 'blog', 'default'])
      for (const id of [old, never]) expect(comparable(await call(owner, 'get', `/jobs/${id}`))).toEqual(before);
  });

  it('are cancelled by their own key', async () => {
    const id = await submit('shop');

    const { status, body } = await call('shop', 'delete', `/jobs/${id}`);

    expect([status, body.state]).toEqual([200, 'cancelled']);
  });

  it('use the idempotency keys of their own key', async () => {
    const again = { 'Idempotency-Key': 'nightly' };
    const ids: string[] = [];
    for (const owner of ['shop', 'blog', 'default', 'shop', 'blog', 'default']) ids.push(await submit(owner, again));

    expect(ids.slice(3)).toEqual(ids.slice(0, 3));
    expect(new Set(ids).size).toBe(3);
    const known = jobs.store.submit([], { key: 'nightly', fingerprint: 'other' });
    await expect(known).rejects.toMatchObject({ type: 'IdempotencyError' }); // the form of earlier versions
  });

  it('are new jobs if another key has used the idempotency key for another request', async () => {
    const headers = { 'Idempotency-Key': 'weekly' };
    const one = { capture: { ...capture, format: 'pdf' } };
    const batch = { captures: [capture, capture] };
    await submit('shop', headers);

    const ofBlog = await call('blog', 'post', '/jobs/batch', { body: batch, headers });
    const again = await call('blog', 'post', '/jobs/batch', { body: batch, headers });

    expect([ofBlog.status, again.status]).toEqual([202, 202]);
    expect(again.body).toEqual(ofBlog.body);
    for (const owner of ['shop', 'blog'])
      expect((await call(owner, 'post', '/jobs', { body: one, headers })).status).toBe(422);
    expect((await call('default', 'post', '/jobs', { body: one, headers })).status).toBe(202);
  });

  it('are not listed with a cursor of another key', async () => {
    const newest = Array.from({ length: 2 * (JOBS_IN_A_PAGE + 1) }, (_, index) => ({
      id: createJobId(Date.now()),
      owner: index % 2 === 0 ? 'shop' : 'blog',
      capture,
      origin: 'http://localhost',
    }));
    await jobs.store.submit(newest);
    const { body } = await call('shop', 'get', '/jobs?state=queued');
    const next = `/jobs?state=queued&cursor=${body.next_cursor}`;

    for (const owner of ['shop', 'blog']) {
      const { jobs: listed } = (await call(owner, 'get', next)).body;
      const owners = await Promise.all(listed.map(async ({ id }: { id: string }) => (await jobs.store.get(id))?.owner));
      expect(new Set(owners)).toEqual(new Set([owner]));
    }
  });
});
