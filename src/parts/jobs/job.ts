import type { CaptureFacts } from '../../core/capture/capture-on-page.ts';
import type { FormatName } from '../../core/capture/formats/format-names.ts';
import type { Delivery } from '../../core/capture/request/delivery.ts';
import type { ErrorType } from '../../core/ground/errors.ts';
import { DEFAULT_KEY } from '../../core/access/key.ts';
import type { StoredFile } from '../storage/storage.ts';
import { timeOfJobId } from './job-id.ts';

/** All states, in the order of a list of all jobs. */
export const JOB_STATES = ['running', 'queued', 'failed', 'cancelled', 'done'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** A validated submission. */
export interface NewJob {
  /** UUID of version 7, which starts with the time. */
  readonly id: string;
  /** Capture fields as received. They may contain secrets. */
  readonly capture: Readonly<Record<string, unknown>>;
  /** Id of the key that submitted the job. Undefined: `default`. */
  readonly owner?: string | undefined;
  /** Name for people who look through a list of jobs. */
  readonly label?: string | undefined;
  /** Address of the page, by which clients recognise the job. It may contain secrets. */
  readonly pageUrl?: string | undefined;
  /** True: a capture that fails is not tried again. */
  readonly isTriedOnce?: boolean | undefined;
  /** Id of the watch of which this job is a run. */
  readonly watch?: string | undefined;
  readonly webhookUrl?: string | undefined;
  /** Place of the client's copy of the result, in the namespace of the owner. The service never deletes it. */
  readonly storePath?: string | undefined;
  /** Origin of the request, the base of links in webhooks. */
  readonly origin: string;
  /** The span of the request, which the first attempt belongs to. Undefined: not traced. */
  readonly traceparent?: string | undefined;
}

/** The result of a job and its place in the storage. */
export interface JobResult {
  /** Place in the storage, in the namespace of the owner. */
  readonly path: string;
  readonly format: FormatName;
  readonly delivery: Delivery;
  readonly contentType: string;
  readonly bytes: number;
  /** Hash in base64url. Undefined in results of earlier versions. */
  readonly sha256?: string | undefined;
  /** Cache status, as in the header of a capture. */
  readonly cache: 'HIT' | 'MISS' | 'BYPASS';
  readonly facts: CaptureFacts;
  /** True for a log-in state, to which no link leads that needs no token. */
  readonly isSecret?: boolean | undefined;
  /** True for a file that outlives the job, because it belongs to a watch. */
  readonly isKept?: boolean | undefined;
}

export interface JobError {
  readonly type: ErrorType;
  readonly message: string;
  readonly details?: string | undefined;
}

/** A stored job without its capture fields. Times are Unix milliseconds. */
export interface JobRecord {
  readonly id: string;
  /** Id of the key to which the job belongs. */
  readonly owner: string;
  readonly state: JobState;
  readonly createdAt: number;
  readonly startedAt?: number | undefined;
  readonly finishedAt?: number | undefined;
  /** Number of started attempts. */
  readonly attempts: number;
  readonly label?: string | undefined;
  readonly pageUrl?: string | undefined;
  readonly watch?: string | undefined;
  readonly storePath?: string | undefined;
  readonly origin: string;
  readonly traceparent?: string | undefined;
  readonly result?: JobResult | undefined;
  /** Error of a failed job, or of the last attempt of a job that will be retried. */
  readonly error?: JobError | undefined;
  /** True if the result was removed early to make room. */
  readonly hasLostResult?: boolean | undefined;
}

/** Returns the record of a new job. */
export function queuedJob({
  id,
  owner = DEFAULT_KEY,
  label,
  pageUrl,
  watch,
  storePath,
  origin,
  traceparent,
}: NewJob): JobRecord {
  const createdAt = timeOfJobId(id) ?? 0;
  return { id, owner, state: 'queued', createdAt, attempts: 0, label, pageUrl, watch, storePath, origin, traceparent };
}

/** Returns the bytes that the sweep may free: those of a kept file are not its own. */
export function sweepableBytes(result: JobResult | undefined): number {
  return result === undefined || result.isKept === true ? 0 : result.bytes;
}

/** True if the state of the job is final. */
export function isFinished({ state }: Pick<JobRecord, 'state'>): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

/**
 * True if a client has replaced the file of a result. Earlier versions, which recorded no hash, kept results at paths
 * that clients could write to.
 */
export function isReplaced(
  { bytes, contentType, sha256 }: JobResult,
  file: Pick<StoredFile, 'bytes' | 'contentType'>,
): boolean {
  return sha256 === undefined && (file.bytes !== bytes || file.contentType !== contentType);
}

/** Returns the oldest results whose sizes add up to this many bytes. */
export function oldestOf(kept: readonly JobRecord[], bytes: number): readonly JobRecord[] {
  let found = 0;
  return kept.filter(({ result }) => {
    if (found >= bytes) return false;
    found += result?.bytes ?? 0;
    return true;
  });
}
