import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseOptions } from '../../../src/capture/request/parse-options.ts';
import { createJobId } from '../../../src/jobs/job-id.ts';
import { createJobs, type Jobs } from '../../../src/jobs/jobs.ts';
import { openDatabase } from '../../../src/jobs/sqlite/open-database.ts';
import { createSqliteStore } from '../../../src/jobs/sqlite/sqlite-store.ts';
import { appWith } from '../../support/app.ts';
import { ringOf } from '../../support/keys.ts';
import { createMemoryStorage } from '../../support/memory-storage.ts';
import { CAPTURE_RESULT } from '../../support/stored-capture.ts';

const capture = { url: 'https://example.com/' };
const RETENTION_SECONDS = 3_600;
const OLD_MS = 2 * RETENTION_SECONDS * 1_000;

describe('jobs of three keys', () => {
  let folder: string;
  let jobs: Jobs;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'owned-jobs-'));
    const database = await openDatabase(folder);
    jobs = createJobs({
      store: createSqliteStore({ database, leases: { jobMs: 60_000, webhookMs: 60_000 } }),
      storage: createMemoryStorage(),
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
    method: 'get' | 'post' | 'delete',
    path: string,
    { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
  ) => {
    const app = appWith({ keys: ring, jobs, now: () => Date.now() / 1_000 });
    const sent = request(app)[method](path).set('Authorization', `Bearer token-of-${owner}`).set(headers);
    const { status, body: json } = await sent.send(body);
    const { timestamp: _, request_id: __, ...rest } = json;
    return { status, json: rest };
  };
  const submit = async (owner: string, headers: Record<string, string> = {}): Promise<string> => {
    const { json } = await call(owner, 'post', '/jobs', { body: { capture }, headers });
    return json.id;
  };
  const list = async (owner: string): Promise<string[]> => {
    const { json } = await call(owner, 'get', '/jobs?state=queued');
    return json.jobs.map(({ id }: { id: string }) => id);
  };

  it('are listed for their key, and all of them for default', async () => {
    const ids = [await submit('shop'), await submit('blog'), await submit('default')];
    const { json } = await call('blog', 'post', '/jobs/batch', { body: { captures: [capture, capture] } });
    const batch: string[] = json.jobs.map(({ id }: { id: string }) => id);

    expect(await list('shop')).toEqual([ids[0]]);
    expect(await list('blog')).toEqual([...batch.toReversed(), ids[1]]);
    expect(await list('default')).toEqual([...batch.toReversed(), ...ids.toReversed()]);
  });

  it.each([
    ['get', ''],
    ['get', '/result'],
    ['delete', ''],
  ] as const)(
    'answer %s%s of another key as for an unknown id, and stay as they are',
    async (method, end) => {
      const [own, unknown] = [await submit('shop'), createJobId(Date.now())];
      const old = createJobId(Date.now() - OLD_MS);
      await jobs.store.submit([{ id: old, owner: 'shop', capture, origin: 'http://localhost' }]);
      const forgotten = createJobId(Date.now() - OLD_MS);

      const ofOther = await call('blog', method, `/jobs/${own}${end}`);

      expect([ofOther.status, ofOther.json.error_type]).toEqual([404, 'NotFoundError']);
      expect(ofOther).toEqual(await call('blog', method, `/jobs/${unknown}${end}`));
      expect(await call('blog', method, `/jobs/${old}${end}`)).toEqual(
        await call('blog', method, `/jobs/${forgotten}${end}`),
      );
      expect((await jobs.store.get(own))?.state).toBe('queued');
      expect((await jobs.store.get(old))?.state).toBe('queued');
      expect((await call('default', method, `/jobs/${own}${end}`)).status).toBe(end === '' ? 200 : 409);
    },
  );

  it('are cancelled by their own key', async () => {
    const id = await submit('shop');

    const { status, json } = await call('shop', 'delete', `/jobs/${id}`);

    expect([status, json.state]).toEqual([200, 'cancelled']);
  });

  it('use the idempotency keys of their own key', async () => {
    const again = { 'Idempotency-Key': 'nightly' };
    const ids: string[] = [];
    for (const owner of ['shop', 'blog', 'default', 'shop', 'blog', 'default'])
      ids.push(await submit(owner, again));

    expect(ids.slice(3)).toEqual(ids.slice(0, 3));
    expect(new Set(ids).size).toBe(3);
    const known = jobs.store.submit([], { key: 'nightly', fingerprint: 'other' });
    await expect(known).rejects.toMatchObject({ type: 'IdempotencyError' }); // the form of earlier versions
  });
});
