const BUSY_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 60_000;

/** Result of a refresh. */
export interface PollResult {
  /** True if a job is waiting or running. */
  readonly isBusy: boolean;
  /** Number of requests. Refreshes that take more requests are less frequent. */
  readonly requests: number;
  readonly hasFailed: boolean;
  /** Delay that the service requests. */
  readonly retryAfterSeconds: number | undefined;
}

/**
 * Returns the delay after a refresh. `idlePolls` counts the preceding refreshes that failed or found no waiting or
 * running job.
 */
export function delayMs(result: PollResult, idlePolls: number): number {
  if (result.retryAfterSeconds !== undefined) {
    return Math.max(BUSY_DELAY_MS, result.retryAfterSeconds * 1_000);
  }
  const usual = BUSY_DELAY_MS * Math.max(1, result.requests);
  if (result.isBusy && !result.hasFailed) return usual;
  return Math.min(usual * 2 ** (idlePolls + 1), LONGEST_DELAY_MS);
}

/**
 * Refreshes repeatedly while the page is visible. If `poll` returns undefined, it stops until `now` is called. Never
 * runs two at a time.
 */
export function createRefresh(poll: () => Promise<PollResult | undefined>): {
  readonly now: () => Promise<void>;
} {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let idlePolls = 0;
  let polling: Promise<void> | undefined;
  let isRequested = false;
  let isLeftAlone = false;

  /** Resolves after a poll that began after the call. */
  const now = (): Promise<void> => {
    clearTimeout(timer);
    isRequested = true;
    return (polling ??= pollWhileRequested());
  };
  const pollWhileRequested = async (): Promise<void> => {
    let result: PollResult | undefined;
    try {
      while (isRequested) {
        isRequested = false;
        result = await poll();
      }
    } finally {
      polling = undefined;
    }
    isLeftAlone = result === undefined;
    if (result === undefined) return;
    timer = setTimeout(pollIfVisible, delayMs(result, idlePolls));
    idlePolls = result.isBusy && !result.hasFailed ? 0 : idlePolls + 1;
  };
  const pollIfVisible = (): void => {
    if (!document.hidden) void now();
  };
  document.addEventListener('visibilitychange', () => {
    if (!isLeftAlone) pollIfVisible();
  });
  return {
    now: async () => {
      idlePolls = 0;
      await now();
    },
  };
}
