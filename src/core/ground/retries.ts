import { asError } from './timeouts.ts';

interface Retries {
  /** Number of tries, including the first. */
  readonly tries: number;
  /** True if the next try may succeed. */
  readonly isRetryable: (error: unknown) => boolean;
  /** Milliseconds before the second try, the third and so on. The last delay repeats. Default: none. */
  readonly delaysMs?: readonly number[];
}

/**
 * Retries until it succeeds, for a limited number of tries.
 * @throws Error of the last try
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { tries, isRetryable, delaysMs = [] }: Retries,
): Promise<T> {
  for (let failed = 1; ; failed++) {
    try {
      return await attempt();
    } catch (error) {
      if (failed >= tries || !isRetryable(error)) throw asError(error);
    }
    const delayMs = delaysMs[failed - 1] ?? delaysMs.at(-1);
    if (delayMs !== undefined) await new Promise((resolve) => void setTimeout(resolve, delayMs));
  }
}
