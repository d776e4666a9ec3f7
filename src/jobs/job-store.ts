import type { JobError, JobRecord, JobResult, JobState, NewJob } from './job.ts';

/** A job in the hands of whoever has claimed it, until the lease ends. */
export interface JobClaim {
  readonly id: string;
  /** Proves that it is still this claim. */
  readonly token: string;
  /** This one included. */
  readonly attempts: number;
  readonly capture: Readonly<Record<string, unknown>>;
  readonly storePath?: string | undefined;
}

/** A webhook that is due. */
export interface WebhookClaim {
  /** Of the job that has ended. */
  readonly id: string;
  readonly token: string;
  readonly url: string;
  /** Attempts, including this one. */
  readonly attempts: number;
  /** The job as it ended; it may have been removed since. */
  readonly job: JobRecord;
  /** Milliseconds since the job ended. */
  readonly ageMs: number;
}

/** A file that an attempt is about to write. It is recorded first, so that a crash leaves no file that nobody knows of. */
export interface PendingFile {
  /** In the storage; no other attempt writes to it. */
  readonly path: string;
  readonly jobId: string;
  /** Number of the attempt, as in its claim. */
  readonly attempt: number;
  /** Unix milliseconds. */
  readonly recordedAt: number;
}

/** What a client may name its request by, so that sending it twice makes one job. */
export interface Idempotency {
  readonly key: string;
  /** Equal for requests that ask for the same. */
  readonly fingerprint: string;
}

export interface JobPage {
  readonly jobs: readonly JobRecord[];
  /** For the page after this one; undefined: there is none. */
  readonly next: string | undefined;
}

/** How long a claim is good without a sign of life, in milliseconds. */
export interface Leases {
  readonly jobMs: number;
  readonly webhookMs: number;
}

export interface JobCounts {
  /** Those that wait for a later attempt included. */
  readonly queued: number;
  readonly running: number;
  /** Webhooks that have not arrived yet. */
  readonly webhooks: number;
}

/** What may go, oldest first. */
interface SweepLimits {
  /** Whatever has finished before this, in Unix milliseconds. */
  readonly before: number;
  /** Results of more bytes than this together lose the oldest of them. */
  readonly maxBytes: number;
  /** At most so many at once. */
  readonly limit: number;
}

interface Sweepable {
  /** Their time is over: result first, then `remove`. */
  readonly old: readonly JobRecord[];
  /** They make room: result first, then `loseResult`. */
  readonly large: readonly JobRecord[];
}

/**
 * Where jobs are kept. A job that is taken is lost in no crash of the service: it is done at least once. Everything that
 * ends a job writes its webhook in the same step.
 * @throws ServiceError StorageError of each method, where the store is away or full.
 */
export interface JobStore extends AsyncDisposable {
  /**
   * Takes all of them or none; resolves once they are kept. Gives the ids: of these jobs, or of those that the same key has
   * brought earlier.
   * @throws ServiceError IdempotencyError for a key that came with another fingerprint.
   */
  readonly submit: (jobs: readonly NewJob[], idempotency?: Idempotency) => Promise<readonly string[]>;
  /** Removes jobs whose submission was answered with an error before it arrived: no attempt, no webhook, no record. */
  readonly withdraw: (ids: readonly string[]) => Promise<void>;
  readonly get: (id: string) => Promise<JobRecord | undefined>;
  /** Newest first. @throws ServiceError ValidationError for a cursor that is none. */
  readonly list: (
    state: JobState,
    page: { readonly cursor?: string; readonly limit: number },
  ) => Promise<JobPage>;
  /** The one that has waited longest, or whose lease is over; undefined: there is nothing to do. */
  readonly claim: () => Promise<JobClaim | undefined>;
  /** Begins the lease anew. False when the claim is no longer held: the job was cancelled, or the lease was over. */
  readonly heartbeat: (claim: JobClaim) => Promise<boolean>;
  /** Forgets the pending file of the result as well. False as `heartbeat`; so are the next two. */
  readonly finish: (claim: JobClaim, result: JobResult) => Promise<boolean>;
  readonly fail: (claim: JobClaim, error: JobError) => Promise<boolean>;
  /** To be claimed again after so long. */
  readonly retry: (claim: JobClaim, error: JobError, afterMs: number) => Promise<boolean>;
  /** As if it had not been claimed: no attempt is counted. */
  readonly giveBack: (claim: JobClaim) => Promise<void>;
  /** Ends a job that has not ended. True when it was this that has ended it. */
  readonly cancel: (id: string) => Promise<boolean>;
  readonly findSweepable: (limits: SweepLimits) => Promise<Sweepable>;
  /** Removes a finished job. A webhook that is still to be sent keeps a copy of the record until it has ended, unless it is dropped. */
  readonly remove: (id: string, webhook?: 'drop') => Promise<void>;
  /**
   * Deletes expired keys, leftovers of crashes and the last copies of deleted secrets, and corrects times that a clock has spoiled.
   * True if there is more to delete.
   */
  readonly tidy: () => Promise<boolean>;
  readonly loseResult: (id: string) => Promise<void>;
  /** Records a file before it is written, or moves its next check. The check is due after so many milliseconds. */
  readonly recordFile: (file: PendingFile, checkAfterMs: number) => Promise<void>;
  /** Pending files whose check is due, the longest due first. */
  readonly dueFiles: (limit: number) => Promise<readonly PendingFile[]>;
  readonly forgetFile: (path: string) => Promise<void>;
  readonly claimWebhook: () => Promise<WebhookClaim | undefined>;
  /** It has arrived, or never will. */
  readonly endWebhook: (claim: WebhookClaim) => Promise<void>;
  readonly retryWebhook: (claim: WebhookClaim, afterMs: number) => Promise<void>;
  readonly counts: () => Promise<JobCounts>;
  /** Told when there may be something to claim before anybody would look. Gives what ends the telling. */
  readonly onWork: (listener: () => void) => () => void;
}
