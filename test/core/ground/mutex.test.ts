import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMutex } from '../../../src/core/ground/mutex.ts';

describe('a mutex', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('starts the next work when the last has ended, in order of the calls', async () => {
    const serialized = createMutex(1_000);
    const first = Promise.withResolvers<string>();
    const started: number[] = [];
    const work = (number: number, result: Promise<string>) => () => {
      started.push(number);
      return result;
    };

    const results = [
      serialized(work(1, first.promise)),
      serialized(work(2, Promise.resolve('b'))),
      serialized(work(3, Promise.resolve('c'))),
    ];
    await vi.advanceTimersByTimeAsync(500);
    expect(started).toEqual([1]);
    first.resolve('a');

    await expect(Promise.all(results)).resolves.toEqual(['a', 'b', 'c']);
    expect(started).toEqual([1, 2, 3]);
  });

  it('continues after work that fails, and rejects only for its caller', async () => {
    const serialized = createMutex(1_000);

    const failing = serialized(() => Promise.reject(new Error('no')));
    const next = serialized(() => Promise.resolve('fine'));

    await expect(failing).rejects.toThrow('no');
    await expect(next).resolves.toBe('fine');
  });

  it('stops waiting for work that hangs', async () => {
    const serialized = createMutex(1_000);
    void serialized(() => new Promise(() => undefined));
    const next = serialized(() => Promise.resolve('fine'));

    await vi.advanceTimersByTimeAsync(1_000);

    await expect(next).resolves.toBe('fine');
  });

  it('starts no other waiting work early when a waiting caller gives up', async () => {
    const serialized = createMutex();
    const first = Promise.withResolvers<string>();
    const leaving = new AbortController();
    const started: string[] = [];
    const running = serialized(() => first.promise);
    const left = serialized(async () => started.push('left'), leaving.signal);
    const next = serialized(async () => started.push('next'));

    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(started).toEqual([]);
    first.resolve('done');

    await Promise.all([running, next]);
    expect(started).toEqual(['next']);
  });
});
