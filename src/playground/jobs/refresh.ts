const BUSY_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 60_000;

/** Result of a refresh. */
export interface Outlook {
  /** True if a job is waiting or running. */
  readonly isBusy: boolean;
  /** Number of requests. Refreshes that take more requests are less frequent. */
  readonly requests: number;
  readonly hasFailed: boolean;
  /** Delay that the service requests. */
  readonly retryAfterSeconds: number | undefined;
}

/**
 * Returns the delay after a refresh. `idleLooks` counts the preceding refreshes that failed or found no waiting or
 * running job.
 */
export function delayMs(outlook: Outlook, idleLooks: number): number {
  if (outlook.retryAfterSeconds !== undefined) {
    return Math.max(BUSY_DELAY_MS, outlook.retryAfterSeconds * 1_000);
  }
  const usual = BUSY_DELAY_MS * Math.max(1, outlook.requests);
  if (outlook.isBusy && !outlook.hasFailed) return usual;
  return Math.min(usual * 2 ** (idleLooks + 1), LONGEST_DELAY_MS);
}

/**
 * Refreshes repeatedly while the page is visible. If `look` returns undefined, it stops until `now` is called. Never
 * runs two at a time.
 */
export function createRefresh(look: () => Promise<Outlook | undefined>): {
  readonly now: () => Promise<void>;
} {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let idleLooks = 0;
  let looking: Promise<void> | undefined;
  let isRequested = false;
  let isLeftAlone = false;

  /** Resolves after a look that began after the call. */
  const now = (): Promise<void> => {
    clearTimeout(timer);
    isRequested = true;
    return (looking ??= lookWhileRequested());
  };
  const lookWhileRequested = async (): Promise<void> => {
    let outlook: Outlook | undefined;
    try {
      while (isRequested) {
        isRequested = false;
        outlook = await look();
      }
    } finally {
      looking = undefined;
    }
    isLeftAlone = outlook === undefined;
    if (outlook === undefined) return;
    timer = setTimeout(lookIfSeen, delayMs(outlook, idleLooks));
    idleLooks = outlook.isBusy && !outlook.hasFailed ? 0 : idleLooks + 1;
  };
  const lookIfSeen = (): void => {
    if (!document.hidden) void now();
  };
  document.addEventListener('visibilitychange', () => {
    if (!isLeftAlone) lookIfSeen();
  });
  return {
    now: async () => {
      idleLooks = 0;
      await now();
    },
  };
}
