import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createJobId } from '../../../src/parts/jobs/job-id.ts';
import type { JobRecord } from '../../../src/parts/jobs/job.ts';
import type { JobStore } from '../../../src/parts/jobs/job-store.ts';
import { connectRedis } from '../../../src/parts/jobs/redis/connect.ts';
import { createRedisStore } from '../../../src/parts/jobs/redis/redis-job-store.ts';
import { openSqliteStore } from '../../../src/parts/jobs/sqlite/open-sqlite-jobs.ts';
import { eventually } from '../../support/eventually.ts';
import { HAS_REDIS, startRedis } from '../../support/redis.ts';
import { idsOf } from '../../support/stored-capture.ts';

const WORKER = join(import.meta.dirname, '../../support/job-worker.ts');
const JOBS = 40;
const KILLS = 3;
/**
 * For jobs of killed processes. A process that a busy machine stops for longer loses its jobs, and a job has three
 * attempts.
 */
const SHORT_LEASE_MS = 5_000;
/** A busy machine may stop a process for seconds: with a shorter lease, another one would repeat its work. */
const LONG_LEASE_MS = 60_000;

const engines = ['SQLite', 'Redis'] as const;

for (const engine of engines) {
  describe.skipIf(engine === 'Redis' && !HAS_REDIS)(`jobs in ${engine} (Redis needs redis-server)`, () => {
    it('are all done, each with its result and webhook, although their process is killed repeatedly', async () => {
      await using world = await openWorld(engine);
      const { ids } = world;

      for (let kill = 0; kill < KILLS; kill++) {
        const started = world.lines('captures.log').length;
        const worker = world.startWorker();
        await eventually(() => expect(world.lines('captures.log').length).toBeGreaterThan(started + 5));
        await end(worker);
      }
      const last = world.startWorker();
      const records = await world.untilDone();
      await eventually(async () => expect((await world.store.counts()).webhooks).toBe(0));
      await eventually(async () => expect(await world.files()).toEqual(pathsOf(records)));
      await end(last);

      const captured = world.lines('captures.log');
      expect(new Set(world.lines('webhooks.log'))).toEqual(new Set(ids.map((id) => `job_${id}`)));
      expect(new Set(captured).size).toBe(JOBS);
      expect(captured.length - JOBS).toBeLessThanOrEqual(2 * KILLS); // two captures run at each kill
    }, 120_000);

    it('are each captured once by two processes, which keep the files of each other', async () => {
      await using world = await openWorld(engine);

      const workers = [world.startWorker(LONG_LEASE_MS), world.startWorker(LONG_LEASE_MS)];
      const records = await world.untilDone();
      await eventually(async () => expect((await world.store.counts()).webhooks).toBe(0));
      await Promise.all(workers.map(end));

      const texts = records.map((job) => readFile(join(world.folder, 'storage', job?.result?.path ?? ''), 'utf8'));
      expect(await Promise.all(texts)).toEqual(world.urls.map((url) => `picture of ${url}`));
      expect(await world.files()).toEqual(pathsOf(records));
      expect(world.lines('captures.log').toSorted()).toEqual(world.urls.toSorted());
      expect(world.lines('webhooks.log').toSorted()).toEqual(world.ids.map((id) => `job_${id}`).toSorted());
      expect(records.map((job) => job?.attempts)).toEqual(Array<number>(JOBS).fill(1));
    }, 120_000);
  });
}

/** A store with waiting jobs, and the folder in which workers leave their results and logs. */
async function openWorld(engine: (typeof engines)[number]) {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'killed-'));
  opened.defer(() => rm(folder, { recursive: true }));
  const redis = engine === 'Redis' ? opened.use(await startRedis()) : undefined;
  const store = opened.use(await openStore(folder, redis?.url));
  const urls = Array.from({ length: JOBS }, (_, index) => `https://example.com/${index}`);
  const jobs = urls.map((url) => ({
    id: createJobId(Date.now()),
    capture: { url },
    origin: 'http://localhost:8080',
    webhookUrl: 'https://example.com/hook',
  }));
  const ids = await idsOf(store.submit(jobs));
  const kept = opened.move();
  return {
    folder,
    store,
    urls,
    ids,
    startWorker: (leaseMs = SHORT_LEASE_MS): ChildProcess => {
      const worker = startWorker(folder, leaseMs, redis?.url);
      kept.defer(() => end(worker));
      return worker;
    },
    lines: (name: string): string[] =>
      existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1) : [],
    /** Paths of all stored files, without media types and the key of links. */
    files: async (): Promise<string[]> => {
      const root = join(folder, 'storage');
      const found = await readdir(root, { recursive: true, withFileTypes: true });
      const names = found.filter((each) => each.isFile() && !/~(?:type|key)$/.test(each.name));
      return names.map(({ parentPath, name }) => relative(root, join(parentPath, name))).toSorted();
    },
    untilDone: () =>
      eventually(async () => {
        const found = await Promise.all(ids.map(store.get));
        expect(found.map((job) => job?.state)).toEqual(Array<JobRecord['state']>(JOBS).fill('done'));
        return found;
      }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function pathsOf(records: readonly (JobRecord | undefined)[]): string[] {
  return records.map((job) => job?.result?.path ?? '').toSorted();
}

async function openStore(folder: string, redisUrl: string | undefined): Promise<JobStore> {
  const leases = { jobMs: SHORT_LEASE_MS, webhookMs: SHORT_LEASE_MS };
  if (redisUrl === undefined)
    return openSqliteStore({ folder, leases, onUnreadable: () => undefined, onDeath: () => undefined });
  const client = await connectRedis(redisUrl, () => undefined);
  return await createRedisStore({ client, leases, onError: () => undefined });
}

function startWorker(folder: string, leaseMs: number, redisUrl = ''): ChildProcess {
  const child = spawn(process.execPath, [WORKER, folder, String(leaseMs), redisUrl], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
