import type { Logger } from '../log.ts';
import type { Storage } from '../storage/storage.ts';
import { SWEEP_BATCH } from './job-limits.ts';
import type { JobRecord } from './job.ts';
import type { JobStore } from './job-store.ts';

const NOT_REMOVED = 'old jobs could not be removed: the next sweep tries again';

interface SweepOptions {
  readonly store: JobStore;
  readonly storage: Storage;
  readonly retentionMs: number;
  /** Of all results together. */
  readonly maxBytes: number;
  /** False: webhooks are switched off, and are dropped with their jobs. */
  readonly sendsWebhooks: boolean;
  readonly log: Logger;
  readonly everyMs: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/** Removes expired jobs, and the oldest results beyond the limit: first the stored result, then the record that names it. */
export function startSweeping(options: SweepOptions): { readonly close: () => Promise<void> } {
  const { store, storage, retentionMs, maxBytes, sendsWebhooks, log, everyMs, now = Date.now } = options;
  let isClosing = false;
  let sweeping: Promise<void> | undefined;

  const deleteResult = async ({ result, storePath }: JobRecord): Promise<void> => {
    if (result !== undefined && storePath === undefined) await storage.delete(result.path);
  };
  /** Counts the jobs that it went well for: a job that cannot be removed stops no other. */
  const forEach = async (
    jobs: readonly JobRecord[],
    work: (job: JobRecord) => Promise<void>,
  ): Promise<number> => {
    const failures: unknown[] = [];
    let succeeded = 0;
    for (const job of jobs) {
      if (isClosing) return 0;
      try {
        await work(job);
        succeeded += 1;
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) log.warn({ err: failures[0], jobs: failures.length }, NOT_REMOVED);
    return succeeded;
  };
  const sweepOnce = async (): Promise<boolean> => {
    const limits = { before: now() - retentionMs, maxBytes, limit: SWEEP_BATCH };
    const { old, large } = await store.findSweepable(limits);
    const removed = await forEach(old, async (job) => {
      await deleteResult(job);
      await store.remove(job.id, sendsWebhooks ? undefined : 'drop');
    });
    const gone = new Set(old.map(({ id }) => id));
    const early = large.filter(({ id }) => !gone.has(id));
    const lost = await forEach(early, async (job) => {
      await deleteResult(job);
      await store.loseResult(job.id);
    });
    if (lost > 0) {
      log.warn({ results: lost, maxBytes }, 'results went before their time: JOB_RETENTION_BYTES is full');
    }
    return removed + lost > 0;
  };
  const sweepAll = async (): Promise<void> => {
    while (await sweepOnce());
  };
  const tidyAll = async (): Promise<void> => {
    while (await store.tidy()) if (isClosing) return;
  };
  const sweep = async (): Promise<void> => {
    // Last: it also empties the WAL of what was just deleted.
    for (const part of [sweepAll, tidyAll]) {
      try {
        await part();
      } catch (error) {
        log.warn({ err: error }, NOT_REMOVED);
      }
    }
  };
  const begin = (): void => {
    sweeping ??= sweep().finally(() => {
      sweeping = undefined;
    });
  };
  const timer = setInterval(begin, everyMs).unref();

  return {
    close: async () => {
      isClosing = true;
      clearInterval(timer);
      await sweeping;
    },
  };
}
