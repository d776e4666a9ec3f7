import { raceAbort, reasonOf } from '../timeouts.ts';

/** Work that is in flight, joined by everyone who wants the same. */
export interface InFlight<T> {
  /**
   * Joins the work under this key, or starts it. Rejects as soon as the caller's signal fires, or with what the work itself rejects
   * with. Work started by another ends before the caller's own deadline would, as it began earlier.
   */
  readonly join: (key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

interface Work<T> {
  readonly result: Promise<T>;
  /** Fires when the last one has left. */
  readonly abandoned: AbortController;
  waiting: number;
}

/** Does the same work once for all who ask for it at the same time. It is given up only when all of them have gone away. */
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
          inFlight.delete(key); // who comes now starts anew
          work.abandoned.abort(signal.reason);
        }
      }
    },
  };
}
