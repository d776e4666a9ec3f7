import { siteUrl } from './site.mjs';

const ROUND_LIMIT_MS = 120_000;

/**
 * Keeps a number of clients busy and counts captures in the middle: the clock starts when the first few are done and
 * stops while the clients still work. So neither pages made ahead before the round nor clean-up left for after it is
 * free. `capture(url, client)` gives back the picture's milliseconds and bytes; a round is bounded in captures and time.
 */
export async function runRound({ clients, captures, path, sitePort, capture }) {
  const leadIn = clients + 4; // more than a warm pool holds for this many clients
  const maxAttempts = leadIn + 2 * captures + clients;
  const limit = performance.now() + ROUND_LIMIT_MS;
  const durations = [];
  const failures = [];
  let [attempts, completed, bytes] = [0, 0, 0];
  let startedAt, endedAt;
  const goesOn = () => endedAt === undefined && attempts < maxAttempts && performance.now() < limit;

  const count = (picture) => {
    completed++;
    const now = performance.now();
    if (completed === leadIn) startedAt = now;
    if (completed <= leadIn || endedAt !== undefined) return;
    durations.push(picture.durationMs);
    bytes += picture.bytes;
    if (durations.length === captures) endedAt = now;
  };
  const work = async (client) => {
    while (goesOn()) {
      const url = siteUrl(attempts, sitePort, path);
      attempts++;
      try {
        count(await capture(url, client));
      } catch (error) {
        failures.push(String(error));
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));

  const seconds = ((endedAt ?? performance.now()) - startedAt) / 1000;
  return {
    perSecond: durations.length / seconds, // NaN when nothing was counted
    durations,
    meanBytes: bytes / durations.length,
    completed,
    failures: failures.length,
    firstFailure: failures[0],
  };
}
