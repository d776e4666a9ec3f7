const BUSY_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

/** What a look has found. */
export interface Outlook {
  /** Something waits or runs. */
  readonly isBusy: boolean;
  /** How many requests it took: who asks for more asks less often. */
  readonly requests: number;
  readonly hasFailed: boolean;
  /** As the service said. */
  readonly retryAfterSeconds: number | undefined;
}

/** How long to wait after a look; `idleLooks`: those before it, one after another, that found nothing to wait for or failed. */
export function pauseMs(outlook: Outlook, idleLooks: number): number {
  if (outlook.retryAfterSeconds !== undefined) {
    return Math.max(BUSY_PAUSE_MS, outlook.retryAfterSeconds * 1_000);
  }
  const usual = BUSY_PAUSE_MS * Math.max(1, outlook.requests);
  if (outlook.isBusy && !outlook.hasFailed) return usual;
  return Math.min(usual * 2 ** (idleLooks + 1), LONGEST_PAUSE_MS);
}

/**
 * Looks again and again while the page is seen. `look` gives back undefined to be left alone until it is asked for by `now`.
 * Two looks are never under way at once.
 */
export function createRefresh(look: () => Promise<Outlook | undefined>): {
  readonly now: () => Promise<void>;
} {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let idleLooks = 0;
  let isLooking = false;
  let isWanted = false;
  let isLeftAlone = false;

  const now = async (): Promise<void> => {
    clearTimeout(timer);
    isWanted = true;
    if (isLooking) return;
    isLooking = true;
    let outlook: Outlook | undefined;
    try {
      while (isWanted) {
        isWanted = false;
        outlook = await look();
      }
    } finally {
      isLooking = false;
    }
    isLeftAlone = outlook === undefined;
    if (outlook === undefined) return;
    timer = setTimeout(lookIfSeen, pauseMs(outlook, idleLooks));
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
