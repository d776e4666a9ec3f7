import { vi } from 'vitest';

/** Waits for what is sure to come, however busy the machine is. No measure of speed: those are in `bench/`. */
export function eventually<T>(attempt: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(attempt, { timeout: 20_000, interval: 10 });
}
