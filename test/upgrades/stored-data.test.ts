import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobStore } from '../../src/parts/jobs/job-store.ts';
import { openRedisStore } from '../../src/parts/jobs/redis/open-redis-jobs.ts';
import { openDatabase } from '../../src/parts/jobs/sqlite/open-database.ts';
import { createSqliteStore } from '../../src/parts/jobs/sqlite/sqlite-job-store.ts';
import { createUsageOf } from '../../src/parts/usage/create-usage.ts';
import { openUsage } from '../../src/parts/usage/sqlite-usage.ts';
import { HAS_REDIS, startRedis } from '../support/redis.ts';

/**
 * Data that released versions have written, by version: a job that is done, one that has failed, one that is cancelled and one that waits,
 * all of the key `shop`, and the usage of this key. Never change a file; add those of a new format.
 */
const RELEASES = ['0.1.0'];

const JOBS = {
  counts: [1, 1, 1, 1],
  result: expect.stringMatching(/\.html$/),
  error: 'ElementNotFoundError',
  claimed: ['shop', expect.objectContaining({ html_content: '<p>queued', format: 'html' })],
};
const LEASES = { jobMs: 60_000, webhookMs: 60_000 };
const log = pino({ level: 'silent' });

describe.each(RELEASES)('data that version %s has written', (release) => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'upgrade-test-'));
    await mkdir(folder, { recursive: true });
    for (const name of ['jobs.sqlite', 'usage.sqlite', 'redis.rdb'])
      await copyFile(join(import.meta.dirname, release, name), join(folder, name));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is read in SQLite, and its waiting job runs', async () => {
    const database = await openDatabase(folder);
    await using store = createSqliteStore({ database, leases: LEASES });

    expect(await jobsOf(store)).toEqual(JOBS);
  });

  it.skipIf(!HAS_REDIS)('is read in Redis, and its waiting job runs (needs redis-server)', async () => {
    await using redis = await startRedis(['--dir', folder, '--dbfilename', 'redis.rdb']);
    const { opening } = await openRedisStore(redis.url, { leases: LEASES }, log, () => undefined);
    await using store = await opening;

    expect(await jobsOf(store)).toEqual(JOBS);
    expect(String(await redis.send(['GET', 'capture-service:jobs:format']))).toBe('1');
  });

  it('keeps the usage of keys', async () => {
    const usage = await openUsage(folder);

    const days = usage.read('shop', '2026-11-25', '2026-11-25');

    usage.close();
    expect(days).toMatchObject([{ date: '2026-11-25', captures: 2, failed: 1, jobs: 4 }]);
    expect(versionOf(join(folder, 'usage.sqlite'))).toBe(1);
  });
});

describe('data of a newer version', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'upgrade-test-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is refused in jobs.sqlite and in usage.sqlite, and stays as it is', async () => {
    for (const name of ['jobs.sqlite', 'usage.sqlite']) {
      const database = new DatabaseSync(join(folder, name));
      database.exec('CREATE TABLE future (a); PRAGMA user_version = 99');
      database.close();
    }

    await expect(openDatabase(folder)).rejects.toThrow(
      'jobs.sqlite in DATA_DIR was written by a newer version of this service (99, not ',
    );
    await expect(createUsageOf({ keysFile: 'keys.json', redisUrl: undefined, dataDir: folder, log })).rejects.toThrow(
      'usage.sqlite in DATA_DIR was written by a newer version of this service (99, not 1). Move it away, or set another DATA_DIR',
    );
    expect(versionOf(join(folder, 'usage.sqlite'))).toBe(99);
  });

  it.skipIf(!HAS_REDIS)('is refused in Redis (needs redis-server)', async () => {
    await using redis = await startRedis();
    await redis.send(['SET', 'capture-service:jobs:format', '2']);

    await expect(openRedisStore(redis.url, { leases: LEASES }, log, () => undefined)).rejects.toThrow(
      'REDIS_URL: the jobs of this Redis were written by a newer version of this service (format 2, not 1)',
    );
  });
});

/** Returns what is known of the jobs of `shop`, and claims the one that waits. */
async function jobsOf(store: JobStore) {
  const states = ['done', 'failed', 'cancelled', 'queued'] as const;
  const lists = await Promise.all(states.map((state) => store.list(state, { limit: 9, owner: 'shop' })));
  const [done, failed] = lists.map(({ jobs }) => jobs[0]);
  const claimed = await store.claim();
  return {
    counts: lists.map(({ jobs }) => jobs.length),
    result: done?.result?.path,
    error: failed?.error?.type,
    claimed: [claimed?.owner, claimed?.capture],
  };
}

function versionOf(file: string): number {
  const database = new DatabaseSync(file);
  try {
    return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  } finally {
    database.close();
  }
}
