import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryBudget } from '../../../src/core/ground/memory-budget.ts';
import { ServiceError } from '../../../src/core/ground/errors.ts';
import { parseOptions } from '../../../src/core/capture/request/parse-options.ts';
import { createJobId } from '../../../src/parts/jobs/job-id.ts';
import type { JobRecord } from '../../../src/parts/jobs/job.ts';
import { type JobStore, proxyStore } from '../../../src/parts/jobs/job-store.ts';
import { createJobs, type Jobs } from '../../../src/parts/jobs/jobs.ts';
import { connectRedis } from '../../../src/parts/jobs/redis/connect.ts';
import { createRedisStore } from '../../../src/parts/jobs/redis/redis-job-store.ts';
import { openSqliteStore } from '../../../src/parts/jobs/sqlite/open-sqlite-jobs.ts';
import { startSweeping } from '../../../src/parts/jobs/sweep.ts';
import { createFileStorage } from '../../../src/parts/storage/file-storage.ts';
import type { Storage } from '../../../src/parts/storage/storage.ts';
import { eventually } from '../../support/eventually.ts';
import { NO_KEYS } from '../../support/keys.ts';
import { createMemoryStorage } from '../../support/memory-storage.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis.ts';
import { CAPTURE_RESULT, idsOf } from '../../support/stored-capture.ts';

const log = pino({ level: 'silent' });
const LONG_LEASE_MS = 60_000;
const SHORT_LEASE_MS = 3_000;
const HOUR_MS = 3_600_000;

const engines = ['SQLite', 'Redis'] as const;

const end = async (jobs: Jobs): Promise<void> => {
  await jobs.stop();
  await jobs.close();
};
const submit = async ({ store }: Pick<Jobs, 'store'>): Promise<string> => {
  const job = { id: createJobId(Date.now()), capture: { url: 'https://example.com/' }, origin: 'http://a' };
  const [id = ''] = await idsOf(store.submit([job]));
  return id;
};

for (const engine of engines) {
  describe.skipIf(engine === 'Redis' && !HAS_REDIS)(
    `files of attempts that ended without a result, in ${engine} (Redis needs redis-server)`,
    () => {
      let redis: TestRedis | undefined;
      let folder: string;
      let storage: Storage;
      beforeAll(async () => {
        redis = engine === 'Redis' ? await startRedis() : undefined;
      });
      afterAll(async () => redis?.[Symbol.asyncDispose]());
      beforeEach(async () => {
        folder = await mkdtemp(join(tmpdir(), 'left-files-'));
        storage = createFileStorage({ folder: join(folder, 'storage'), linkTtlSeconds: 60 });
        await redis?.send(['FLUSHALL']);
        return () => rm(folder, { recursive: true });
      });

      const openStore = async (jobMs = LONG_LEASE_MS): Promise<JobStore> => {
        const leases = { jobMs, webhookMs: LONG_LEASE_MS };
        if (redis === undefined) {
          // As in the service: the bare store gives up at once while another process writes.
          return openSqliteStore({ folder, leases, onUnreadable: () => undefined, onDeath: () => undefined });
        }
        const client = await connectRedis(redis.url, () => undefined);
        return await createRedisStore({ client, leases, onError: () => undefined });
      };
      const startJobs = async (
        change: (store: JobStore) => Partial<JobStore> = () => ({}),
        { own = storage, leaseMs = LONG_LEASE_MS } = {},
      ) => {
        const store = await openStore(leaseMs);
        const jobs = createJobs({
          store: proxyStore((name, args) => Reflect.apply(store[name], store, args), {
            onWork: store.onWork,
            [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
            ...change(store),
          }),
          storage: own,
          memory: createMemoryBudget(1e9),
          deliver: undefined,
          keys: NO_KEYS,
          capture: async () => CAPTURE_RESULT,
          parse: async (fields) => parseOptions(fields, { maxWaitMs: 60_000 }),
          concurrency: 1,
          retentionSeconds: 1_000,
          retentionBytes: 1e9,
          metrics: { recordJob: () => undefined },
          log,
          heartbeatMs: 100,
          delaysMs: [0],
          reportDelayMs: 1,
          sweepEveryMs: 20,
        });
        jobs.start();
        return jobs;
      };
      const files = async (): Promise<string[]> => {
        const found = await readdir(join(folder, 'storage'), { recursive: true, withFileTypes: true });
        return found.filter((each) => each.isFile() && !each.name.endsWith('~type')).map(({ name }) => name);
      };
      /** Starts jobs whose process stops at `finish`, as if killed: it neither finishes nor sends heartbeats. */
      const startKilled = async (leaseMs?: number) => {
        const released = Promise.withResolvers<void>();
        const stopped = Promise.withResolvers<void>();
        const jobs = await startJobs(
          () => ({
            finish: async () => {
              stopped.resolve();
              await released.promise;
              return false;
            },
            heartbeat: async () => true,
            findSweepable: async () => ({ old: [], large: [] }),
            tidy: async () => false,
            dueFiles: async () => [],
            get: async () => undefined,
          }),
          { leaseMs },
        );
        return {
          jobs,
          stopped: stopped.promise,
          [Symbol.asyncDispose]: async () => {
            released.resolve();
            await end(jobs);
          },
        };
      };

      it('are removed if the process is killed before the end and the job is cancelled', async () => {
        await using killed = await startKilled();
        const id = await submit(killed.jobs);
        await killed.stopped;
        expect(await files()).toHaveLength(1);

        await killed.jobs.store.cancel(id);
        const next = await startJobs();

        await eventually(async () => expect(await files()).toEqual([]));
        await end(next);
      });

      it('are removed if another process completes the job, whose result stays', async () => {
        await using killed = await startKilled(SHORT_LEASE_MS);
        const id = await submit(killed.jobs);
        await killed.stopped;
        const before = await files();

        const next = await startJobs(undefined, { leaseMs: SHORT_LEASE_MS });
        const { result } = await becomes(next, id, 'done');

        await eventually(async () => expect(await files()).toEqual([result?.path.split('/').at(-1)]));
        expect(before).not.toEqual(await files());
        await end(next);
      });

      it('are removed when an abandoned write completes', async () => {
        let puts = 0;
        const flaky: Storage = {
          ...storage,
          put: async (...file) => {
            await storage.put(...file);
            if (puts++ === 0) throw new Error('no answer in time');
          },
        };
        const jobs = await startJobs(undefined, { own: flaky });

        const { result } = await becomes(jobs, await submit(jobs), 'done');

        await eventually(async () => expect(await files()).toEqual([result?.path.split('/').at(-1)]));
        await end(jobs);
      });

      it('stay while the attempt that writes them runs', async () => {
        const release = Promise.withResolvers<void>();
        const finishing = Promise.withResolvers<void>();
        let checks = 0;
        const jobs = await startJobs((store) => ({
          finish: async (...end) => {
            finishing.resolve();
            await release.promise;
            return await store.finish(...end);
          },
          dueFiles: async (limit) => {
            checks++;
            return await store.dueFiles(limit);
          },
        }));
        const id = await submit(jobs);
        await finishing.promise;
        await eventually(() => expect(checks).toBeGreaterThan(3));

        release.resolve();
        const { result } = await becomes(jobs, id, 'done');

        expect(await files()).toEqual([result?.path.split('/').at(-1)]);
        await end(jobs);
      });

      it('are removed although the checks of three others always fail', async () => {
        const jobs = await startJobs((store) => ({
          get: async (id) => {
            if (id === 'unreadable') throw new ServiceError('StorageError');
            return await store.get(id);
          },
        }));
        const recordedAt = Date.now();
        for (const name of ['a', 'b', 'c', 'd']) {
          const jobId = name === 'd' ? createJobId(1) : 'unreadable';
          await storage.put(`~jobs/${name}.png`, Buffer.from(name), 'image/png');
          await jobs.store.recordFile({ path: `~jobs/${name}.png`, jobId, attempt: 1, recordedAt }, 0);
        }

        await eventually(async () => expect(await files()).toEqual(['a.png', 'b.png', 'c.png']));
        await end(jobs);
      });

      it('are removed again if a write completes after their removal', async () => {
        const memory = createMemoryStorage();
        await using store = await openStore();
        const file = { path: '~jobs/late.png', jobId: createJobId(1), attempt: 1, recordedAt: Date.now() };
        await store.recordFile(file, 0);
        const sweepAt = async (nowMs: number, isSwept: () => Promise<void>): Promise<void> => {
          const options = {
            store,
            storage: memory,
            retentionMs: HOUR_MS,
            maxBytes: 1e9,
            sendsWebhooks: false,
            log,
            everyMs: 5,
          };
          const sweeping = startSweeping({ ...options, now: () => nowMs });
          await eventually(isSwept);
          await sweeping.close();
        };
        await sweepAt(Date.now(), async () => expect(await store.dueFiles(1)).toEqual([]));
        await memory.put(file.path, Buffer.from('late'), 'image/png');

        await store.recordFile(file, 0); // the quarter of an hour has passed
        await sweepAt(Date.now() + HOUR_MS, async () => expect(memory.files.size).toBe(0));

        await store.recordFile({ ...file, path: '~jobs/other.png' }, 0);
        expect((await store.dueFiles(10)).map(({ path }) => path)).toEqual(['~jobs/other.png']);
      });
    },
  );
}

function becomes(jobs: Jobs, id: string, state: JobRecord['state']): Promise<JobRecord> {
  return eventually(async () => {
    const job = await jobs.store.get(id);
    if (job?.state !== state) throw new Error(`the job is ${job?.state}: ${job?.error?.message}`);
    return job;
  });
}
