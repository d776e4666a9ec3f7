import type { Storage } from '../storage/storage.ts';
import type { JobError, JobRecord } from './job.ts';

/** A job as clients see it, without its capture fields, which may contain secrets. */
export interface JobView {
  readonly id: string;
  readonly state: JobRecord['state'];
  readonly created_at: string;
  readonly started_at?: string;
  readonly finished_at?: string;
  readonly attempts: number;
  readonly label?: string;
  /** Address of the page, in webhooks that name it. */
  readonly url?: string | undefined;
  readonly result?: {
    readonly url: string;
    readonly expires_at: string;
    readonly content_type: string;
    readonly bytes: number;
  };
  readonly error?: {
    readonly status: 'error';
    readonly message: string;
    readonly error_type: string;
    readonly error_details?: string;
  };
}

/**
 * @param origin base of links to this service
 * @throws ServiceError StorageError
 */
export async function viewOf(job: JobRecord, storage: Storage, origin: string): Promise<JobView> {
  const { result, error, storePath } = job;
  const link = result && (await storage.link(storePath ?? result.path));
  return {
    id: job.id,
    state: job.state,
    created_at: timeOf(job.createdAt),
    ...(job.startedAt !== undefined && { started_at: timeOf(job.startedAt) }),
    ...(job.finishedAt !== undefined && { finished_at: timeOf(job.finishedAt) }),
    attempts: job.attempts,
    ...(job.label !== undefined && { label: job.label }),
    ...(result !== undefined &&
      link !== undefined && {
        result: {
          url: new URL(result.isSecret === true ? `/jobs/${job.id}/result` : link.url, origin).href,
          expires_at: link.expiresAt.toISOString(),
          content_type: result.contentType,
          bytes: result.bytes,
        },
      }),
    ...(error !== undefined && { error: viewOfError(error) }),
  };
}

/** Returns an error in the form of the API. */
export function viewOfError({ type, message, details }: JobError): NonNullable<JobView['error']> {
  return { status: 'error', message, error_type: type, ...(details !== undefined && { error_details: details }) };
}

export function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
