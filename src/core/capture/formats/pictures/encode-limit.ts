import { createMutex } from '../../../ground/mutex.ts';

/**
 * Limits how many pictures are encoded at once. Encoding runs on the thread pool of Node, which is small and also
 * resolves names: two small pictures at once, and one large picture.
 * @throws the signal's reason if it aborts before the work begins; otherwise the error of the work
 */
export type EncodeLimit = <T>(
  work: () => Promise<T>,
  picture: { readonly isLarge: boolean; readonly signal: AbortSignal },
) => Promise<T>;

/** The pool has four threads. One is for the large picture, and one for everything else. */
const MAX_SMALL = 2;

/** @param cores number of processor cores; with two or more, one is left to the browser */
export function createEncodeLimit(cores: number): EncodeLimit {
  const large = { serialized: createMutex(), waiting: 0 };
  const small = Array.from({ length: Math.max(1, Math.min(cores - 1, MAX_SMALL)) }, () => ({
    serialized: createMutex(),
    waiting: 0,
  }));

  return async (work, { isLarge, signal }) => {
    const lane = isLarge
      ? large
      : small.reduce((shortest, other) => (other.waiting < shortest.waiting ? other : shortest));
    lane.waiting++;
    try {
      return await lane.serialized(work, signal);
    } finally {
      lane.waiting--;
    }
  };
}
