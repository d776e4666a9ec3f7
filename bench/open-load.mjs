const RUN_UP_MS = 500;

/**
 * Sends captures at a steady rate, whether or not the earlier ones are answered, as a service's users do. Gives back one entry for
 * each: `{ ms, endMs, status }`, `endMs` from the beginning of it all, status 0 when the connection failed. Bounded by `seconds` and the limit of each capture.
 */
export async function sendAtRate({ perSecond, seconds, capture }) {
  const total = Math.round(perSecond * seconds);
  return await sendAt(
    Array.from({ length: total }, (_, index) => (index * 1000) / perSecond),
    capture,
  );
}

/** The same at each of these times, in milliseconds from now; a capture's time counts from when it was due. */
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
 * Keeps so many clients busy for a while; captures per second that were answered with 200. What ends before they have run up, or
 * after, does not count.
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
