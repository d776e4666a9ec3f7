import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobRecord, JobState, NewJob } from '../../src/parts/jobs/job.ts';
import { createRunRecords } from '../../src/parts/watches/run-records.ts';
import { startSchedule } from '../../src/parts/watches/schedule-loop.ts';
import { openWatchStore } from '../../src/parts/watches/stores/open-watch-store.ts';
import type { Outcome, Watch, WatchFields } from '../../src/parts/watches/watch.ts';
import type { WatchStore } from '../../src/parts/watches/watch-store.ts';
import { createWatches, planAfter, type Watches, type WatchesOptions } from '../../src/parts/watches/watches.ts';
import { fake } from './fake.ts';
import { createMemoryStorage, type MemoryStorage } from './memory-storage.ts';
import { jobResult } from './stored-capture.ts';
import { limitsOf, watchOf } from './watches.ts';

/** Longest spread of a run. A watch counts from this time before it was added, so that its runs begin by the clock. */
const SPREAD_MS = 60_000;

/** An instance that polls when it is told to. */
interface Instance {
  readonly poll: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Watches in a real store, with a clock and jobs of the test. */
export interface WatchWorld extends Pick<Instance, 'poll'> {
  readonly clock: { ms: number };
  readonly store: WatchStore;
  readonly storage: MemoryStorage;
  readonly watches: Watches;
  /** Ids of cancelled jobs. */
  readonly cancelled: readonly string[];
  readonly add: (id: string, fields: Partial<WatchFields>) => Promise<void>;
  readonly get: (id: string) => Promise<Watch>;
  /** Ids of the watches whose runs have begun, in order. */
  readonly begun: () => readonly string[];
  readonly outcomes: (id: string) => Promise<readonly Outcome[]>;
  /** Ends all jobs as their worker would. */
  readonly finishAll: (outcome?: Outcome) => Promise<void>;
  readonly failAll: () => Promise<void>;
  readonly setJobs: (state: JobState) => void;
  readonly failSubmit: (error: Error | undefined) => void;
  readonly instance: () => Instance;
  readonly end: () => Promise<void>;
}

export async function createWatchWorld(): Promise<WatchWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'watches-'));
  const log = fake<WatchesOptions['log']>({ error: () => undefined, warn: () => undefined });
  const store = await openWatchStore({ redisUrl: undefined, dataDir: folder }, log);
  const storage = createMemoryStorage();
  const clock = { ms: SPREAD_MS };
  const jobs = new Map<string, NewJob & { state: JobState }>();
  const cancelled: string[] = [];
  let submitError: Error | undefined;
  const records = createRunRecords({ store, storage, recordRun: () => undefined, now: () => clock.ms / 1_000 });
  const options = fake<WatchesOptions>({
    store,
    storage,
    recordRun: () => undefined,
    now: () => clock.ms / 1_000,
    log,
    jobs: {
      store: {
        submit: async ([job]: readonly NewJob[]) => {
          if (submitError !== undefined) throw submitError;
          if (job !== undefined) jobs.set(job.id, { ...job, state: 'queued' });
        },
        get: async (id: string) => (fake<JobRecord>(jobs.get(id) ?? {}).id === undefined ? undefined : jobs.get(id)),
      },
      cancel: async (id: string) => cancelled.push(id),
    },
  });
  const watches = createWatches(options);
  const instance = (): Instance => {
    const { poll, close } = startSchedule({ watches, now: () => clock.ms, log, pollMs: 1e9 });
    return { poll, close };
  };
  const own = instance();
  const going = () => [...jobs.values()].filter(({ state }) => state === 'queued');

  return {
    clock,
    store,
    storage,
    watches,
    cancelled,
    instance,
    poll: own.poll,
    add: async (id, fields) => {
      const watch = watchOf(id, { anchorMs: clock.ms - SPREAD_MS });
      const changed = { ...watch, fields: { ...watch.fields, ...fields } };
      const { nextAt } = planAfter(changed, clock.ms);
      await store.add({ ...changed, nextAt }, limitsOf(100));
    },
    get: async (id) => {
      const watch = await store.get(id);
      if (watch === undefined) throw new Error(`there is no watch ${id}`);
      return watch;
    },
    begun: () => [...jobs.values()].map(({ watch = '' }) => watch),
    outcomes: async (id) => (await store.runs(id, { limit: 99 })).map(({ outcome }) => outcome),
    finishAll: async (outcome = 'same') => {
      for (const job of going()) {
        const result = { ...jobResult(job.id), isKept: true };
        await storage.put(result.path, Buffer.from('picture'), 'image/png');
        const times = { startedAt: clock.ms, finishedAt: clock.ms };
        await records.succeed({ id: job.id, watch: job.watch ?? '', edition: 1, outcome, result, ...times });
        job.state = 'done';
      }
    },
    failAll: async () => {
      for (const job of going()) {
        job.state = 'failed';
        const error = { type: 'NavigationError', message: 'The page could not be loaded' } as const;
        await records.fail({ id: job.id, watch: job.watch ?? '', error });
      }
    },
    setJobs: (state) => {
      for (const job of jobs.values()) job.state = state;
    },
    failSubmit: (error) => {
      submitError = error;
    },
    end: async () => {
      await own.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
