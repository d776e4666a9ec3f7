import { ServiceError } from '../../core/ground/errors.ts';
import type { AnyValue } from '../../core/processes/peers.ts';
import { type JobError, type JobRecord, type JobResult, type JobState, type NewJob, queuedJob } from './job.ts';

/** A claimed job, valid until its lease expires. */
export interface JobClaim {
  readonly id: string;
  /** Identifies the claim. */
  readonly token: string;
  /** Id of the key to which the job belongs. */
  readonly owner: string;
  /** Number of attempts, including this one. */
  readonly attempts: number;
  readonly capture: Readonly<Record<string, unknown>>;
  readonly isTriedOnce?: boolean | undefined;
  /** Id of the watch of which the job is a run. */
  readonly watch?: string | undefined;
  readonly storePath?: string | undefined;
  readonly traceparent?: string | undefined;
}

/** A claimed webhook that is due. */
export interface WebhookClaim {
  /** Id of the finished job. */
  readonly id: string;
  /** Id of the key to which the job belongs. */
  readonly owner: string;
  readonly token: string;
  readonly url: string;
  /** Attempts, including this one. */
  readonly attempts: number;
  /** The job at its end; it may have been removed since. */
  readonly job: JobRecord;
  /** Milliseconds since the job ended. */
  readonly ageMs: number;
}

/** A file that an attempt is about to write. Recorded first, so that the sweep finds the file after a crash. */
export interface PendingFile {
  /** Path in the storage. No other attempt writes to it. */
  readonly path: string;
  readonly jobId: string;
  /** Number of the attempt. Its claim has the same number. */
  readonly attempt: number;
  /** Unix milliseconds. */
  readonly recordedAt: number;
}

/** Identifies a request, so that sending it twice makes one job. */
export interface Idempotency {
  readonly key: string;
  /** Equal for equal requests. */
  readonly fingerprint: string;
}

export interface JobPage {
  readonly jobs: readonly JobRecord[];
  /** Cursor of the next page. Undefined on the last page. */
  readonly next: string | undefined;
}

/** Duration of a lease in milliseconds. */
export interface Leases {
  readonly jobMs: number;
  readonly webhookMs: number;
}

export interface JobCounts {
  /** Number of queued jobs, including jobs that wait for another attempt. */
  readonly queued: number;
  readonly running: number;
  /** Webhooks that have not been delivered. */
  readonly webhooks: number;
}

/** Limits that decide which jobs the sweep removes, oldest first. */
interface SweepLimits {
  /** Jobs that finished before this time, in Unix milliseconds. */
  readonly before: number;
  /** If all results exceed this size, the oldest lose their result. */
  readonly maxBytes: number;
  /** Maximum number of jobs. */
  readonly limit: number;
}

interface Sweepable {
  /** Expired jobs whose results must be deleted; call `remove` afterwards. */
  readonly old: readonly JobRecord[];
  /** Jobs whose results must be deleted to free space; call `loseResult` afterwards. */
  readonly large: readonly JobRecord[];
}

/**
 * Stores jobs. An accepted job survives crashes of the service and runs at least once. Every call that ends a job also
 * records its webhook in the same step.
 * @throws ServiceError StorageError from each method if the store is unreachable or full
 */
export interface JobStore extends AsyncDisposable {
  /**
   * Stores all jobs of one owner or none. Returns these jobs, or the jobs that were submitted with the same key before.
   * @throws ServiceError like `findSubmitted`; OverloadedError if the queue is full
   */
  readonly submit: (jobs: readonly NewJob[], idempotency?: Idempotency) => Promise<readonly JobRecord[]>;
  /**
   * Returns the jobs of an earlier request with this key.
   * @throws ServiceError IdempotencyError if the key was used with another fingerprint; JobExpiredError if the jobs
   * were removed since
   */
  readonly findSubmitted: (idempotency: Idempotency) => Promise<readonly JobRecord[] | undefined>;
  /** Removes jobs whose client has already received an error: no attempt, webhook or record remains. */
  readonly withdraw: (ids: readonly string[]) => Promise<void>;
  readonly get: (id: string) => Promise<JobRecord | undefined>;
  /**
   * Lists jobs, newest first: all, or those of one owner.
   * @throws ServiceError ValidationError for an invalid cursor
   */
  readonly list: (
    state: JobState,
    page: { readonly cursor?: string; readonly limit: number; readonly owner?: string },
  ) => Promise<JobPage>;
  /**
   * Claims the job of the next owner that has waited longest, or whose lease has expired. Undefined if there is none.
   * Owners are served in turn.
   * @param skippedOwners owners whose jobs must wait
   */
  readonly claim: (skippedOwners?: readonly string[]) => Promise<JobClaim | undefined>;
  /** Renews the lease. False if the claim is lost, because the job was cancelled or the lease has expired. */
  readonly heartbeat: (claim: JobClaim) => Promise<boolean>;
  /** Ends the job and removes the pending file of its result. Returns false like `heartbeat`, as do the next two. */
  readonly finish: (claim: JobClaim, result: JobResult) => Promise<boolean>;
  readonly fail: (claim: JobClaim, error: JobError) => Promise<boolean>;
  /** Makes the job claimable again after a delay. */
  readonly retry: (claim: JobClaim, error: JobError, afterMs: number) => Promise<boolean>;
  /** Releases the claim without counting an attempt. */
  readonly giveBack: (claim: JobClaim) => Promise<void>;
  /** Cancels a job that has not ended. True if this call has ended the job. */
  readonly cancel: (id: string) => Promise<boolean>;
  readonly findSweepable: (limits: SweepLimits) => Promise<Sweepable>;
  /**
   * Removes a finished job. A webhook that is still to be sent keeps a copy of the record until it has ended, unless it
   * is dropped.
   */
  readonly remove: (id: string, webhook?: 'drop') => Promise<void>;
  /**
   * Deletes expired keys, leftovers of crashes and the last copies of deleted secrets, and corrects times that a clock
   * has spoiled. True if there is more to delete.
   */
  readonly tidy: () => Promise<boolean>;
  readonly loseResult: (id: string) => Promise<void>;
  /** Records a file before it is written, or moves its next check. The check is due after this many milliseconds. */
  readonly recordFile: (file: PendingFile, checkAfterMs: number) => Promise<void>;
  /** Pending files whose check is due, the longest due first. */
  readonly dueFiles: (limit: number) => Promise<readonly PendingFile[]>;
  readonly forgetFile: (path: string) => Promise<void>;
  /** Claims the next webhook, in the same order as jobs. */
  readonly claimWebhook: (skippedOwners?: readonly string[]) => Promise<WebhookClaim | undefined>;
  /** Ends the webhook after its delivery, or after giving up. */
  readonly endWebhook: (claim: WebhookClaim) => Promise<void>;
  readonly retryWebhook: (claim: WebhookClaim, afterMs: number) => Promise<void>;
  /** Releases the claim without counting an attempt. */
  readonly giveBackWebhook: (claim: WebhookClaim) => Promise<void>;
  readonly counts: () => Promise<JobCounts>;
  /** Calls the listener when a job or a webhook may be ready to claim. Returns a function that removes the listener. */
  readonly onWork: (listener: () => void) => () => void;
}

/** A method of the store that a proxy can pass on. */
export type StoreCall = Exclude<keyof JobStore, 'onWork' | typeof Symbol.asyncDispose>;

/** Returns a store whose methods are those of `own`, and `call` for all others. */
export function proxyStore(
  call: (name: StoreCall, args: readonly unknown[]) => Promise<AnyValue>,
  own: Pick<JobStore, 'onWork' | typeof Symbol.asyncDispose> & Partial<JobStore>,
): JobStore {
  const store: AnyValue = new Proxy(own, {
    get: (_own, name) => {
      if (name in own || !isCall(name)) return Reflect.get(own, name);
      return (...args: unknown[]): Promise<AnyValue> => call(name, args);
    },
  });
  return store;
}

/** A store that has `then` would be awaited as a promise. */
function isCall(name: string | symbol): name is StoreCall {
  return typeof name === 'string' && name !== 'then';
}

/**
 * Returns the records of a submission: of these jobs, or of the jobs of an earlier one, if the ids are theirs.
 * @throws ServiceError JobExpiredError if a job of the earlier submission was removed since
 */
export async function submittedJobs(
  ids: readonly string[],
  jobs: readonly NewJob[],
  get: JobStore['get'],
): Promise<readonly JobRecord[]> {
  if (ids[0] === jobs[0]?.id) return jobs.map(queuedJob);
  return await Promise.all(
    ids.map(async (id) => {
      const job = await get(id);
      if (job === undefined) throw new ServiceError('JobExpiredError');
      return job;
    }),
  );
}

/** Keeps the listeners of `onWork`. */
export function createWorkListeners(): Pick<JobStore, 'onWork'> & { readonly notifyWork: () => void } {
  const listeners = new Set<() => void>();
  return {
    onWork: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notifyWork: () => {
      for (const listener of listeners) listener();
    },
  };
}
