import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 45_000;
const FIRST_DELAY_MS = 10;
const LONGEST_DELAY_MS = 50; // limits the load that polling puts on a busy machine
const GROWTH = 1.2;

/** Polls until the attempt succeeds, however busy the machine is. It measures no durations: those are in `bench/`. */
export async function eventually<T>(attempt: () => T | Promise<T>): Promise<T> {
  const endAt = performance.now() + PATIENCE_MS;
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * GROWTH, LONGEST_DELAY_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > endAt) throw error;
    }
    await delay(delayMs);
  }
}
