import type { Values } from '../form/values.ts';
import { type Call, type Failure, isFailure, readJson, send } from '../service.ts';

/** A job as the service tells of it. */
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
  /** Undefined: there are no more. */
  readonly next: string | undefined;
  /** The service's clock, in Unix milliseconds: that of this machine may be another. */
  readonly nowMs: number;
}

/** `POST /jobs`, under a name of its own: sent twice by whatever lies between, it is one job. */
export async function submitJob(values: Values, call: Call): Promise<OneJob | Failure> {
  const headers = { 'Idempotency-Key': randomKey() };
  const answer = await send('jobs', { ...call, method: 'POST', headers, body: { capture: values } });
  if (!(answer instanceof Response)) {
    // Fields have the names here that they have in `/capture`.
    return { ...answer, details: answer.details?.replace(/^capture: /, '') };
  }
  return await readOne(answer, call);
}

/** `GET /jobs`. */
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

/** `DELETE /jobs/<id>`: the job as it is now. */
export async function cancelJob(id: string, call: Call): Promise<OneJob | Failure> {
  const answer = await send(`jobs/${encodeURIComponent(id)}`, { ...call, method: 'DELETE' });
  return answer instanceof Response ? await readOne(answer, call) : answer;
}

async function readOne(answer: Response, call: Call): Promise<OneJob | Failure> {
  const read = await readJson<Job>(answer, call);
  return isFailure(read) ? read : { kind: 'job', job: read };
}

/**
 * The picture that has come of a job; undefined where it is gone, or larger than so many pixels. By the token and from this address:
 * the link of a result may lead to a bucket, from where the page's policy lets nothing in.
 */
export async function fetchPicture(id: string, maxPixels: number, call: Call): Promise<Blob | undefined> {
  const answer = await send(`jobs/${encodeURIComponent(id)}/result`, call);
  if (!(answer instanceof Response)) return undefined;
  const [width, height] = ['X-Image-Width', 'X-Image-Height'].map((name) => answer.headers.get(name));
  if (Number(width) * Number(height) <= maxPixels) return await answer.blob().catch(() => undefined);
  await answer.body?.cancel();
  return undefined;
}

/** Not `randomUUID`, which browsers have over https alone. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
