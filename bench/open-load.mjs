const RUN_UP_MS = 500;

/**
 * Sends captures at a steady rate, independent of earlier answers, as users of a service do. Returns one entry per
 * capture: `{ ms, endMs, status }`. `endMs` counts from the start; status 0 is a failed connection. Bounded by
 * `seconds` and the limit of each capture.
 */
export async function sendAtRate({ perSecond, seconds, capture }) {
  const total = Math.round(perSecond * seconds);
  return await sendAt(
    Array.from({ length: total }, (_, index) => (index * 1000) / perSecond),
    capture,
  );
}

/** Sends captures at the given times, in milliseconds from now. The duration of a capture counts from its due time. */
export async function sendAt(arrivals, capture) {
  const startedAt = performance.now();
  const answers = [];
  for (const [index, atMs] of arrivals.entries()) {
    const dueMs = startedAt + atMs - performance.now();
    if (dueMs > 0) await new Promise((resolve) => void setTimeout(resolve, dueMs));
    const end = (status) => {
      const endMs = performance.now() - startedAt;
      return { status, ms: endMs - atMs, endMs };
    };
    answers.push(capture(index).then(end, () => end(0)));
  }
  return await Promise.all(answers);
}

/**
 * Keeps `clients` clients busy for a while. Returns the captures per second that were answered with 200. Captures that
 * end during the start or after the end do not count.
 */
export async function findCapacity({ clients, seconds, capture }) {
  const from = performance.now() + RUN_UP_MS;
  const until = from + seconds * 1000;
  let [done, next] = [0, 0];
  const client = async () => {
    while (performance.now() < until) {
      const status = await capture(next++);
      const now = performance.now();
      if (status === 200 && now >= from && now < until) done++;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return done / seconds;
}
