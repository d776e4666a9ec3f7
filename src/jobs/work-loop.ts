import { LOOK_MS } from './job-limits.ts';

/**
 * Reserves the capacity for one more piece of work beside `running` others, before that is claimed: claimed work counts as running.
 * @returns what releases the unused reservation; undefined: nothing may start now. It may reject when the signal fires.
 */
export type Reserve = (running: number, signal: AbortSignal) => Promise<(() => void) | undefined>;

interface LoopOptions<Claim> {
  /** How many at once. */
  readonly limit: number;
  /** Undefined: there is nothing to do. */
  readonly claim: () => Promise<Claim | undefined>;
  /** Never rejects. */
  readonly work: (claim: Claim, signal: AbortSignal) => Promise<void>;
  /** How often it is looked for what nobody tells of, in milliseconds. */
  readonly lookMs?: number;
  /** Unset: anything may start. */
  readonly reserve?: Reserve;
}

/** Claims what there is to do, and does so much of it at once. */
export interface WorkLoop {
  /** Looks now. */
  readonly wake: () => void;
  /** Begins nothing more, fires the signals and resolves when all have ended. */
  readonly close: () => Promise<void>;
}

export function startWorkLoop<Claim>(options: LoopOptions<Claim>): WorkLoop {
  const { limit, claim, work, lookMs = LOOK_MS, reserve = noReservation } = options;
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  let looking: Promise<void> | undefined;
  let isWokenAgain = false;

  /** Until there is nothing to do, or no room. Never rejects: a store that fails has told the log, and is asked again later. */
  const look = async (): Promise<void> => {
    while (!closing.signal.aborted && running.size < limit) {
      const release = await reserve(running.size, closing.signal).catch(() => undefined);
      if (release === undefined) return;
      const claimed = await claim().catch(() => undefined);
      if (claimed === undefined) {
        release();
        return;
      }
      const doing = work(claimed, closing.signal).finally(() => {
        release();
        running.delete(doing);
        wake();
      });
      running.add(doing);
    }
  };
  const wake = (): void => {
    if (looking !== undefined) {
      isWokenAgain = true;
      return;
    }
    looking = look().finally(() => {
      looking = undefined;
      if (!isWokenAgain) return;
      isWokenAgain = false;
      wake();
    });
  };

  // Leases and pauses end by the clock, and what another process has taken comes unannounced.
  const timer = setInterval(wake, lookMs).unref();
  wake();

  return {
    wake,
    close: async () => {
      clearInterval(timer);
      closing.abort(new Error('the service is closing'));
      await looking;
      await Promise.all(running);
    },
  };
}

async function noReservation(): Promise<() => void> {
  return () => undefined;
}
