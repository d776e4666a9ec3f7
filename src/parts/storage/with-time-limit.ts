import { StorageProblem } from '../../core/ground/errors.ts';
import { withTimeout } from '../../core/ground/timeouts.ts';
import type { Storage } from './storage.ts';

/** Enough for 100 MB on a slow network drive. */
const LIMIT_MS = 120_000;
/** Calls that hang keep their results in memory, and the threads of the process that all file calls share. */
const MAX_HANGING = 4;

/**
 * Limits the time of each call, because a call to a network drive that has gone may hang for ever. Refuses calls while
 * several hang.
 */
export function withTimeLimit(storage: Storage, limitMs = LIMIT_MS): Storage {
  let hanging = 0;
  const limited = async <T>(call: () => Promise<T>, discard?: (late: T) => void): Promise<T> => {
    if (hanging >= MAX_HANGING) throw noAnswer(limitMs);
    const work = call();
    const onLate = (): void => {
      hanging++;
      work.finally(() => hanging--).catch(() => undefined); // the caller has got the error of the time limit
    };
    return await limitTime(work, limitMs, onLate, discard);
  };

  return {
    put: (path, body, contentType) => limited(() => storage.put(path, body, contentType)),
    get: (path) =>
      limited(
        () => storage.get(path),
        (late) => late?.body.destroy(),
      ),
    delete: (path) => limited(() => storage.delete(path)),
    link: (path) => limited(() => storage.link(path)),
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}

/** Settles like `work`. @throws StorageProblem after the limit */
export function limitTime<T>(
  work: Promise<T>,
  limitMs: number,
  onLate?: () => void,
  discard?: (late: T) => void,
): Promise<T> {
  const late = (): Error => {
    onLate?.();
    return noAnswer(limitMs);
  };
  return withTimeout(work, limitMs, late, discard);
}

function noAnswer(limitMs: number): StorageProblem {
  return new StorageProblem(`the folder gave no answer within ${limitMs} ms`, { isRetryable: false });
}
