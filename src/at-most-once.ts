const MAX_AGE_MS = 1_000;

/**
 * Returns a function that calls `work` at most once a second, and otherwise returns the last result, also while it is pending. For probes,
 * which anyone may send as often as they like.
 */
export function atMostOnceASecond<T>(work: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly answer: Promise<T> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > MAX_AGE_MS)
      last = { at: performance.now(), answer: work() };
    return last.answer;
  };
}
