import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJobId } from '../../../src/parts/jobs/job-id.ts';
import type { NewJob } from '../../../src/parts/jobs/job.ts';
import type { JobStore } from '../../../src/parts/jobs/job-store.ts';
import type { UnreadableRecord } from '../../../src/parts/jobs/job-codec.ts';
import { openSqliteStore } from '../../../src/parts/jobs/sqlite/open-sqlite-jobs.ts';
import { eventually } from '../../support/eventually.ts';
import { idsOf } from '../../support/stored-capture.ts';

const leases = { jobMs: 60_000, webhookMs: 60_000 };
const WORKER = new URL('../../../src/parts/jobs/sqlite/job-store-worker.ts', import.meta.url);

let parent = '';
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'open-sqlite-'));
});
afterAll(() => rm(parent, { recursive: true }));

const newFolder = (): Promise<string> => mkdtemp(join(parent, 'store-'));
const newJob = (): NewJob => ({
  id: createJobId(Date.now()),
  capture: { url: 'https://example.com/' },
  origin: 'http://localhost:8080',
});

interface World extends AsyncDisposable {
  readonly store: JobStore;
  readonly file: string;
  readonly folder: string;
  readonly threads: Worker[];
  readonly deaths: Error[];
  readonly unreadable: UnreadableRecord[];
}

function open(folder: string, beginLimitMs = 20_000): World {
  const [threads, deaths, unreadable]: [Worker[], Error[], UnreadableRecord[]] = [[], [], []];
  const store = openSqliteStore({
    folder,
    leases,
    beginLimitMs,
    onUnreadable: (record) => unreadable.push(record),
    onDeath: (error) => deaths.push(error),
    startWorker: (workerData) => {
      const thread = new Worker(WORKER, { workerData, env: {} });
      threads.push(thread);
      return thread;
    },
  });
  const file = join(folder, 'jobs.sqlite');
  const close = async (): Promise<void> => store[Symbol.asyncDispose]();
  return { store, folder, file, threads, deaths, unreadable, [Symbol.asyncDispose]: close };
}

/** Starts another process that holds the write lock until it is killed. */
async function holdLock(file: string): Promise<ChildProcess> {
  const code = `
    const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(process.argv[1]);
    database.exec('BEGIN IMMEDIATE');
    process.stdout.write('held');
    setInterval(() => database.isTransaction, 1000);`;
  const child = spawn(process.execPath, ['-e', code, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

describe('the job store in its worker thread', () => {
  it('keeps jobs, reports work and throws the errors of the store', async () => {
    await using world = open(await newFolder());
    const { store } = world;
    let notified = 0;
    store.onWork(() => (notified += 1));
    const job = newJob();

    expect(await idsOf(store.submit([job], { key: 'k', fingerprint: 'f' }))).toEqual([job.id]);

    expect(await store.claim()).toMatchObject({ id: job.id, capture: job.capture });
    expect(notified).toBe(1);
    await expect(store.submit([newJob()], { key: 'k', fingerprint: 'g' })).rejects.toMatchObject({
      type: 'IdempotencyError',
    });
    await expect(store.list('done', { cursor: 'x', limit: 1 })).rejects.toMatchObject({ details: /cursor/ });
  });

  // Each call blocked the event loop for 250 ms: 35 cancellations made /health/live take 9 s.
  it('does not block the event loop while another process holds the write lock, and still reads', async () => {
    await using world = open(await newFolder());
    const { store } = world;
    const ids = await idsOf(store.submit(Array.from({ length: 35 }, newJob)));
    const holder = await holdLock(world.file);
    const loopDelays = monitorEventLoopDelay({ resolution: 10 });

    loopDelays.enable();
    const cancelling = Promise.all(ids.map(store.cancel));
    const read = await Promise.all(ids.map(store.get));
    loopDelays.disable();
    await end(holder);

    expect(read.map((job) => job?.state)).toEqual(Array(35).fill('queued'));
    expect(loopDelays.percentile(50) / 1e6).toBeLessThan(200); // each call used to block for 250 ms or more
    expect(await cancelling).toEqual(Array(35).fill(true));
  });

  it('refuses a write with the cause if the lock is held for too long, and does not write later', async () => {
    await using world = open(await newFolder(), 500);
    const { store } = world;
    await eventually(() => store.counts());
    const holder = await holdLock(world.file);

    const refused = await Promise.allSettled([store.submit([newJob()]), store.submit([newJob()])]);
    await end(holder);

    for (const each of refused) expect(each).toMatchObject({ reason: { message: /holds the lock/ } });
    expect((await eventually(() => store.counts())).queued).toBe(0);
    expect(await eventually(() => store.submit([newJob()]))).toHaveLength(1);
  });

  it('starts a new thread if the thread has died', async () => {
    await using world = open(await newFolder());
    const [id = ''] = await idsOf(world.store.submit([newJob()]));

    const requested = world.store.get(id);
    await world.threads[0]?.terminate();

    await requested.catch(() => undefined); // it may have been answered before
    expect(await eventually(() => world.store.get(id))).toMatchObject({ id });
    expect([world.threads.length, world.deaths.length]).toEqual([2, 1]);
  });

  it('closes once, within a time limit, even if another process holds the lock', async () => {
    const world = open(await newFolder());
    await world.store.counts();
    const holder = await holdLock(world.file);
    const writing = Promise.allSettled([world.store.submit([newJob()])]);

    await Promise.all([world.store[Symbol.asyncDispose](), world.store[Symbol.asyncDispose]()]);
    await end(holder);

    expect((await writing)[0].status).toBe('rejected');
    await expect(world.store.counts()).rejects.toThrow(/closed/);
    expect(world.deaths).toEqual([]);
  });

  it('reports an unreadable record', async () => {
    await using world = open(await newFolder());
    const [id = ''] = await idsOf(world.store.submit([newJob()]));
    const other = new DatabaseSync(world.file);
    other.exec(`UPDATE captures SET fields = '{'`);
    other.close();

    expect(await world.store.claim()).toBeUndefined();

    expect(world.unreadable).toMatchObject([{ id }]);
    expect(await world.store.get(id)).toMatchObject({ state: 'failed' });
  });
});

const foreign = async (file: string, sql: string): Promise<void> => {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
};

describe('an unusable jobs.sqlite', () => {
  const cases: readonly (readonly [name: string, spoil: (file: string) => Promise<unknown>, cause: RegExp])[] = [
    ['a text file', (file) => writeFile(file, 'notes '.repeat(200)), /not a database/],
    ['a database of another program', (file) => foreign(file, 'CREATE TABLE notes (text)'), /another program/],
    [
      'a database of another program with a version and a table of the same name',
      (file) => foreign(file, 'CREATE TABLE jobs (id); PRAGMA user_version = 1'),
      /another program/,
    ],
    ['a file of a newer version', (file) => foreign(file, 'PRAGMA user_version = 99'), /newer version/],
    ['a folder', (file) => mkdir(file), /cannot be opened/],
  ];

  it.each(cases)('is not changed, and calls name the cause: %s', async (_, spoil, cause) => {
    const folder = await newFolder();
    await using world = open(folder);
    await spoil(world.file);
    const before = await readFile(world.file).catch(() => 'folder');

    const refused = await Promise.allSettled([world.store.submit([newJob()]), world.store.claim()]);

    for (const each of refused) expect(each).toMatchObject({ reason: { message: cause } });
    expect(JSON.stringify(refused)).not.toContain(folder);
    expect(await readFile(world.file).catch(() => 'folder')).toEqual(before);
    await rename(world.file, `${world.file}.away`);
    expect(await eventually(() => world.store.submit([newJob()]))).toHaveLength(1);
  });

  it.each([
    ['before it is opened', false],
    ['while it is open', true],
  ])('is damaged %s, and the store works again after the file is moved away', async (_, isOpen) => {
    const folder = await newFolder();
    const first = open(folder);
    await first.store.submit(Array.from({ length: 50 }, newJob));
    await first.store.tidy(); // flushes everything to the file
    await first.store.counts();
    if (!isOpen) await first.store[Symbol.asyncDispose]();
    await using world = isOpen ? first : open(folder);

    await truncate(world.file, 8_192);

    const listing = async () => await world.store.list('queued', { limit: 50 });
    await expect(listing()).rejects.toThrow(/damaged|cannot be read|not a database/);
    for (const end of ['', '-wal', '-shm']) await rm(`${world.file}${end}`, { force: true });
    await eventually(async () => expect((await listing()).jobs).toEqual([]));
  });

  it('is in a missing folder, and the store works again once the folder exists', async () => {
    const blocker = join(await newFolder(), 'file');
    await writeFile(blocker, '');
    await using world = open(join(blocker, 'data'));

    await expect(world.store.counts()).rejects.toThrow(/DATA_DIR/);

    await rm(blocker);
    await eventually(async () => expect((await world.store.counts()).queued).toBe(0));
  });
});
