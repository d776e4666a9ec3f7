import { siteUrl } from './site.mjs';

const ROUND_LIMIT_MS = 120_000;

/**
 * Keeps a number of clients busy and counts captures in the middle. The clock starts after the first few captures and
 * stops while the clients still work. Pages prepared before the round, and clean-up after it, are therefore counted.
 * `capture(url, client)` returns the picture's milliseconds and bytes. A round has a limit of captures and time.
 */
export async function runRound({ clients, captures, path, sitePort, capture }) {
  const leadIn = clients + 4; // more than the prepared pages of a warm pool
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
