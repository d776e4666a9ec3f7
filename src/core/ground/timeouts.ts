/**
 * Settles like `work`, or rejects with the signal's reason when it fires. After a lost race, a late result goes to
 * `discard`, and a late rejection is ignored.
 */
export function raceAbort<T>(work: Promise<T>, signal: AbortSignal, discard?: (late: T) => void): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let over = false;
    const onAbort = (): void => {
      over = true;
      reject(abortReason(signal));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(
      (value) => {
        signal.removeEventListener('abort', onAbort);
        if (over) discard?.(value);
        else resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', onAbort);
        if (!over) reject(asError(error));
      },
    );
  });
}

/**
 * Settles like `work`, or rejects with `onTimeout()` after `ms` milliseconds. An answer that has arrived by then
 * counts, even if the busy process has not read it: Node runs overdue timers first, then reads sockets and pipes, then
 * runs `setImmediate`.
 */
export async function withTimeout<T>(
  work: Promise<T>,
  ms: number,
  onTimeout: () => Error,
  discard?: (late: T) => void,
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => void setImmediate(() => controller.abort(onTimeout())), ms);
  try {
    return await raceAbort(work, controller.signal, discard);
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds of the monotonic clock, which all processes and threads of the machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** Returns the reason of an aborted signal as an Error. */
export function abortReason(signal: AbortSignal): Error {
  return asError(signal.reason);
}

/** Returns any thrown value as an Error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
