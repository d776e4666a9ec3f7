import { UnexpectedAnswerError } from './capture-error.ts';
import type { OrNewer } from './capture-facts.ts';
import type { CaptureRequest } from './capture-request.ts';
import { asObject, asText, readJson } from './json.ts';
import type { ERROR_CLASSES } from './service-errors.ts';

/** States of a job. `done`, `failed` and `cancelled` are final. */
export const JOB_STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** A job. Times are UTC in ISO 8601. */
export interface CaptureJob {
  readonly id: string;
  readonly state: JobState;
  readonly createdAt: string;
  readonly startedAt: string | undefined;
  readonly finishedAt: string | undefined;
  /** Number of started attempts. */
  readonly attempts: number;
  /** The label of the request, or host and path of the page. */
  readonly label: string | undefined;
  /** Address of the page, with `WEBHOOK_URLS=true`: in webhooks, and for the operator. */
  readonly url: string | undefined;
  /** Result of a job that is done. */
  readonly result: JobResult | undefined;
  /** Error of a failed job. */
  readonly error: JobError | undefined;
}

interface JobResult {
  /** Link to the result, which needs no token until `expiresAt`. */
  readonly url: string;
  readonly expiresAt: string;
  readonly contentType: string;
  readonly bytes: number;
}

interface JobError {
  /** The `error_details` that the capture would have returned. */
  readonly errorType: OrNewer<keyof typeof ERROR_CLASSES>;
  readonly message: string;
  readonly details: string | undefined;
}

/** A capture of a batch with a label of its own. */
export interface LabelledCapture {
  readonly capture: CaptureRequest;
  readonly label?: string | undefined;
}

/** Options of a job beside its capture fields. */
export interface JobOptions {
  /** Name for people who look through a list of jobs, of 1 to 200 characters. Default: host and path of the page. */
  readonly label?: string | undefined;
  /** Address that gets the job by POST when it has finished. */
  readonly webhookUrl?: string | undefined;
  /** Path in the storage of the service, where the result outlives the job. */
  readonly storePath?: string | undefined;
  /** Idempotency key: submitting again with the same key returns the same job. Default: random. */
  readonly idempotencyKey?: string | undefined;
}

/**
 * Parses a job from the body of an answer.
 * @throws UnexpectedAnswerError if it is none
 */
export async function readJob(response: Response): Promise<CaptureJob> {
  return toJob(await readJson(response), response.status);
}

/**
 * Parses a page of jobs from the body of an answer.
 * @throws UnexpectedAnswerError if it is none
 */
export async function readJobs(
  response: Response,
): Promise<{ readonly jobs: readonly CaptureJob[]; readonly nextCursor: string | undefined }> {
  const { jobs, next_cursor: nextCursor } = asObject(await readJson(response));
  if (!Array.isArray(jobs)) throw new UnexpectedAnswerError(response.status, {});
  return { jobs: jobs.map((job) => toJob(job, response.status)), nextCursor: asText(nextCursor) };
}

/** Parses a job. @throws UnexpectedAnswerError if it is none */
export function toJob(value: unknown, status: number): CaptureJob {
  const body = asObject(value);
  const { id, state, attempts } = body;
  if (typeof id !== 'string' || !isJobState(state)) throw new UnexpectedAnswerError(status, {});
  return {
    id,
    state,
    createdAt: asText(body['created_at']) ?? '',
    startedAt: asText(body['started_at']),
    finishedAt: asText(body['finished_at']),
    attempts: typeof attempts === 'number' ? attempts : 0,
    label: asText(body['label']),
    url: asText(body['url']),
    result: body['result'] === undefined ? undefined : toResult(asObject(body['result'])),
    error: body['error'] === undefined ? undefined : toError(asObject(body['error'])),
  };
}

function toResult(result: Readonly<Record<string, unknown>>): JobResult {
  return {
    url: asText(result['url']) ?? '',
    expiresAt: asText(result['expires_at']) ?? '',
    contentType: asText(result['content_type']) ?? '',
    bytes: typeof result['bytes'] === 'number' ? result['bytes'] : 0,
  };
}

function toError(error: Readonly<Record<string, unknown>>): JobError {
  return {
    errorType: asText(error['error_type']) ?? '',
    message: asText(error['message']) ?? '',
    details: asText(error['error_details']),
  };
}

/** True if the state of the job is final. */
export function hasEnded({ state }: CaptureJob): boolean {
  return state !== 'queued' && state !== 'running';
}

/** Random key. Not `randomUUID`, which browsers offer on https pages only. */
export function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** True for the name of a state. */
export function isJobState(value: unknown): value is JobState {
  return JOB_STATES.some((state) => state === value);
}
