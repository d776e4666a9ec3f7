import { CaptureError, ClientTimeoutError, ConnectionError } from './capture-error.ts';
import { type CaptureJob, hasEnded } from './jobs.ts';
import { pause } from './retry.ts';

/** How often a job is asked for: soon at first, as most are short. */
const [FIRST_LOOK_MS, LOOK_GROWTH, LONGEST_LOOK_MS] = [250, 1.3, 5_000];
/** For so long nobody may answer: the service, or what keeps its jobs, is started again, and the job is still there then. */
const LONGEST_OUTAGE_MS = 120_000;

/** Asks until the job has ended. @throws what `ask` throws, but while it is only that the service is away for a moment */
export async function untilEnded(ask: () => Promise<CaptureJob>, signal: AbortSignal): Promise<void> {
  let answeredAtMs = performance.now();
  for (let ms = FIRST_LOOK_MS; ; ms = Math.min(ms * LOOK_GROWTH, LONGEST_LOOK_MS)) {
    try {
      if (hasEnded(await ask())) return;
      answeredAtMs = performance.now();
    } catch (error) {
      signal.throwIfAborted();
      if (!isOutage(error) || performance.now() - answeredAtMs >= LONGEST_OUTAGE_MS) throw error;
    }
    await pause(ms, signal);
  }
}

/** Of the service, of the store of its jobs, or of a proxy that looks for it. */
function isOutage(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof ClientTimeoutError) return true;
  return error instanceof CaptureError && [429, 502, 503, 504].includes(error.status ?? 0);
}
