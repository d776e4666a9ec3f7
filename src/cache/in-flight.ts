import { raceAbort, reasonOf } from '../timeouts.ts';

/** Work in flight that several callers share. */
export interface InFlight<T> {
  /**
   * Joins the work under this key, or starts it. Rejects when the caller's signal fires, or with the error of the work. Work that another
   * caller started ends before this caller's deadline, because it started earlier.
   */
  readonly join: (key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

interface Work<T> {
  readonly result: Promise<T>;
  /** Aborted when all callers have left. */
  readonly abandoned: AbortController;
  waiting: number;
}

/** Runs equal concurrent work once. Cancels it only when all callers have left. */
export function createInFlight<T>(): InFlight<T> {
  const inFlight = new Map<string, Work<T>>();

  const begin = (key: string, start: (signal: AbortSignal) => Promise<T>): Work<T> => {
    const abandoned = new AbortController();
    const work = { result: start(abandoned.signal), abandoned, waiting: 0 };
    inFlight.set(key, work);
    const end = (): void => {
      if (inFlight.get(key) === work) inFlight.delete(key);
    };
    work.result.then(end, end);
    return work;
  };

  return {
    join: async (key, signal, start) => {
      if (signal.aborted) throw reasonOf(signal);
      const work = inFlight.get(key) ?? begin(key, start);
      work.waiting++;
      try {
        return await raceAbort(work.result, signal);
      } finally {
        work.waiting--;
        if (work.waiting === 0 && inFlight.get(key) === work) {
          inFlight.delete(key); // later callers start anew
          work.abandoned.abort(signal.reason);
        }
      }
    },
  };
}
