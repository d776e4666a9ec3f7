import { UnexpectedAnswerError } from './capture-error.ts';

/** State of a job. `done`, `failed` and `cancelled` are final. */
export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

/** A job. Times are UTC in ISO 8601. */
export interface CaptureJob {
  readonly id: string;
  readonly state: JobState;
  readonly createdAt: string;
  readonly startedAt: string | undefined;
  readonly finishedAt: string | undefined;
  /** Number of started attempts. */
  readonly attempts: number;
  /** Link to the result. Needs no token, and expires. */
  readonly url: string | undefined;
  /** Error of a failed job. `errorType` is the same as in errors of captures. */
  readonly error: { readonly errorType: string; readonly message: string } | undefined;
}

/** Options of a job beside its capture fields. */
export interface JobOptions {
  /** Address that gets the job by POST when it has finished. */
  readonly webhookUrl?: string | undefined;
  /** Path in the storage of the service, where the result outlives the job. */
  readonly storePath?: string | undefined;
  /** Idempotency key: submitting again with the same key returns the same job. Default: random. */
  readonly idempotencyKey?: string | undefined;
}

const STATES: ReadonlySet<unknown> = new Set<JobState>(['queued', 'running', 'done', 'failed', 'cancelled']);

/**
 * Parses a job from the body of an answer.
 * @throws UnexpectedAnswerError if it is none
 */
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

/** True if the state of the job is final. */
export function hasEnded({ state }: CaptureJob): boolean {
  return state !== 'queued' && state !== 'running';
}

/** Random key. Not `randomUUID`, which browsers offer on https pages only. */
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
