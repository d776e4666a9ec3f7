import type { Logger } from '../../ground/log.ts';
import { asError } from '../../ground/timeouts.ts';

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 10_000;

/** A failed start that will be retried. */
export interface LaunchFailure {
  readonly error: Error;
  /** Time of the next try, on the clock of `performance.now()`. */
  readonly retryAt: number;
}

export interface LaunchWithBackoff<T> {
  /** Starts, or joins the start under way. Retries with exponential backoff until it succeeds or is stopped. */
  readonly launch: () => Promise<T>;
  readonly isLaunching: () => boolean;
  /** The last failure. Undefined after a success. */
  readonly failure: () => LaunchFailure | undefined;
  /** Makes the start under way fail after its current try. */
  readonly stop: () => void;
}

/** Retries a start that may fail, with exponential backoff. */
export function createLaunchWithBackoff<T>(start: () => Promise<T>, log: Logger): LaunchWithBackoff<T> {
  let launching: Promise<T> | undefined;
  let failure: LaunchFailure | undefined;
  let stopped = false;

  const untilStarted = async (): Promise<T> => {
    for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(delayMs * 2, LONGEST_RETRY_MS)) {
      try {
        const started = await start();
        failure = undefined;
        return started;
      } catch (error) {
        if (stopped) throw error;
        failure = { error: asError(error), retryAt: performance.now() + delayMs };
        log.error({ err: error, retryMs: delayMs }, 'the browser does not start');
        await new Promise((resolve) => void setTimeout(resolve, delayMs).unref());
      }
    }
  };

  return {
    launch: () => {
      launching ??= untilStarted().finally(() => (launching = undefined));
      launching.catch(() => undefined); // stopped while starting: only the callers of this start see the error
      return launching;
    },
    isLaunching: () => launching !== undefined,
    failure: () => failure,
    stop: () => (stopped = true),
  };
}
