import { LOOK_MS } from './job-limits.ts';

interface LoopOptions<Claim> {
  /** How many at once. */
  readonly limit: number;
  /** Undefined: there is nothing to do. */
  readonly claim: () => Promise<Claim | undefined>;
  /** Never rejects. */
  readonly work: (claim: Claim, signal: AbortSignal) => Promise<void>;
  /** How often it is looked for what nobody tells of, in milliseconds. */
  readonly lookMs?: number;
  /** Whether anything may begin at the moment, beside so much that runs; it is looked again soon. */
  readonly mayBegin?: (running: number) => boolean;
}

/** Claims what there is to do, and does so much of it at once. */
export interface WorkLoop {
  /** Looks now. */
  readonly wake: () => void;
  /** Begins nothing more, fires the signals and resolves when all have ended. */
  readonly close: () => Promise<void>;
}

export function startWorkLoop<Claim>(options: LoopOptions<Claim>): WorkLoop {
  const { limit, claim, work, lookMs = LOOK_MS, mayBegin = () => true } = options;
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  let looking: Promise<void> | undefined;
  let isWokenAgain = false;

  /** Until there is nothing to do, or no room. Never rejects: a store that fails has told the log, and is asked again later. */
  const look = async (): Promise<void> => {
    while (!closing.signal.aborted && running.size < limit && mayBegin(running.size)) {
      const claimed = await claim().catch(() => undefined);
      if (claimed === undefined) return;
      const doing = work(claimed, closing.signal).finally(() => {
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
