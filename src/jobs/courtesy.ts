/** How long nobody else may have captured before jobs have all of their pages: of those that come one after another, each would meet some. */
const QUIET_MS = 2_000;
/** Where others leave no gap at all, one job begins in so long. */
const STARVED_MS = 30_000;

interface CourtesyOptions {
  /** Milliseconds since somebody waited for a capture; 0 while somebody does. */
  readonly quietMs: () => number;
  /** Milliseconds, never going back. */
  readonly now?: () => number;
}

/**
 * Says whether a job may begin beside so many others, so that whoever waits for a capture hardly notices: processors are shared, whoever
 * has which page. In gaps between captures one at a time.
 */
export function createCourtesy({ quietMs, now = () => performance.now() }: CourtesyOptions) {
  let begunAtMs = now();

  const isPolite = (running: number): boolean => {
    const quiet = quietMs();
    if (quiet >= QUIET_MS) return true;
    if (running > 0) return false;
    return quiet > 0 || now() - begunAtMs >= STARVED_MS;
  };
  return (running: number): boolean => {
    if (!isPolite(running)) return false;
    begunAtMs = now();
    return true;
  };
}
