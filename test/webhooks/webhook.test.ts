import { describe, expect, it } from 'vitest';
import { retryDelayMs } from '../../src/webhooks/webhook.ts';

const DAY_MS = 86_400_000;

const delays = (): number[] => Array.from({ length: 7 }, (_, index) => retryDelayMs(index + 1) ?? NaN);

describe('retryDelayMs', () => {
  it('grows from seconds to hours', () => {
    const [first = 0, second = 0, third = 0] = delays();

    expect(first).toBeGreaterThanOrEqual(4_500);
    expect(first).toBeLessThanOrEqual(5_000);
    expect([second > 10 * first, third > 5 * second]).toEqual([true, true]);
  });

  it('uses a day, and no more', () => {
    const sum = delays().reduce((total, each) => total + each, 0);

    expect(sum).toBeGreaterThan(0.8 * DAY_MS);
    expect(sum).toBeLessThan(DAY_MS);
    expect(retryDelayMs(8)).toBeUndefined();
  });

  it('leaves a part to chance, so that not all come at once', () => {
    expect(new Set(Array.from({ length: 20 }, () => retryDelayMs(4))).size).toBeGreaterThan(1);
  });
});
