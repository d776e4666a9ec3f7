import { describe, expect, it, vi } from 'vitest';
import { withRetries } from '../src/retries.ts';

const always = { tries: 3, isWorthIt: () => true };

describe('withRetries', () => {
  it('gives what the first try gives', async () => {
    const attempt = vi.fn<() => Promise<string>>(async () => 'fine');

    expect(await withRetries(attempt, always)).toBe('fine');
    expect(attempt).toHaveBeenCalledOnce();
  });

  it('tries so many times at most, and tells of the last', async () => {
    let tries = 0;

    await expect(withRetries(async () => Promise.reject(new Error(`${++tries}`)), always)).rejects.toThrow(
      '3',
    );
  });

  it('pauses before each further try, and not after the last', async () => {
    vi.useFakeTimers();
    const attempt = vi.fn<() => Promise<string>>().mockRejectedValue(new Error('again'));
    const trying = withRetries(attempt, { ...always, pausesMs: [10, 100] }).catch(() => vi.getTimerCount());

    const tries: number[] = [];
    for (const ms of [9, 1, 99, 1]) {
      await vi.advanceTimersByTimeAsync(ms);
      tries.push(attempt.mock.calls.length);
    }

    expect([tries, await trying]).toEqual([[1, 2, 2, 3], 0]);
    vi.useRealTimers();
  });

  it('tries no more once that is not worth it', async () => {
    const attempt = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error('again'));
    attempt.mockRejectedValueOnce(new Error('enough'));

    await expect(withRetries(attempt, { tries: 10, isWorthIt: isAgain })).rejects.toThrow('enough');
    expect(attempt).toHaveBeenCalledTimes(2);
  });
});

function isAgain(error: unknown): boolean {
  return error instanceof Error && error.message === 'again';
}
