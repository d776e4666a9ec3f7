import type { DatabaseSync } from 'node:sqlite';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJobId } from '../../../src/parts/jobs/job-id.ts';
import type { JobStore } from '../../../src/parts/jobs/job-store.ts';
import { openDatabase } from '../../../src/parts/jobs/sqlite/open-database.ts';
import type { UnreadableRecord } from '../../../src/parts/jobs/job-codec.ts';
import { createSqliteStore } from '../../../src/parts/jobs/sqlite/sqlite-job-store.ts';
import { createMonotonicClock } from '../../../src/parts/jobs/sqlite/reopening-store.ts';
import { idsOf } from '../../support/stored-capture.ts';

const ERROR = { type: 'NavigationError', message: 'no' } as const;
const leases = { jobMs: 60_000, webhookMs: 60_000 };

let parent = '';
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'unreadable-'));
});
afterAll(() => rm(parent, { recursive: true }));

interface World extends AsyncDisposable {
  readonly database: DatabaseSync;
  readonly store: JobStore;
  readonly reported: UnreadableRecord[];
  readonly submit: () => Promise<string>;
  readonly fail: () => Promise<unknown>;
}

async function open(): Promise<World> {
  const database = await openDatabase(await mkdtemp(join(parent, 'store-')));
  const reported: UnreadableRecord[] = [];
  const onUnreadable = (record: UnreadableRecord): void => void reported.push(record);
  const store = createSqliteStore({ database, leases, onUnreadable });
  return {
    database,
    store,
    reported,
    submit: async () => {
      const webhookUrl = 'https://example.com/hook';
      const capture = { url: 'https://example.com/' };
      const job = { id: createJobId(Date.now()), capture, webhookUrl, origin: 'http://localhost:8080' };
      return (await idsOf(store.submit([job])))[0] ?? '';
    },
    fail: async () => {
      const claim = await store.claim();
      return claim && (await store.fail(claim, ERROR));
    },
    [Symbol.asyncDispose]: async () => store[Symbol.asyncDispose](),
  };
}

describe('an unreadable row in SQLite', () => {
  it.each([
    ['capture fields that are not JSON', `UPDATE captures SET fields = '{"url' WHERE seq = 1`],
    ['capture fields of another form', `UPDATE captures SET fields = '[1]' WHERE seq = 1`],
    ['no capture fields', 'DELETE FROM captures WHERE seq = 1'],
    ['a number of attempts that is text', `UPDATE jobs SET attempts = 'many' WHERE seq = 1`],
  ])('does not stop the next claim: %s', async (_, damage) => {
    await using world = await open();
    const [bad, good] = [await world.submit(), await world.submit()];

    world.database.exec(damage);

    expect((await world.store.claim())?.id).toBe(good);
    expect(world.reported.map(({ id }) => id)).toContain(bad);
    expect(JSON.stringify(world.reported)).not.toContain('{"url');
    expect(await world.store.claim()).toBeUndefined();
  });

  it('is not claimed if its state is unknown', async () => {
    await using world = await open();
    const [, good] = [await world.submit(), await world.submit()];

    world.database.exec(`UPDATE jobs SET state = 'paused' WHERE seq = 1`);

    expect((await world.store.claim())?.id).toBe(good);
    expect(await world.store.claim()).toBeUndefined();
    expect(world.database.prepare('SELECT state FROM jobs WHERE seq = 1').get()).toEqual({ state: 'paused' });
  });

  it('fails its job and sends the webhook if the capture fields are lost', async () => {
    await using world = await open();
    const id = await world.submit();
    world.database.exec('DELETE FROM captures');

    await world.store.claim();

    expect(await world.store.get(id)).toMatchObject({
      state: 'failed',
      error: { type: 'InternalServerError' },
    });
    expect(await world.store.claimWebhook()).toMatchObject({ id });
  });

  it.each([
    ['an error that is not JSON', `error = '{'`],
    ['an error of an unknown type', `error = '{"type":"NewError","message":"x"}'`],
    ['a result of an unknown format', `result = '{"path":"a","format":"jxl"}'`],
    ['a time that is text', `created_at = 'yesterday'`],
  ])('does not stop lists, sweeps, counts and webhooks: %s', async (_, damage) => {
    await using world = await open();
    const [bad, good] = [await world.submit(), await world.submit()];
    await world.fail();
    await world.fail();
    world.database.exec(`UPDATE jobs SET ${damage} WHERE seq = 1`);
    const { store } = world;

    const listed = await store.list('failed', { limit: 10 });
    const { old } = await store.findSweepable({ before: Infinity, maxBytes: 0, limit: 1 });
    const webhook = await store.claimWebhook();

    expect(listed.jobs.map(({ id }) => id)).toEqual([good]);
    expect(old.map(({ id }) => id)).toEqual([good]);
    expect(webhook?.id).toBe(good);
    expect(await store.counts()).toEqual({ queued: 0, running: 0, webhooks: 2 });
    await expect(store.get(bad)).rejects.toMatchObject({ type: 'StorageError' });
    expect(world.reported.map(({ id }) => id)).toEqual([bad]); // reported once
  });

  it('does not stop a list if such rows fill a whole page', async () => {
    await using world = await open();
    const good = await world.submit();
    for (let count = 0; count < 5; count++) await world.submit();
    world.database.exec(`UPDATE jobs SET created_at = 'x' WHERE seq > 1`);

    const first = await world.store.list('queued', { limit: 3 });
    const second = await world.store.list('queued', { limit: 3 });

    expect(first.next).toBeDefined();
    expect([...first.jobs, ...second.jobs].map(({ id }) => id)).toEqual([good]);
  });

  it('does not stop other webhooks if the job of a webhook is missing', async () => {
    await using world = await open();
    await world.submit();
    const good = await world.submit();
    await world.fail();
    await world.fail();
    world.database.exec('DELETE FROM jobs WHERE seq = 1');

    expect((await world.store.claimWebhook())?.id).toBe(good);
    expect(await world.store.counts()).toMatchObject({ webhooks: 1 });
    expect(world.reported).toHaveLength(1);
  });

  it.each([
    ['a job id of bytes', `job = x'00ff'`],
    ['a number of attempts that is text', `attempt = 'many'`],
    ['a time that is text', `recorded_at = 'yesterday'`],
    ['a path of bytes', `path = x'00ff'`],
  ])('does not stop the checks of other files: %s', async (_, damage) => {
    await using world = await open();
    const paths = ['~jobs/a.png', '~jobs/b.png', '~jobs/c.png'];
    const recordedAt = Date.now();
    for (const path of paths) await world.store.recordFile({ path, jobId: 'j', attempt: 1, recordedAt }, 0);
    world.database.exec(`UPDATE files SET ${damage} WHERE path = '~jobs/a.png'`);

    const [first, ...others] = [1, 1, 10].map((limit) => world.store.dueFiles(limit));

    expect((await first)?.map(({ path }) => path)).toEqual(['~jobs/b.png']);
    expect((await Promise.all(others)).map((files) => files.length)).toEqual([1, 2]);
    expect(world.reported).toEqual([{ id: expect.stringMatching(/^file /), reason: expect.any(String) }]);
    expect(world.database.prepare('SELECT count(*) AS n FROM files').get()).toEqual({ n: 3 });
  });

  it('ends a job whose capture fields and webhook address are damaged', async () => {
    await using world = await open();
    const [bad, good] = [await world.submit(), await world.submit()];
    world.database.exec(`DELETE FROM captures WHERE seq = 1; UPDATE jobs SET webhook_url = x'00' WHERE seq = 1`);

    expect((await world.store.claim())?.id).toBe(good);
    expect((await world.store.get(bad))?.state).toBe('failed');
    expect(await world.store.claimWebhook()).toBeUndefined();
  });

  it('is replaced if it is the clock of the database', async () => {
    await using world = await open();
    createMonotonicClock(world.database);
    world.database.exec(`UPDATE totals SET value = 'noon' WHERE name GLOB 'clock of *'`);

    const monotonicNow = createMonotonicClock(world.database);

    expect(Math.abs(monotonicNow() - Date.now())).toBeLessThan(60_000);
  });

  it('is replaced by the next request if it is an idempotency key', async () => {
    await using world = await open();
    const job = { capture: { url: 'https://example.com/' }, origin: 'http://localhost:8080' };
    const key = { key: 'k', fingerprint: 'f' };
    await world.store.submit([{ ...job, id: createJobId(Date.now()) }], key);
    world.database.exec(`UPDATE idempotency SET ids = '['`);
    const id = createJobId(Date.now());

    expect(await idsOf(world.store.submit([{ ...job, id }], key))).toEqual([id]);
    expect(await idsOf(world.store.submit([{ ...job, id: createJobId(Date.now()) }], key))).toEqual([id]);
  });
});
