import type { Storage } from '../storage/storage.ts';
import { createJobId } from '../jobs/job-id.ts';
import type { JobError } from '../jobs/job.ts';
import { watchIsGone } from './run-watch.ts';
import type { Outcome, Run, Watch } from './watch.ts';
import { updateWatch, type WatchStore } from './watch-store.ts';

/** Old runs that are removed at once: more than one after `keep` was lowered. */
const REMOVED_AT_ONCE = 20;

interface RecordOptions {
  readonly store: WatchStore;
  readonly storage: Storage;
  readonly recordRun: (outcome: Outcome) => void;
  /** Unix seconds. */
  readonly now: () => number;
}

/** A run that has failed for good. */
interface FailedRun {
  readonly id: string;
  readonly watch: string;
  readonly error: JobError;
  /** Unix milliseconds. Undefined: it has not begun. */
  readonly startedAt?: number | undefined;
}

/** Records how runs end, and what follows for their watches. A call that is repeated after a crash changes nothing. */
export interface RunRecords {
  /** @throws ServiceError NotFoundError if the watch was removed */
  readonly succeed: (made: Omit<Run, 'isReported'>) => Promise<void>;
  readonly fail: (run: FailedRun) => Promise<void>;
  /** Records that a planned run was left out, in place of the one before if that was left out too. Returns its id. */
  readonly skip: (watch: Watch) => Promise<string>;
  readonly removeFiles: (runs: readonly Pick<Run, 'result' | 'elements'>[]) => Promise<void>;
  /** Deletes the files of some runs of removed watches. False if there are none. */
  readonly tidy: () => Promise<boolean>;
}

export function createRunRecords({ store, storage, recordRun, now }: RecordOptions): RunRecords {
  const nowMs = (): number => now() * 1_000;

  const { removeFiles, remove, removeOld } = createRemoval({ store, storage });
  /** Records a run and what follows from it. `going` shows whether that has happened before. */
  const conclude = async (run: Run): Promise<void> => {
    await store.putRun(run);
    const watch = await updateWatch(store, run.watch, (current) => {
      if (current.going?.id !== run.id) return undefined;
      const isOfEdition = current.edition === run.edition;
      const isBaseline = run.outcome === 'first' || (run.outcome === 'changed' && current.fields.baseline === 'told');
      return {
        ...current,
        going: undefined,
        lastRun: run.id,
        failures: run.outcome === 'failed' ? current.failures + 1 : 0,
        ...(isOfEdition && isBaseline && { baseline: run.id }),
        compared: withCompared(current, run),
        ...(run.pauses && { nextAt: null, pausedBy: 'failures' }),
      };
    });
    if (watch === undefined) return;
    recordRun(run.outcome);
    await removeOld(watch);
  };

  return {
    succeed: async (made) => {
      const watch = await store.get(made.watch);
      if (watch === undefined) throw watchIsGone();
      const outcome = watch.edition === made.edition ? made.outcome : 'skipped';
      const isNew = outcome === 'changed' && made.isRepeated !== true;
      const isReported = watch.fields.notify === 'always' || isNew;
      await conclude({ ...made, outcome, isReported });
    },
    fail: async ({ id, watch: watchId, error, startedAt = nowMs() }) => {
      const watch = await store.get(watchId);
      if (watch?.going?.id !== id) return;
      const most = watch.fields.pause_after_failures;
      const pauses = watch.nextAt !== null && most > 0 && watch.failures + 1 >= most;
      await conclude({
        id,
        watch: watchId,
        edition: watch.edition,
        outcome: 'failed',
        startedAt,
        finishedAt: nowMs(),
        isReported: watch.fields.notify === 'always' || pauses,
        ...(pauses && { pauses }),
        error,
      });
    },
    skip: async (watch) => {
      const { id: watchId, edition } = watch;
      const [id, atMs] = [createJobId(nowMs()), nowMs()];
      const isReported = watch.fields.notify === 'always';
      const times = { startedAt: atMs, finishedAt: atMs };
      // A page that hangs for a day has one of them.
      const [newest] = await store.runs(watchId, { limit: 1 });
      if (newest?.outcome === 'skipped' && newest.result === undefined) await store.dropRuns(watchId, [newest.id]);
      await store.putRun({ id, watch: watchId, edition, outcome: 'skipped', ...times, isReported });
      recordRun('skipped');
      return id;
    },
    removeFiles,
    tidy: async () => {
      const left = await store.leftovers(REMOVED_AT_ONCE);
      if (left !== undefined) await remove(left.watch, left.runs);
      return left !== undefined;
    },
  };
}

/** Deletes runs with their files. */
function createRemoval({ store, storage }: Pick<RecordOptions, 'store' | 'storage'>) {
  const removeFiles: RunRecords['removeFiles'] = async (runs) => {
    for (const { result, elements } of runs) {
      if (result !== undefined) await storage.delete(result.path);
      if (elements !== undefined) await storage.delete(elements);
    }
  };
  const remove = async (watch: string, runs: readonly Run[]): Promise<void> => {
    await removeFiles(runs);
    if (runs.length > 0)
      await store.dropRuns(
        watch,
        runs.map(({ id }) => id),
      );
  };
  return {
    removeFiles,
    remove,
    /** Removes the runs that the watch does not keep, except its baseline, and those that kept changes differ from. */
    removeOld: async ({ id, baseline, fields, compared }: Watch): Promise<void> => {
      const oldest = await store.oldestOf(id, fields.keep);
      if (oldest === undefined) return;
      const old = await store.runs(id, { before: oldest, limit: REMOVED_AT_ONCE + compared.length });
      const needed = new Set(compared.filter(({ by }) => by >= oldest).map((each) => each.id));
      await remove(
        id,
        old.filter((run) => run.id !== baseline && !needed.has(run.id)),
      );
    },
  };
}

/** Returns the runs that changes were compared with, as many as the watch keeps changes. */
function withCompared({ compared, fields }: Watch, { id, comparison }: Run): Watch['compared'] {
  if (comparison === undefined) return compared;
  const others = compared.filter((each) => each.id !== comparison.baseline);
  return [...others, { id: comparison.baseline, by: id }].slice(-fields.keep);
}
