import type { Values } from '../form/values.ts';
import { type Call, type Failure, isFailure, readJson, send } from '../service-calls.ts';

/** A job as the service returns it. */
export interface Job {
  readonly id: string;
  readonly state: string;
  readonly created_at: string;
  readonly started_at?: string;
  readonly finished_at?: string;
  readonly attempts: number;
  readonly result?: { readonly url: string; readonly content_type: string; readonly bytes: number };
  readonly error?: {
    readonly message: string;
    readonly error_type: string;
    readonly error_details?: string;
  };
}

export interface OneJob {
  readonly kind: 'job';
  readonly job: Job;
}

export interface JobPage {
  readonly kind: 'jobs';
  readonly jobs: readonly Job[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
  /** Clock of the service in Unix milliseconds. The clock of this machine may differ. */
  readonly nowMs: number;
}

/** Submits a job with an idempotency key, so that a repeated request makes one job. */
export async function submitJob(values: Values, call: Call): Promise<OneJob | Failure> {
  const headers = { 'Idempotency-Key': randomKey() };
  const { files, ...capture } = values;
  const answer = await send('jobs', { ...call, method: 'POST', headers, body: { capture }, files });
  if (!(answer instanceof Response)) {
    // Removes the prefix, so that fields have the same names as in `/capture`.
    return { ...answer, details: answer.details?.replace(/^capture: /, '') };
  }
  return await readOne(answer, call);
}

/** Lists jobs (`GET /jobs`). */
export async function listJobs(
  { state, cursor }: { readonly state: string | undefined; readonly cursor: string | undefined },
  call: Call,
): Promise<JobPage | Failure> {
  const query = new URLSearchParams({
    ...(state !== undefined && { state }),
    ...(cursor !== undefined && { cursor }),
  });
  const answer = await send(`jobs?${query}`, call);
  if (!(answer instanceof Response)) return answer;
  const nowMs = Date.parse(answer.headers.get('Date') ?? '');
  const read = await readJson<{ jobs: readonly Job[]; next_cursor?: string }>(answer, call);
  if (isFailure(read)) return read;
  const { jobs, next_cursor: next } = read;
  return { kind: 'jobs', jobs, next, nowMs: Number.isNaN(nowMs) ? Date.now() : nowMs };
}

/** Cancels a job (`DELETE /jobs/<id>`) and returns its new state. */
export async function cancelJob(id: string, call: Call): Promise<OneJob | Failure> {
  const answer = await send(`jobs/${encodeURIComponent(id)}`, { ...call, method: 'DELETE' });
  return answer instanceof Response ? await readOne(answer, call) : answer;
}

async function readOne(answer: Response, call: Call): Promise<OneJob | Failure> {
  const read = await readJson<Job>(answer, call);
  return isFailure(read) ? read : { kind: 'job', job: read };
}

/**
 * Returns the picture of a job. Undefined if it has expired or is too large. Uses the token and this origin, because a
 * link may lead to a bucket, which the content security policy blocks.
 */
export async function fetchPicture(id: string, maxPixels: number, call: Call): Promise<Blob | undefined> {
  const answer = await send(`jobs/${encodeURIComponent(id)}/result`, call);
  if (!(answer instanceof Response)) return undefined;
  const [width, height] = ['X-Image-Width', 'X-Image-Height'].map((name) => answer.headers.get(name));
  if (Number(width) * Number(height) <= maxPixels) return await answer.blob().catch(() => undefined);
  await answer.body?.cancel();
  return undefined;
}

/** Random key. Not `randomUUID`, which browsers offer on https pages only. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
