import { asError } from './timeouts.ts';

interface Retries {
  /** The first one included. */
  readonly tries: number;
  /** Whether what went wrong may go well the next time. */
  readonly isWorthIt: (error: unknown) => boolean;
}

/**
 * Tries until it goes well, at once and so many times at most.
 * @throws Error of the last try.
 */
export async function withRetries<T>(attempt: () => Promise<T>, { tries, isWorthIt }: Retries): Promise<T> {
  for (let left = tries - 1; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left <= 0 || !isWorthIt(error)) throw asError(error);
    }
  }
}
