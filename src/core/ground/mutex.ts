import { raceAbort } from './timeouts.ts';

/**
 * Runs work serialized: the next work begins when the previous one has settled, or its time limit has passed.
 * @throws the signal's reason if it aborts before the work begins; otherwise the error of the work
 */
export type Mutex = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** @param limitMs time after which the next work begins although the previous one has not settled */
export function createMutex(limitMs?: number): Mutex {
  let last = Promise.resolve();

  return async (work, signal) => {
    const before = last;
    const mine = Promise.withResolvers<void>();
    // work that is aborted while it waits must not let the next work start early
    last = before.then(() => mine.promise);
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

/** Creates a mutex per key: work of one key is serialized, and different keys run side by side. */
export function createKeyedMutex(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const mutexes = new Map<string, { readonly serialized: Mutex; users: number }>();

  return async (key, work) => {
    const mutex = mutexes.get(key) ?? { serialized: createMutex(), users: 0 };
    mutexes.set(key, mutex);
    mutex.users++;
    try {
      return await mutex.serialized(work);
    } finally {
      mutex.users--;
      if (mutex.users === 0) mutexes.delete(key);
    }
  };
}
