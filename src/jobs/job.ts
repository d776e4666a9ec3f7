import type { CaptureAnswer } from '../capture/capture.ts';
import type { FormatName } from '../capture/formats/format-names.ts';
import type { ErrorType } from '../errors.ts';
import type { StoredFile } from '../storage/storage.ts';

/** In the order in which a list of all jobs goes. */
export const JOB_STATES = ['running', 'queued', 'failed', 'cancelled', 'done'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** What a client has submitted, checked. */
export interface NewJob {
  /** A UUID of version 7: it begins with the time. */
  readonly id: string;
  /** The fields of the capture as they came: secrets may be among them. */
  readonly capture: Readonly<Record<string, unknown>>;
  readonly webhookUrl?: string | undefined;
  /** Where the client wants a copy of the result. The service never deletes it. */
  readonly storePath?: string | undefined;
  /** The scheme and host by which the service was called: links that it sends are resolved against it. */
  readonly origin: string;
}

/** What is known of a capture beside its bytes. */
export type CaptureFacts = Omit<CaptureAnswer, 'body' | 'caching' | 'parts'>;

/** What has come of a job, and where it is kept. */
export interface JobResult {
  /** In the storage. */
  readonly path: string;
  readonly format: FormatName;
  /** What the bytes are: the capture itself, or JSON with it. */
  readonly responseType: 'file' | 'json';
  readonly contentType: string;
  readonly bytes: number;
  /** In base64url; undefined in results of earlier versions. */
  readonly sha256?: string | undefined;
  /** As the header of a capture tells it. */
  readonly cache: 'HIT' | 'MISS' | 'BYPASS';
  readonly facts: CaptureFacts;
}

export interface JobError {
  readonly type: ErrorType;
  readonly message: string;
  readonly details?: string | undefined;
}

/** A job as it is kept, without what it was asked to capture. Times are Unix milliseconds. */
export interface JobRecord {
  readonly id: string;
  readonly state: JobState;
  readonly createdAt: number;
  readonly startedAt?: number | undefined;
  readonly finishedAt?: number | undefined;
  /** How often it was begun. */
  readonly attempts: number;
  readonly storePath?: string | undefined;
  readonly origin: string;
  readonly result?: JobResult | undefined;
  /** Of a job that has failed, and of the last attempt of one that is to be tried again. */
  readonly error?: JobError | undefined;
  /** The result had to make room for others before its time. */
  readonly hasLostResult?: boolean | undefined;
}

/** True for a job that nothing will happen to any more. */
export function isFinished({ state }: Pick<JobRecord, 'state'>): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

/**
 * True if a client has replaced the file of a result. Earlier versions, which recorded no hash, kept results at paths that clients could
 * write to.
 */
export function isReplaced(
  { bytes, contentType, sha256 }: JobResult,
  file: Pick<StoredFile, 'bytes' | 'contentType'>,
): boolean {
  return sha256 === undefined && (file.bytes !== bytes || file.contentType !== contentType);
}

/** Of results in the order of their age, as many of the first as come to so many bytes. */
export function oldestOf(kept: readonly JobRecord[], bytes: number): readonly JobRecord[] {
  let found = 0;
  return kept.filter(({ result }) => {
    if (found >= bytes) return false;
    found += result?.bytes ?? 0;
    return true;
  });
}
