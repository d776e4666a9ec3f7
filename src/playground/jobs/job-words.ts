import type { Failure } from '../service.ts';
import { durationInWords, formatInWords, sizeInWords } from '../words.ts';
import type { Job } from './job-calls.ts';

/** Whether something will still happen to it, and it can be cancelled. */
export function isOpen({ state }: Pick<Job, 'state'>): boolean {
  return state === 'queued' || state === 'running';
}

/** Whether what came of it can be shown small. */
export function isPicture({ state, result }: Pick<Job, 'state' | 'result'>): boolean {
  return state === 'done' && result?.content_type.startsWith('image/') === true;
}

/** `PNG, 48 KB`; undefined before there is a result: what was asked for is told to nobody. */
export function resultInWords({ result }: Pick<Job, 'result'>): string | undefined {
  return result && `${formatInWords(result.content_type)}, ${sizeInWords(result.bytes)}`;
}

/** How long it has waited, has run or took, and how often it was begun. */
export function courseInWords(job: Job, nowMs: number): string {
  const [createdMs, startedMs, finishedMs] = [job.created_at, job.started_at, job.finished_at].map((time) =>
    time === undefined ? undefined : Date.parse(time),
  );
  const attempts = job.attempts === 1 ? '1 attempt' : `${job.attempts} attempts`;
  if (job.state === 'queued') {
    const waits = `has waited for ${until(nowMs, createdMs)}`;
    return job.attempts === 0 ? waits : `${waits}, is tried again after ${attempts}`;
  }
  if (job.state === 'running') {
    const runs = `has run for ${until(nowMs, startedMs)}`;
    return job.attempts > 1 ? `${runs}, attempt ${job.attempts}` : runs;
  }
  if (startedMs === undefined) return 'was never begun';
  return `took ${durationInWords((finishedMs ?? nowMs) - startedMs)}, ${attempts}`;
}

/** Of what goes on, in whole seconds: it is out of date as soon as it is read. */
function until(nowMs: number, ms: number | undefined): string {
  const tookMs = Math.max(0, nowMs - (ms ?? nowMs));
  return tookMs < 60_000 ? `${Math.round(tookMs / 1_000)} s` : durationInWords(tookMs);
}

/** With what it has failed, or what its last attempt ended with; undefined while all is well. */
export function problemOf({ state, error }: Pick<Job, 'state' | 'error'>): Failure | undefined {
  if (error === undefined) return undefined;
  return {
    kind: 'failure',
    status: 0,
    type: error.error_type,
    message: state === 'failed' ? error.message : `The last attempt ended with: ${error.message}`,
    details: error.error_details,
    retryAfterSeconds: undefined,
    requestId: undefined,
  };
}

/** For who does not see it: which jobs have come into which state; undefined when none has. */
export function changesInWords(before: readonly Job[], now: readonly Job[]): string | undefined {
  const states = new Map(before.map(({ id, state }) => [id, state]));
  const changed = now.filter(({ id, state }) => states.has(id) && states.get(id) !== state);
  const counts = Object.entries(Object.groupBy(changed, ({ state }) => state));
  if (counts.length === 0) return undefined;
  return counts
    .map(([state, jobs = []]) => `${jobs.length === 1 ? '1 job is' : `${jobs.length} jobs are`} ${state}`)
    .join(', ');
}
