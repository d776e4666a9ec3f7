import { raceAbort } from './timeouts.ts';

/**
 * Runs work in turns: the next begins when the last has ended, well or not, or has had its time.
 * @throws the signal's reason when it fires before the turn has come; else as the work.
 */
export type Turns = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** @param limitMs after which the next turn begins beside the one that goes on: nothing that hangs stops the rest. */
export function createTurns(limitMs?: number): Turns {
  let last = Promise.resolve();

  return async (work, signal) => {
    const before = last;
    const mine = Promise.withResolvers<void>();
    last = before.then(() => mine.promise); // who leaves before its turn does not call the next one early
    let timer: NodeJS.Timeout | undefined;
    try {
      await (signal === undefined ? before : raceAbort(before, signal));
      if (limitMs !== undefined) timer = setTimeout(mine.resolve, limitMs);
      return await work();
    } finally {
      clearTimeout(timer);
      mine.resolve();
    }
  };
}
