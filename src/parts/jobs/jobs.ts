import type { Capture } from '../../core/capture/capture.ts';
import type { RequestOptions } from '../../core/capture/request/options.ts';
import type { Key } from '../../core/access/key.ts';
import type { Owners } from '../../core/access/owners.ts';
import type { Logger } from '../../core/ground/log.ts';
import type { MemoryBudget } from '../../core/ground/memory-budget.ts';
import type { Storage } from '../storage/storage.ts';
import { withTimeout } from '../../core/ground/timeouts.ts';
import type { DeliverWebhook } from '../webhooks/webhook.ts';
import { HEARTBEAT_MS, PROBE_LIMIT_MS, SWEEP_MS, WEBHOOKS_AT_ONCE, WEBHOOKS_OF_OWNER } from './job-limits.ts';
import type { JobError } from './job.ts';
import type { JobClaim, JobStore } from './job-store.ts';
import type { Tracer } from '../../core/ground/tracer.ts';
import { type AttemptEnd, createRunJob, type RunOptions } from './run-job.ts';
import { createSendWebhook } from './send-webhook.ts';
import { startSweeping } from './sweep.ts';
import { isRun, type WatchRuns } from './watch-runs.ts';
import { type Reserve, startWorkLoop, type WorkLoop } from './work-loop.ts';

/** Background captures: the interface for requests, and the worker. */
export interface Jobs {
  readonly store: JobStore;
  readonly storage: Storage;
  /** False if there is no secret to sign webhooks with. */
  readonly signsWebhooks: boolean;
  /** True: webhooks carry the address of the page. */
  readonly namesPages: boolean;
  /** Cancels a job that has not ended, in this process at once. True if this call has ended it. */
  readonly cancel: (id: string) => Promise<boolean>;
  /** False while the store fails, or does not answer within a second. */
  readonly isAvailable: () => Promise<boolean>;
  /** Seconds that finished jobs are kept. */
  readonly retentionSeconds: number;
  /** Sets how the jobs of watches are run. Call it before `start`. */
  readonly serveWatches: (runs: WatchRuns) => void;
  /** Starts to claim jobs. */
  readonly start: () => void;
  /** Stops claiming jobs, and returns running jobs to the store. */
  readonly stop: () => Promise<void>;
  /** Closes the store. Call it after `stop`. */
  readonly close: () => Promise<void>;
}

export interface JobEvents {
  readonly recordJob: (end: AttemptEnd) => void;
}

const CANCELLED: JobError = { type: 'InternalServerError', message: 'The job of this run was cancelled' };

const lateProbe = (): Error => new Error(`no answer within ${PROBE_LIMIT_MS} ms`);

interface JobsOptions {
  readonly store: JobStore;
  readonly storage: Storage;
  /** Undefined: webhooks are off. */
  readonly deliver: DeliverWebhook | undefined;
  readonly signsWebhooks?: boolean;
  readonly namesPages?: boolean;
  /** Memory for files that webhooks send. */
  readonly memory: Pick<MemoryBudget, 'take' | 'give'>;
  /** Valid keys. A job whose key is not among them fails. */
  readonly keys: Owners;
  readonly capture: Capture;
  readonly onLostResult?: RunOptions['onLostResult'];
  readonly parse: (fields: unknown, key: Key | undefined) => Promise<RequestOptions>;
  /** Maximum number of concurrent jobs. */
  readonly concurrency: number;
  readonly retentionSeconds: number;
  readonly retentionBytes: number;
  /** Keys that already run as many captures as they may, including those of clients. Their jobs must wait. */
  readonly keysAtLimit?: () => readonly string[];
  /** Reserves a slot for a job, as `startWorkLoop` needs it. */
  readonly reserve?: Reserve;
  readonly metrics: JobEvents;
  readonly tracer?: Tracer | undefined;
  readonly log: Logger;
  readonly heartbeatMs?: number;
  readonly delaysMs?: readonly number[];
  readonly reportDelayMs?: number;
  readonly sweepEveryMs?: number;
}

/** Creates the jobs. The caller closes them. */
export function createJobs(options: JobsOptions): Jobs {
  const { store, storage, deliver, keys, retentionSeconds, retentionBytes: maxBytes, metrics, log } = options;
  const { heartbeatMs = HEARTBEAT_MS, keysAtLimit = () => [] } = options;
  let runs: WatchRuns | undefined;
  const watchRuns = (): WatchRuns | undefined => runs;
  const { run, interrupt } = createRunJob({ ...options, watchRuns, heartbeatMs });
  const stops: (() => Promise<void>)[] = [];

  const work = async (claim: JobClaim, signal: AbortSignal): Promise<void> => {
    const startedAt = performance.now();
    const end = await run(claim, signal);
    metrics.recordJob(end);
    const durationMs = Math.round(performance.now() - startedAt);
    const level = end === 'failed' || end === 'retried' ? 'warn' : 'info';
    log[level]({ job: claim.id, end, attempts: claim.attempts, durationMs }, 'job');
  };

  const start = (): void => {
    const all: WorkLoop[] = [
      startWorkLoop({
        ...options,
        limit: options.concurrency,
        limitOf: (owner) => keys.byId(owner)?.concurrency ?? options.concurrency,
        claim: (busyOwners) => store.claim([...busyOwners, ...keysAtLimit()]),
        work,
      }),
    ];
    if (deliver !== undefined) {
      const send = createSendWebhook({ ...options, watchRuns, deliver });
      all.push(
        startWorkLoop({
          limit: WEBHOOKS_AT_ONCE,
          limitOf: () => WEBHOOKS_OF_OWNER,
          claim: store.claimWebhook,
          work: send,
        }),
      );
    }
    const unsubscribe = store.onWork(() => {
      for (const loop of all) loop.wake();
    });
    const retentionMs = retentionSeconds * 1_000;
    const everyMs = options.sweepEveryMs ?? SWEEP_MS;
    const sweeping = startSweeping({
      store,
      storage,
      retentionMs,
      maxBytes,
      sendsWebhooks: deliver !== undefined,
      everyMs,
      log,
    });
    stops.push(async () => {
      unsubscribe();
      await Promise.all([...all.map((loop) => loop.close()), sweeping.close()]);
    });
  };

  return {
    store,
    storage,
    signsWebhooks: options.signsWebhooks ?? deliver !== undefined,
    namesPages: options.namesPages ?? false,
    retentionSeconds,
    isAvailable: async () => {
      return await withTimeout(store.counts(), PROBE_LIMIT_MS, lateProbe).then(
        () => true,
        () => false,
      );
    },
    cancel: async (id) => {
      const isCancelled = await store.cancel(id);
      if (isCancelled) interrupt(id);
      const job = isCancelled ? await store.get(id) : undefined;
      if (job !== undefined && isRun(job)) await runs?.recordFailure(job, CANCELLED);
      return isCancelled;
    },
    serveWatches: (served) => (runs = served),
    start,
    stop: async () => {
      await Promise.all(stops.splice(0).map((stop) => stop()));
    },
    close: async () => {
      await store[Symbol.asyncDispose]();
    },
  };
}

/** What parts that use jobs share. */
export interface JobsState {
  /** Jobs, or the settings that are missing for them. */
  readonly jobs: Jobs | { readonly missing: string };
}
