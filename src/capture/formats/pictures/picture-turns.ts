import { createTurns } from '../../../turns.ts';

/**
 * Runs work on pictures that the browser has given, which happens on threads of Node's pool, beside the event loop. That pool is
 * small and everybody's (names are looked up in it): so few may be at work at once, and one alone that is large.
 * @throws the signal's reason when it fires before the turn has come; else as the work.
 */
export type PictureTurns = <T>(
  work: () => Promise<T>,
  picture: { readonly isLarge: boolean; readonly signal: AbortSignal },
) => Promise<T>;

/** Of the four threads that the pool has, one is for the large picture, and one for all else. */
const MOST_SMALL = 2;

/** @param cores of the machine: one is left to the browser where there are two. */
export function createPictureTurns(cores: number): PictureTurns {
  const large = { turns: createTurns(), waiting: 0 };
  const small = Array.from({ length: Math.max(1, Math.min(cores - 1, MOST_SMALL)) }, () => ({
    turns: createTurns(),
    waiting: 0,
  }));

  return async (work, { isLarge, signal }) => {
    const lane = isLarge
      ? large
      : small.reduce((shortest, other) => (other.waiting < shortest.waiting ? other : shortest));
    lane.waiting++;
    try {
      return await lane.turns(work, signal);
    } finally {
      lane.waiting--;
    }
  };
}
