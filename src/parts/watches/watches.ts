import { ServiceError } from '../../core/ground/errors.ts';
import { isFinished, type JobError } from '../jobs/job.ts';
import { createJobId } from '../jobs/job-id.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { WatchRuns } from '../jobs/watch-runs.ts';
import { createRunRecords, type RunRecords } from './run-records.ts';
import { createMakeRun, type RunOptions, watchIsGone } from './run-watch.ts';
import { parseSchedule, spreadOf } from './schedule.ts';
import type { Outcome, Watch } from './watch.ts';
import { TAKEN_MS, updateWatch, type WatchStore } from './watch-store.ts';
import { viewOfRun } from './watch-view.ts';

const LOST: JobError = { type: 'InternalServerError', message: 'The job of this run was cancelled or lost' };

export interface WatchesOptions extends RunOptions {
  readonly jobs: Pick<Jobs, 'store' | 'cancel'>;
  readonly recordRun: (outcome: Outcome) => void;
}

/** What the schedule and requests do with watches. */
export interface Watches extends Pick<RunRecords, 'tidy'> {
  readonly store: WatchStore;
  /** How the jobs of runs are made. */
  readonly runs: WatchRuns;
  /**
   * Begins the planned run of a watch that the caller has taken, and plans the next one. Runs that were missed are made
   * once.
   */
  readonly beginPlanned: (watch: Watch) => Promise<void>;
  /**
   * Begins a run now. Returns the id of its job.
   * @throws ServiceError JobNotFinishedError while a run is going; NotFoundError if the watch was removed
   */
  readonly beginNow: (watch: Pick<Watch, 'id'>) => Promise<string>;
  /** Removes a watch, and ends the run that is going. Its files are deleted by `tidy`. */
  readonly remove: (watch: Watch) => Promise<void>;
}

/** Returns the first planned start after this time, and how much later the run begins. */
export function planAfter(
  { id, fields, anchorMs }: Pick<Watch, 'id' | 'fields' | 'anchorMs'>,
  nowMs: number,
): Pick<Watch, 'nextAt' | 'spreadMs'> {
  const nextAt = parseSchedule({ ...fields, anchorMs }).after(nowMs) ?? null;
  return { nextAt, spreadMs: nextAt === null ? 0 : spreadOf(id, nextAt - nowMs) };
}

export function createWatches(options: WatchesOptions): Watches {
  const { store, jobs, now } = options;
  const nowMs = (): number => now() * 1_000;
  const records = createRunRecords(options);

  const submit = async ({ id: watch, fields, owner, origin }: Watch, id: string): Promise<void> => {
    const { label, webhook_url: webhookUrl } = fields;
    await jobs.store.submit([{ id, owner, capture: {}, watch, label, webhookUrl, origin }]);
  };
  const begin = async ({ id: watchId }: Watch, plannedAt: number | undefined): Promise<string> => {
    const id = createJobId(nowMs());
    // Recorded first: after a crash before the job is submitted, the planned run is begun again.
    const watch = await updateWatch(store, watchId, (current) => ({ ...current, going: { id, plannedAt } }));
    if (watch === undefined) throw watchIsGone();
    try {
      await submit(watch, id);
    } catch (error) {
      // The queue is full, or its store fails: nothing is going.
      await updateWatch(store, watchId, (current) =>
        current.going?.id === id ? { ...current, going: undefined } : undefined,
      );
      throw error;
    }
    return id;
  };
  const isSubmitted = async ({ id, going }: Watch): Promise<boolean> =>
    going !== undefined &&
    ((await jobs.store.get(going.id)) !== undefined || (await store.getRun(id, going.id)) !== undefined);
  /** True while the last run is going. Records the end of a run whose job was cancelled, or is lost. */
  const isGoing = async ({ id: watch, going }: Watch): Promise<boolean> => {
    if (going === undefined) return false;
    const job = await jobs.store.get(going.id);
    if (job !== undefined && !isFinished(job)) return true;
    await records.fail({ id: going.id, watch, error: job?.error ?? LOST, startedAt: job?.startedAt });
    return false;
  };
  const leaveOut = async (watch: Watch): Promise<void> => {
    const id = await records.skip(watch);
    // Its job fails at once, and carries the webhook.
    if (watch.fields.notify === 'always' && watch.fields.webhook_url !== undefined) await submit(watch, id);
  };

  return {
    store,
    runs: createWatchRuns(options, records),
    tidy: records.tidy,
    beginPlanned: async (watch) => {
      const { id, nextAt, going } = watch;
      if (nextAt === null) return;
      const isBegun = going?.plannedAt === nextAt && (await isSubmitted(watch));
      if (going?.plannedAt === nextAt && !isBegun) await begin(watch, nextAt);
      else if (!isBegun) await ((await isGoing(watch)) ? leaveOut(watch) : begin(watch, nextAt));
      await updateWatch(store, id, (current) =>
        current.nextAt === nextAt ? { ...current, ...planAfter(current, nowMs()) } : undefined,
      );
      await store.giveBack(id);
    },
    beginNow: async ({ id }) => {
      const isTaken = await store.take(id, nowMs(), nowMs() + TAKEN_MS);
      try {
        // Read only now: a run may have begun since the caller has read it.
        const watch = await store.get(id);
        if (watch === undefined) throw watchIsGone();
        if (!isTaken || (await isGoing(watch)))
          throw new ServiceError('JobNotFinishedError', 'A run of this watch is going');
        return await begin(watch, undefined);
      } finally {
        if (isTaken) await store.giveBack(id);
      }
    },
    remove: async ({ id, going }) => {
      await store.remove(id);
      if (going !== undefined) await jobs.cancel(going.id);
    },
  };
}

/** Creates what the jobs of watches do. */
function createWatchRuns(options: WatchesOptions, records: RunRecords): WatchRuns {
  const { store, storage, jobs } = options;
  const make = createMakeRun(options);
  return {
    makeResult: async (claim, attempt) => {
      const watch = await store.get(claim.watch);
      if (watch === undefined) throw watchIsGone();
      const known = await store.getRun(claim.watch, claim.id);
      if (known?.outcome === 'skipped' && known.result === undefined)
        throw new ServiceError('JobNotFinishedError', 'The run before was still going');
      // An earlier attempt has ended in between: its job was not marked as done.
      const made = known?.result === undefined ? await make(watch, claim, attempt) : { ...known, result: known.result };
      try {
        await records.succeed(made);
      } catch (error) {
        // Nothing else would delete the files of a watch that was removed meanwhile.
        if (error instanceof ServiceError && error.type === 'NotFoundError') await records.removeFiles([made]);
        throw error;
      }
      return made.result;
    },
    recordFailure: async ({ id, watch }, error) => {
      const job = await jobs.store.get(id);
      await records.fail({ id, watch, error, startedAt: job?.startedAt });
    },
    messageOf: async (job) => {
      const run = await store.getRun(job.watch, job.id);
      if (run?.isReported !== true) return undefined;
      const baseline = run.comparison && (await store.getRun(job.watch, run.comparison.baseline));
      return await viewOfRun(run, { storage, origin: job.origin, label: job.label, baseline });
    },
  };
}
