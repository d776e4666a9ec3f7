/** Runs work in turns: the next begins when the last has ended, well or not, or has had its time. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** @param limitMs after which the next turn begins beside the one that goes on: nothing that hangs stops the rest. */
export function createTurns(limitMs: number): Turns {
  let last = Promise.resolve();

  return async (work) => {
    const before = last;
    const { promise, resolve: pass } = Promise.withResolvers<void>();
    last = promise;
    await before;
    const timer = setTimeout(pass, limitMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      pass();
    }
  };
}
