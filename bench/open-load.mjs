/**
 * Sends captures at a steady rate, whether or not the earlier ones are answered, as a service's users do. Gives back one entry for
 * each: `{ ms, status }`, status 0 when the connection failed. Bounded by `seconds` and the limit of each capture.
 */
export async function sendAtRate({ perSecond, seconds, capture }) {
  const answers = [];
  const total = Math.round(perSecond * seconds);
  const startedAt = performance.now();
  for (let index = 0; index < total; index++) {
    const dueMs = startedAt + (index * 1000) / perSecond - performance.now();
    if (dueMs > 0) {
      await new Promise((resolve) => {
        setTimeout(resolve, dueMs);
      });
    }
    const sentAt = performance.now();
    answers.push(
      capture(index).then(
        (status) => ({ status, ms: performance.now() - sentAt }),
        () => ({ status: 0, ms: performance.now() - sentAt }),
      ),
    );
  }
  return await Promise.all(answers);
}

/** Keeps so many clients busy for a while; captures per second that were answered with 200. */
export async function findCapacity({ clients, seconds, capture }) {
  const endsAt = performance.now() + seconds * 1000;
  let [done, next] = [0, 0];
  const client = async () => {
    while (performance.now() < endsAt) if ((await capture(next++)) === 200) done++;
  };
  await Promise.all(Array.from({ length: clients }, client));
  return done / seconds;
}

/** The value that this share of the numbers, 0 to 1, does not exceed; NaN of none. */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
