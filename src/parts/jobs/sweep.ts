import type { Logger } from '../../core/ground/log.ts';
import type { Storage } from '../storage/storage.ts';
import { LATE_WRITE_MS, SWEEP_BATCH } from './job-limits.ts';
import { isReplaced, type JobRecord } from './job.ts';
import type { JobStore, PendingFile } from './job-store.ts';

/**
 * Maximum number of failures in a row. The sweep then stops until its next run, because each failure takes up to a
 * minute while a bucket is unreachable.
 */
const MAX_FAILURES = 3;

const NOT_REMOVED = 'old jobs could not be removed: the next sweep retries';

interface SweepOptions {
  readonly store: JobStore;
  readonly storage: Storage;
  readonly retentionMs: number;
  /** Maximum size of all results. */
  readonly maxBytes: number;
  /** False: webhooks are off and are removed with their jobs. */
  readonly sendsWebhooks: boolean;
  readonly log: Logger;
  readonly everyMs: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/**
 * Removes expired jobs, and the oldest results beyond the limit: first the stored result, then the record that names
 * it. Removes the files of attempts that ended without a result.
 */
export function startSweeping(options: SweepOptions): { readonly close: () => Promise<void> } {
  const { store, storage, retentionMs, maxBytes, sendsWebhooks, log, everyMs, now = Date.now } = options;
  const checkFile = createFileCheck(options);
  let isClosing = false;
  let sweeping: Promise<void> | undefined;

  /** Processes each item and returns the number of successes. A failed item does not stop the others. */
  const forEach = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<number> => {
    const failures: unknown[] = [];
    let [succeeded, failedInARow] = [0, 0];
    for (const item of items) {
      if (isClosing) return 0;
      if (failedInARow === MAX_FAILURES) break;
      try {
        await work(item);
        succeeded += 1;
        failedInARow = 0;
      } catch (error) {
        failures.push(error);
        failedInARow += 1;
      }
    }
    if (failures.length > 0) log.warn({ err: failures[0], failures: failures.length }, NOT_REMOVED);
    return succeeded;
  };
  const sweepOnce = async (): Promise<boolean> => {
    const limits = { before: now() - retentionMs, maxBytes, limit: SWEEP_BATCH };
    const { old, large } = await store.findSweepable(limits);
    const removed = await forEach(old, async (job) => {
      await deleteResult(job, storage);
      await store.remove(job.id, sendsWebhooks ? undefined : 'drop');
    });
    const early = old.filter(({ finishedAt = 0 }) => finishedAt >= limits.before).length;
    if (early > 0) log.warn({ jobs: early }, 'finished jobs were removed early: the memory of Redis is nearly full');
    const expired = new Set(old.map(({ id }) => id));
    const oversize = large.filter(({ id }) => !expired.has(id));
    const lost = await forEach(oversize, async (job) => {
      await deleteResult(job, storage);
      await store.loseResult(job.id);
    });
    if (lost > 0) {
      log.warn({ results: lost, maxBytes }, 'results were removed early: JOB_RETENTION_BYTES is exceeded');
    }
    return removed + lost > 0;
  };
  const sweepAll = async (): Promise<void> => {
    while (await sweepOnce());
  };
  const checkFiles = async (): Promise<void> => {
    while ((await forEach(await store.dueFiles(SWEEP_BATCH), checkFile)) > 0);
  };
  const tidyAll = async (): Promise<void> => {
    while (await store.tidy()) if (isClosing) return;
  };
  const sweep = async (): Promise<void> => {
    // `tidyAll` runs last, because it also empties the WAL of deleted content.
    for (const part of [sweepAll, checkFiles, tidyAll]) {
      try {
        await part();
      } catch (error) {
        log.warn({ err: error }, NOT_REMOVED);
      }
    }
  };
  const begin = (): void => void (sweeping ??= sweep().finally(() => (sweeping = undefined)));
  const timer = setInterval(begin, everyMs).unref();

  return {
    close: async () => {
      isClosing = true;
      clearInterval(timer);
      await sweeping;
    },
  };
}

/**
 * Checks a pending file. Deletes it unless it is the result of its job or its attempt still runs. Deletes it once more
 * when no write can arrive any more, and forgets it then. A check that fails is repeated after the others: files whose
 * checks always fail, for example because the record of their job cannot be read, stop no other.
 */
function createFileCheck({ store, storage, everyMs, now = Date.now }: SweepOptions) {
  const check = async (file: PendingFile): Promise<void> => {
    const job = await store.get(file.jobId);
    if (job?.result?.path === file.path) {
      await store.forgetFile(file.path);
      return;
    }
    if (job?.state === 'running' && job.attempts === file.attempt) {
      await store.recordFile(file, everyMs);
      return;
    }
    await storage.delete(file.path);
    if (Math.abs(now() - file.recordedAt) < LATE_WRITE_MS) await store.recordFile(file, LATE_WRITE_MS);
    else await store.forgetFile(file.path);
  };
  return async (file: PendingFile): Promise<void> => {
    try {
      await check(file);
    } catch (error) {
      await store.recordFile(file, everyMs);
      throw error;
    }
  };
}

/** Deletes the result of a job, but never a file that a client has written. */
async function deleteResult({ result, storePath }: JobRecord, storage: Storage): Promise<void> {
  if (result === undefined || result.isKept === true || result.path === storePath) return;
  if (result.sha256 === undefined) {
    const file = await storage.get(result.path);
    file?.body.destroy();
    if (file === undefined || isReplaced(result, file)) return;
  }
  await storage.delete(result.path);
}
