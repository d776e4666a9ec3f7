import type { Logger } from '../log.ts';
import type { Storage } from '../storage/storage.ts';
import { SWEEP_BATCH } from './job-limits.ts';
import type { JobRecord } from './job.ts';
import type { JobStore } from './job-store.ts';

interface SweepOptions {
  readonly store: JobStore;
  readonly storage: Storage;
  readonly retentionMs: number;
  /** Of all results together. */
  readonly maxBytes: number;
  readonly log: Logger;
  readonly everyMs: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/** Forgets jobs whose time is over, and results that are too much together: first what is stored, then the job that knows of it. */
export function startSweeping(options: SweepOptions): { readonly close: () => Promise<void> } {
  const { store, storage, retentionMs, maxBytes, log, everyMs, now = Date.now } = options;
  let isClosing = false;
  let sweeping: Promise<void> | undefined;

  const deleteResult = async ({ result, storePath }: JobRecord): Promise<void> => {
    if (result !== undefined && storePath === undefined) await storage.delete(result.path);
  };
  const sweepOnce = async (): Promise<boolean> => {
    const limits = { before: now() - retentionMs, maxBytes, limit: SWEEP_BATCH };
    const { old, large } = await store.findSweepable(limits);
    for (const job of old) {
      if (isClosing) return false;
      await deleteResult(job);
      await store.remove(job.id);
    }
    const gone = new Set(old.map(({ id }) => id));
    const early = large.filter(({ id }) => !gone.has(id));
    for (const job of early) {
      if (isClosing) return false;
      await deleteResult(job);
      await store.loseResult(job.id);
    }
    if (early.length > 0) {
      log.warn(
        { results: early.length, maxBytes },
        'results went before their time: JOB_RETENTION_BYTES is full',
      );
    }
    return old.length + early.length > 0;
  };
  const sweepAll = async (): Promise<void> => {
    while (await sweepOnce());
  };
  const sweep = async (): Promise<void> => {
    for (const part of [store.tidy, sweepAll]) {
      try {
        await part();
      } catch (error) {
        log.warn({ err: error }, 'what is kept of old jobs could not be removed: it is tried again');
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
