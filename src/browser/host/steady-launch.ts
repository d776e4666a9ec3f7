import type { Logger } from '../../log.ts';
import { asError } from '../../timeouts.ts';

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 10_000;

/** A start that does not succeed at the moment. */
interface LaunchFailure {
  readonly error: Error;
  /** Unix milliseconds of the next try. */
  readonly retryAt: number;
}

interface SteadyLaunch<T> {
  /** Starts one, or joins the start under way; tries again, ever more slowly, until one is up or it is stopped. */
  readonly launch: () => Promise<T>;
  readonly isLaunching: () => boolean;
  /** The last failure, while nothing has succeeded since. */
  readonly failure: () => LaunchFailure | undefined;
  /** Makes the start under way reject after its current try. */
  readonly stop: () => void;
}

/** Starts something that may fail to start: a first failure must not stick, and failures must not become a busy loop. */
export function createSteadyLaunch<T>(start: () => Promise<T>, log: Logger): SteadyLaunch<T> {
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
        failure = { error: asError(error), retryAt: Date.now() + delayMs };
        log.error({ err: error, retryMs: delayMs }, 'the browser does not start');
        await new Promise((resolve) => {
          setTimeout(resolve, delayMs).unref();
        });
      }
    }
  };

  return {
    launch: () => {
      launching ??= untilStarted().finally(() => {
        launching = undefined;
      });
      launching.catch(() => undefined); // stopped while starting: whoever waits for it is told, nobody else
      return launching;
    },
    isLaunching: () => launching !== undefined,
    failure: () => failure,
    stop: () => {
      stopped = true;
    },
  };
}
