import { CaptureError } from '../../client/capture-error.ts';
import { durationInWords, formatInWords, sizeInWords } from '../format-units.ts';
import type { CaptureJob } from '../../client/job-data.ts';

/** True if the job is waiting or running, so that it can be cancelled. */
export function isOpen({ state }: Pick<CaptureJob, 'state'>): boolean {
  return state === 'queued' || state === 'running';
}

/** True if the result can be shown as a thumbnail. */
export function isPicture({ state, result }: Pick<CaptureJob, 'state' | 'result'>): boolean {
  return state === 'done' && result?.contentType.startsWith('image/') === true;
}

/**
 * Describes the result, for example `PNG, 48 KB`. Undefined before there is a result, because the service does not
 * return the request.
 */
export function resultInWords({ result }: Pick<CaptureJob, 'result'>): string | undefined {
  return result && `${formatInWords(result.contentType)}, ${sizeInWords(result.bytes)}`;
}

/** Returns how long the job has waited or run, and the number of attempts. */
export function courseInWords(job: CaptureJob, nowMs: number): string {
  const [createdMs, startedMs, finishedMs] = [job.createdAt, job.startedAt, job.finishedAt].map((time) =>
    time === undefined ? undefined : Date.parse(time),
  );
  const attempts = job.attempts === 1 ? '1 attempt' : `${job.attempts} attempts`;
  if (job.state === 'queued') {
    const waits = `has waited for ${until(nowMs, createdMs)}`;
    return job.attempts === 0 ? waits : `${waits}, is retried after ${attempts}`;
  }
  if (job.state === 'running') {
    const runs = `has run for ${until(nowMs, startedMs)}`;
    return job.attempts > 1 ? `${runs}, attempt ${job.attempts}` : runs;
  }
  if (startedMs === undefined) return 'was never started';
  const took = durationInWords((finishedMs ?? nowMs) - startedMs);
  return job.attempts === 1 ? `took ${took}` : `took ${took} at the last of ${attempts}`;
}

/** Formats the time in whole seconds, because it changes constantly. */
function until(nowMs: number, ms: number | undefined): string {
  const tookMs = Math.max(0, nowMs - (ms ?? nowMs));
  return tookMs < 60_000 ? `${Math.round(tookMs / 1_000)} s` : durationInWords(tookMs);
}

/** Returns the error of a failed job or of its last attempt. Undefined if there is none. */
export function problemOf({ state, error }: Pick<CaptureJob, 'state' | 'error'>): CaptureError | undefined {
  if (error === undefined) return undefined;
  const message = state === 'failed' ? error.message : `The last attempt ended with: ${error.message}`;
  return new CaptureError(message, error);
}

/** Describes for screen readers which jobs changed their state. Undefined if none did. */
export function changesInWords(before: readonly CaptureJob[], now: readonly CaptureJob[]): string | undefined {
  const states = new Map(before.map(({ id, state }) => [id, state]));
  const changed = now.filter(({ id, state }) => states.has(id) && states.get(id) !== state);
  const counts = Object.entries(Object.groupBy(changed, ({ state }) => state));
  if (counts.length === 0) return undefined;
  return counts
    .map(([state, jobs]) => `${jobs.length === 1 ? '1 job is' : `${jobs.length} jobs are`} ${state}`)
    .join(', ');
}
