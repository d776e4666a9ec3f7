import { POLL_MS } from './job-limits.ts';

/**
 * Reserves the capacity for one more task beside `running` others. Called before the claim, because claimed work counts
 * as running.
 * @returns a function that releases the unused reservation. Undefined: nothing may start now. May reject when the
 * signal fires
 */
export type Reserve = (running: number, signal: AbortSignal) => Promise<(() => void) | undefined>;

interface OwnedClaim {
  readonly owner: string;
}

interface LoopOptions<Claim extends OwnedClaim> {
  /** Maximum number of concurrent tasks. */
  readonly limit: number;
  /** Maximum number of concurrent tasks of one owner. */
  readonly limitOf: (owner: string) => number;
  /** Claims a task of another owner than these. Undefined if there is none. */
  readonly claim: (busyOwners: readonly string[]) => Promise<Claim | undefined>;
  /** Runs a task. Never rejects. */
  readonly work: (claim: Claim, signal: AbortSignal) => Promise<void>;
  /** Polling interval in milliseconds for work that was not announced. */
  readonly pollMs?: number;
  /** Default: every task may start. */
  readonly reserve?: Reserve;
}

/** Claims and runs tasks, with limited concurrency. */
export interface WorkLoop {
  /** Claims work now. */
  readonly wake: () => void;
  /** Stops claiming, aborts the signals, and resolves when all tasks have ended. */
  readonly close: () => Promise<void>;
}

export function startWorkLoop<Claim extends OwnedClaim>(options: LoopOptions<Claim>): WorkLoop {
  const { limit, limitOf, claim, work, pollMs = POLL_MS, reserve = noReservation } = options;
  const closing = new AbortController();
  const running = new Map<Promise<void>, string>();
  let polling: Promise<void> | undefined;
  let isWokenAgain = false;

  const busyOwners = (): readonly string[] => {
    const owners = [...running.values()];
    return [...new Set(owners)].filter((owner) => owners.filter((each) => each === owner).length >= limitOf(owner));
  };
  /**
   * Claims until there is no work or no capacity. Never rejects: a failing store has logged the cause, and is polled
   * again later.
   */
  const poll = async (): Promise<void> => {
    while (!closing.signal.aborted && running.size < limit) {
      const release = await reserve(running.size, closing.signal).catch(() => undefined);
      if (release === undefined) return;
      const claimed = await claim(busyOwners()).catch(() => undefined);
      if (claimed === undefined) {
        release();
        return;
      }
      const doing = work(claimed, closing.signal).finally(() => {
        release();
        running.delete(doing);
        wake();
      });
      running.set(doing, claimed.owner);
    }
  };
  const wake = (): void => {
    if (polling !== undefined) {
      isWokenAgain = true;
      return;
    }
    polling = poll().finally(() => {
      polling = undefined;
      if (!isWokenAgain) return;
      isWokenAgain = false;
      wake();
    });
  };

  // Polling finds jobs that were not announced: jobs of other processes, and jobs whose lease or delay has ended.
  const timer = setInterval(wake, pollMs).unref();
  wake();

  return {
    wake,
    close: async () => {
      clearInterval(timer);
      closing.abort(new Error('the service is closing'));
      await polling;
      await Promise.all(running.keys());
    },
  };
}

async function noReservation(): Promise<() => void> {
  return () => undefined;
}
