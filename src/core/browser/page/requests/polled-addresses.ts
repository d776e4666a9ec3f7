/** Maximum number of requests to an address that does not count as polled. */
const POLL_TIMES = 3;
/**
 * Total time limit for requests to polled addresses. A job of the page that is nearly finished ends within it, and
 * endless polling delays a capture only once.
 */
const POLLS_MS = 1_000;
const MAX_POLLED_LENGTH = 2_000; // longer addresses are not tracked, because they are rarely polled
const MAX_POLLED = 10_000;

/** Finds requests of polled addresses, and gives them up when the time for all of them has passed. */
export function createPolls(giveUp: (requestId: string) => void) {
  const requestCounts = new Map<string, number>(); // number of requests by address
  const polls = new Map<string, { readonly startedAt: number; readonly timer: NodeJS.Timeout }>();
  let remainingMs = POLLS_MS;

  return {
    /** Counts a request of the address. */
    isPoll: (url: string): boolean => {
      if (url.length > MAX_POLLED_LENGTH) return false;
      const count = (requestCounts.get(url) ?? 0) + 1;
      if (count > 1 || requestCounts.size < MAX_POLLED) requestCounts.set(url, count);
      return count > POLL_TIMES;
    },
    /** Forgets all counts: the page has a reason to repeat its requests. */
    reset: (): void => {
      requestCounts.clear();
      remainingMs = POLLS_MS;
    },
    /** False if no time remains. */
    begin: (requestId: string): boolean => {
      if (polls.has(requestId)) return true; // a redirect of a polled request to another polled address
      if (remainingMs <= 0) return false;
      const timer = setTimeout(giveUp, remainingMs, requestId).unref();
      polls.set(requestId, { startedAt: performance.now(), timer });
      return true;
    },
    end: (requestId: string): void => {
      const poll = polls.get(requestId);
      if (poll === undefined) return;
      clearTimeout(poll.timer);
      polls.delete(requestId);
      remainingMs -= performance.now() - poll.startedAt;
    },
  };
}
