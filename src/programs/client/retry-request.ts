import { CaptureError, ConnectionError } from './capture-error.ts';

const FIRST_DELAY_MS = 250;

interface RetryOptions {
  /** Number of retries. */
  readonly retries: number;
  /** Longest delay before a retry. If the service requests a longer one, there is no retry. */
  readonly maxDelayMs: number;
  /** True if the request may have its effect twice. A 503 can come after the capture, when its result has no room. */
  readonly isRepeatable: boolean;
  readonly signal: AbortSignal;
}

/**
 * Retries while the service is busy (429, 503) or unreachable. Waits as long as the service requests, otherwise with
 * exponential backoff and jitter, so that refused clients don't return together.
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  { retries, maxDelayMs, isRepeatable, signal }: RetryOptions,
): Promise<Result> {
  for (let tried = 0; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (tried >= retries || !isRetryable(error, isRepeatable)) throw error;
      const delayMs = delayBefore(tried, error.retryAfter);
      if (delayMs.least > maxDelayMs) throw error;
      await delay(Math.min(delayMs.least + Math.random() * delayMs.spread, maxDelayMs), signal);
    }
  }
}

function isRetryable(error: unknown, isRepeatable: boolean): error is CaptureError {
  if (!(error instanceof CaptureError)) return false;
  return error.status === 429 || (isRepeatable && (error.status === 503 || error instanceof ConnectionError));
}

function delayBefore(tried: number, retryAfter: number | undefined): { least: number; spread: number } {
  const step = FIRST_DELAY_MS * 2 ** tried;
  return retryAfter === undefined
    ? { least: step / 2, spread: step / 2 }
    : { least: retryAfter * 1000, spread: FIRST_DELAY_MS };
}

/** Waits. Rejects with the signal's reason as soon as it fires. */
export function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) throw signal.reason;
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
