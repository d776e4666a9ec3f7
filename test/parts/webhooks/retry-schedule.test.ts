import { describe, expect, it } from 'vitest';
import { retryDelayMs } from '../../../src/parts/jobs/send-webhook.ts';

const DAY_MS = 86_400_000;
const NEW = { ageMs: 0 };

const delays = (): number[] => Array.from({ length: 7 }, (_, index) => retryDelayMs(index + 1, NEW) ?? NaN);

describe('retryDelayMs', () => {
  it('grows from seconds to hours', () => {
    const [first = 0, second = 0, third = 0] = delays();

    expect(first).toBeGreaterThanOrEqual(4_500);
    expect(first).toBeLessThanOrEqual(5_000);
    expect([second > 10 * first, third > 5 * second]).toEqual([true, true]);
  });

  it('lasts a day, and no longer', () => {
    const sum = delays().reduce((total, each) => total + each, 0);

    expect(sum).toBeGreaterThan(0.8 * DAY_MS);
    expect(sum).toBeLessThan(DAY_MS);
    expect(retryDelayMs(8, { ageMs: sum })).toBe(DAY_MS - sum);
    expect(retryDelayMs(9, { ageMs: DAY_MS })).toBeUndefined();
  });

  // Restarts of the service use up attempts within minutes.
  it('does not end before the day, however many attempts there were', () => {
    expect(retryDelayMs(20, { ageMs: 60_000 })).toBeGreaterThan(5 * 3_600_000);
  });

  it('honours the delay that the receiver requests', () => {
    expect(retryDelayMs(1, { ageMs: 0, afterMs: 7_200_000 })).toBe(7_200_000);
    expect(retryDelayMs(4, { ageMs: 0, afterMs: 1_000 })).toBeGreaterThan(6_000_000);
  });

  it('schedules the last attempt at the end of the day, whatever the receiver requests', () => {
    expect(retryDelayMs(1, { ageMs: DAY_MS / 2, afterMs: DAY_MS })).toBe(DAY_MS / 2);
    expect(retryDelayMs(2, { ageMs: DAY_MS, afterMs: 1_000 })).toBeUndefined();
  });

  it('adds random jitter to spread retries', () => {
    expect(new Set(Array.from({ length: 20 }, () => retryDelayMs(4, NEW))).size).toBeGreaterThan(1);
  });
});
