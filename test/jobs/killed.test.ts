import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createJobId } from '../../src/jobs/job-id.ts';
import type { JobRecord } from '../../src/jobs/job.ts';
import type { JobStore } from '../../src/jobs/job-store.ts';
import { connectRedis } from '../../src/jobs/redis/connect.ts';
import { createRedisStore } from '../../src/jobs/redis/redis-store.ts';
import { openDatabase } from '../../src/jobs/sqlite/open-database.ts';
import { createSqliteStore } from '../../src/jobs/sqlite/sqlite-store.ts';
import { eventually } from '../support/eventually.ts';
import { HAS_REDIS, startRedis } from '../support/redis.ts';

const WORKER = join(import.meta.dirname, '../support/job-worker.ts');
const JOBS = 40;
const KILLS = 3;

const engines = HAS_REDIS ? (['SQLite', 'Redis'] as const) : (['SQLite'] as const);

describe.each(engines)('jobs in %s (Redis needs redis-server)', (engine) => {
  it('are all done, each with its result and webhook, although their process is killed repeatedly', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'killed-'));
    await using redis = engine === 'Redis' ? await startRedis() : undefined;
    await using store = await openStore(folder, redis?.url);
    const jobs = Array.from({ length: JOBS }, (_, index) => ({
      id: createJobId(Date.now()),
      capture: { url: `https://example.com/${index}` },
      origin: 'http://localhost:8080',
      webhookUrl: 'https://example.com/hook',
    }));
    const ids = await store.submit(jobs);
    const lines = (name: string): string[] =>
      existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1) : [];

    for (let kill = 0; kill < KILLS; kill++) {
      const started = lines('captures.log').length;
      const worker = startWorker(folder, redis?.url);
      await eventually(() => expect(lines('captures.log').length).toBeGreaterThan(started + 5));
      await end(worker);
    }
    const last = startWorker(folder, redis?.url);
    const records = await eventually(async () => {
      const found = await Promise.all(ids.map(store.get));
      expect(found.map((job) => job?.state)).toEqual(Array<JobRecord['state']>(JOBS).fill('done'));
      return found;
    });
    await eventually(async () => expect((await store.counts()).webhooks).toBe(0));
    await end(last);

    const captured = lines('captures.log');
    expect(records.filter((job) => !existsSync(join(folder, job?.result?.path ?? '')))).toEqual([]);
    expect(new Set(lines('webhooks.log'))).toEqual(new Set(ids.map((id) => `job_${id}`)));
    expect(new Set(captured).size).toBe(JOBS);
    expect(captured.length - JOBS).toBeLessThanOrEqual(2 * KILLS); // two captures run at each kill
    await rm(folder, { recursive: true });
  }, 120_000);
});

async function openStore(folder: string, redisUrl: string | undefined): Promise<JobStore> {
  const leases = { jobMs: 2_000, webhookMs: 2_000 };
  if (redisUrl === undefined) return createSqliteStore({ database: await openDatabase(folder), leases });
  const client = await connectRedis(redisUrl, () => undefined);
  return await createRedisStore({ client, leases, onError: () => undefined });
}

function startWorker(folder: string, redisUrl = ''): ChildProcess {
  const child = spawn(process.execPath, [WORKER, folder, redisUrl], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
