import type { CaptureAnswer } from '../../core/capture/capture.ts';
import type { Key } from '../../core/access/key.ts';
import type { Span } from '../../core/ground/tracer.ts';
import type { JobError, JobRecord, JobResult } from './job.ts';
import type { JobClaim } from './job-store.ts';

/** A claimed job of a watch. */
export type RunClaim = JobClaim & { readonly watch: string };

/** What an attempt gives to the run that it makes. */
export interface Attempt {
  readonly key: Key | undefined;
  /** Aborted when the claim is lost or the service closes. */
  readonly signal: AbortSignal;
  readonly span: Span | undefined;
  /**
   * Writes a file in the namespace of the owner, and returns its path. The sweep deletes the file if it is not kept by
   * `keep` before the attempt ends.
   */
  readonly write: (name: string, body: Uint8Array, contentType: string) => Promise<string>;
  readonly keep: (path: string) => Promise<void>;
  /** @throws LostError if another worker has the job now, or it was cancelled */
  readonly checkClaim: () => Promise<void>;
  /** Call it for captures whose result is not kept, so that the quota of the key does not count them. */
  readonly lose: (answer: CaptureAnswer) => Promise<void>;
}

/** How the jobs of watches differ from others. */
export interface WatchRuns {
  readonly makeResult: (claim: RunClaim, attempt: Attempt) => Promise<JobResult>;
  /** Records that a run has failed for good. Idempotent. */
  readonly recordFailure: (run: Pick<RunClaim, 'id' | 'watch'>, error: JobError) => Promise<void>;
  /** Returns the body of the webhook. Undefined: nobody is to be told. */
  readonly messageOf: (job: JobRecord & { readonly watch: string }) => Promise<object | undefined>;
}

/** True for a job that is a run of a watch. */
export function isRun<T extends { readonly watch?: string | undefined }>(
  job: T,
): job is T & { readonly watch: string } {
  return job.watch !== undefined;
}
