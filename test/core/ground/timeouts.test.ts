import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { asError, raceAbort, withTimeout } from '../../../src/core/ground/timeouts.ts';

describe('raceAbort', () => {
  it('returns the result of the work', async () => {
    const { signal } = new AbortController();

    expect(await raceAbort(Promise.resolve(1), signal)).toBe(1);
    await expect(raceAbort(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  });

  it('rejects with the reason of the signal, when it fires or has fired', async () => {
    const controller = new AbortController();
    const racing = raceAbort(new Promise(() => undefined), controller.signal);

    controller.abort(new Error('over'));

    await expect(racing).rejects.toThrow('over');
    await expect(raceAbort(Promise.resolve(1), controller.signal)).rejects.toThrow('over');
  });

  it('passes a late result to discard, and drops a late failure', async () => {
    const controller = new AbortController();
    const [late, failing] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const discard = vi.fn<(late: string) => void>();
    const racing = raceAbort(late.promise, controller.signal, discard);
    const racingToo = raceAbort(failing.promise, controller.signal, discard);
    controller.abort(new Error('over'));
    await Promise.allSettled([racing, racingToo]);

    late.resolve('page');
    failing.reject(new Error('never seen'));
    await Promise.allSettled([late.promise, failing.promise]);

    expect(discard.mock.calls).toEqual([['page']]);
  });

  it('leaves no listener behind', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');

    await raceAbort(Promise.resolve(), signal);

    expect(removed.mock.calls.length).toBe(added.mock.calls.length);
  });
});

describe('withTimeout', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('rejects after the timeout, and not before', async () => {
    const racing = withTimeout(new Promise(() => undefined), 100, () => new Error('late'));
    const outcome = racing.then(
      () => 'in time',
      (error: unknown) => String(error),
    );

    await vi.advanceTimersByTimeAsync(99);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);

    expect(await outcome).toBe('Error: late');
  });

  it('leaves no timer behind', async () => {
    await withTimeout(Promise.resolve(), 100, () => new Error('late'));

    expect(vi.getTimerCount()).toBe(0);
  });
});

// Beside other busy programs, the watchdog took a browser that had answered for one that hangs, and killed it.
it('accepts an answer that arrived in time although the event loop was blocked', async () => {
  const child = spawn('sh', ['-c', 'echo answer'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const racing = withTimeout(once(child.stdout, 'data'), 400, () => new Error('late'));

  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);

  await expect(racing).resolves.toEqual([Buffer.from('answer\n')]);
});

describe('asError', () => {
  it('keeps errors and wraps the rest', () => {
    const error = new TypeError('a');

    expect(asError(error)).toBe(error);
    expect(asError('text')).toEqual(new Error('text'));
  });
});
