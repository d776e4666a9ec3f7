import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTurns } from '../src/turns.ts';

describe('a mutex', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('starts the next work when the last has ended, in order of the calls', async () => {
    const inTurn = createTurns(1_000);
    const first = Promise.withResolvers<string>();
    const begun: number[] = [];
    const work = (number: number, result: Promise<string>) => () => {
      begun.push(number);
      return result;
    };

    const results = [
      inTurn(work(1, first.promise)),
      inTurn(work(2, Promise.resolve('b'))),
      inTurn(work(3, Promise.resolve('c'))),
    ];
    await vi.advanceTimersByTimeAsync(500);
    expect(begun).toEqual([1]);
    first.resolve('a');

    await expect(Promise.all(results)).resolves.toEqual(['a', 'b', 'c']);
    expect(begun).toEqual([1, 2, 3]);
  });

  it('continues after work that fails, and rejects only for its caller', async () => {
    const inTurn = createTurns(1_000);

    const failing = inTurn(() => Promise.reject(new Error('no')));
    const next = inTurn(() => Promise.resolve('fine'));

    await expect(failing).rejects.toThrow('no');
    await expect(next).resolves.toBe('fine');
  });

  it('does not wait for ever for hanging work', async () => {
    const inTurn = createTurns(1_000);
    void inTurn(() => new Promise(() => undefined));
    const next = inTurn(() => Promise.resolve('fine'));

    await vi.advanceTimersByTimeAsync(1_000);

    await expect(next).resolves.toBe('fine');
  });

  it('starts no one early when a waiter leaves', async () => {
    const inTurn = createTurns();
    const first = Promise.withResolvers<string>();
    const leaving = new AbortController();
    const begun: string[] = [];
    const running = inTurn(() => first.promise);
    const left = inTurn(async () => begun.push('left'), leaving.signal);
    const next = inTurn(async () => begun.push('next'));

    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(begun).toEqual([]);
    first.resolve('done');

    await Promise.all([running, next]);
    expect(begun).toEqual(['next']);
  });
});
