import { asError } from './timeouts.ts';

interface Retries {
  /** The first one included. */
  readonly tries: number;
  /** Whether what went wrong may go well the next time. */
  readonly isWorthIt: (error: unknown) => boolean;
  /** Before the second try, the third and so on, in milliseconds; unset: none. */
  readonly pausesMs?: readonly number[];
}

/**
 * Tries until it goes well, so many times at most.
 * @throws Error of the last try.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { tries, isWorthIt, pausesMs = [] }: Retries,
): Promise<T> {
  for (let failed = 1; ; failed++) {
    try {
      return await attempt();
    } catch (error) {
      if (failed >= tries || !isWorthIt(error)) throw asError(error);
    }
    const pauseMs = pausesMs[failed - 1];
    if (pauseMs !== undefined) await new Promise((resolve) => void setTimeout(resolve, pauseMs));
  }
}
