import { UnexpectedAnswerError } from './capture-error.ts';

/** How a job stands: `done`, `failed` and `cancelled` are for good. */
export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

/** A capture that waits, runs or has ended. Times are UTC, as ISO 8601 has them. */
export interface CaptureJob {
  readonly id: string;
  readonly state: JobState;
  readonly createdAt: string;
  readonly startedAt: string | undefined;
  readonly finishedAt: string | undefined;
  /** How often it was begun. */
  readonly attempts: number;
  /** A link to the result, for whoever has it; it ends. */
  readonly url: string | undefined;
  /** Of a job that has failed; `errorType` is as in errors of captures. */
  readonly error: { readonly errorType: string; readonly message: string } | undefined;
}

/** What a job may have beside the fields of its capture. */
export interface JobOptions {
  /** Where the service sends the job to, by POST, when it has ended. */
  readonly webhookUrl?: string | undefined;
  /** Where the service keeps the result, for longer than the job. */
  readonly storePath?: string | undefined;
  /** A name for this job: handing it in again under the same name gives the same job. One of chance by default. */
  readonly idempotencyKey?: string | undefined;
}

const STATES: ReadonlySet<unknown> = new Set<JobState>(['queued', 'running', 'done', 'failed', 'cancelled']);

/** Reads a job from the body of an answer. @throws UnexpectedAnswerError for what is none */
export async function readJob(response: Response): Promise<CaptureJob> {
  const body = asObject(await response.json().catch(() => undefined));
  const { id, state, attempts } = body;
  if (typeof id !== 'string' || !isState(state)) throw new UnexpectedAnswerError(response.status, {});
  const error = asObject(body['error']);
  return {
    id,
    state,
    createdAt: asText(body['created_at']) ?? '',
    startedAt: asText(body['started_at']),
    finishedAt: asText(body['finished_at']),
    attempts: typeof attempts === 'number' ? attempts : 0,
    url: asText(asObject(body['result'])['url']),
    error:
      body['error'] === undefined
        ? undefined
        : { errorType: asText(error['error_type']) ?? '', message: asText(error['message']) ?? '' },
  };
}

/** True for a job that nothing will happen to any more. */
export function hasEnded({ state }: CaptureJob): boolean {
  return state !== 'queued' && state !== 'running';
}

/** Not `randomUUID`: browsers have it for pages of https alone. */
export function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

function isState(value: unknown): value is JobState {
  return STATES.has(value);
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
