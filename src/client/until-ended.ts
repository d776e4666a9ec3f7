import { CaptureError, ClientTimeoutError, ConnectionError } from './capture-error.ts';
import { type CaptureJob, hasEnded } from './job-data.ts';
import { delay } from './retry-request.ts';

/** Polling intervals for a job: short at first, because most jobs are short. */
const [FIRST_LOOK_MS, LOOK_GROWTH, LONGEST_LOOK_MS] = [250, 1.3, 5_000];
/** Longest outage to tolerate: after a restart of the service or the job store, the job is still there. */
const LONGEST_OUTAGE_MS = 120_000;

/**
 * Polls until the job has ended.
 * @throws the errors of `readJob`, except during a short outage
 */
export async function untilEnded(readJob: () => Promise<CaptureJob>, signal: AbortSignal): Promise<void> {
  let answeredAtMs = performance.now();
  for (let ms = FIRST_LOOK_MS; ; ms = Math.min(ms * LOOK_GROWTH, LONGEST_LOOK_MS)) {
    try {
      if (hasEnded(await readJob())) return;
      answeredAtMs = performance.now();
    } catch (error) {
      signal.throwIfAborted();
      if (!isOutage(error) || performance.now() - answeredAtMs >= LONGEST_OUTAGE_MS) throw error;
    }
    await delay(ms, signal);
  }
}

/** True for an outage of the service, of its job store, or of a proxy in front. */
function isOutage(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof ClientTimeoutError) return true;
  return error instanceof CaptureError && [429, 502, 503, 504].includes(error.status ?? 0);
}
