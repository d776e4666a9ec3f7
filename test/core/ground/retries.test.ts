import { describe, expect, it, vi } from 'vitest';
import { withRetries } from '../../../src/core/ground/retries.ts';

const always = { tries: 3, isRetryable: () => true };

describe('withRetries', () => {
  it('returns the result of the first attempt', async () => {
    const attempt = vi.fn<() => Promise<string>>(async () => 'fine');

    expect(await withRetries(attempt, always)).toBe('fine');
    expect(attempt).toHaveBeenCalledOnce();
  });

  it('stops after the maximum number of attempts, and rejects with the last error', async () => {
    let tries = 0;

    await expect(withRetries(async () => Promise.reject(new Error(`${++tries}`)), always)).rejects.toThrow('3');
  });

  it('delays each retry, but not after the last attempt', async () => {
    vi.useFakeTimers();
    const attempt = vi.fn<() => Promise<string>>().mockRejectedValue(new Error('again'));
    const trying = withRetries(attempt, { ...always, delaysMs: [10, 100] }).catch(() => vi.getTimerCount());

    const tries: number[] = [];
    for (const ms of [9, 1, 99, 1]) {
      await vi.advanceTimersByTimeAsync(ms);
      tries.push(attempt.mock.calls.length);
    }

    expect([tries, await trying]).toEqual([[1, 2, 2, 3], 0]);
    vi.useRealTimers();
  });

  it('stops when an error is not worth a retry', async () => {
    const attempt = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error('again'));
    attempt.mockRejectedValueOnce(new Error('enough'));

    await expect(withRetries(attempt, { tries: 10, isRetryable: isAgain })).rejects.toThrow('enough');
    expect(attempt).toHaveBeenCalledTimes(2);
  });
});

function isAgain(error: unknown): boolean {
  return error instanceof Error && error.message === 'again';
}
