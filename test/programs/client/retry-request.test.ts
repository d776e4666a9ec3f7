import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionError, UnexpectedAnswerError } from '../../../src/programs/client/capture-error.ts';
import { withRetries } from '../../../src/programs/client/retry-request.ts';
import {
  InternalServerError,
  NavigationError,
  OverloadedError,
  RateLimitError,
  ValidationError,
} from '../../../src/programs/client/service-errors.ts';

const limited = (retryAfter?: number): RateLimitError =>
  new RateLimitError('Too many', { errorType: 'RateLimitError', status: 429, retryAfter });

describe('withRetries', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it.each([
    ['a rate limit', limited()],
    ['an overloaded service', new OverloadedError('Busy', { errorType: 'OverloadedError', status: 503 })],
    ['a proxy without a service', new UnexpectedAnswerError(503, {})],
    ['no connection', new ConnectionError('http://service', new TypeError('fetch failed'))],
  ])('retries after %s', async (_case, error) => {
    const { result, attempts } = start([error, error]);

    await vi.runAllTimersAsync();

    expect(await result).toBe('captured');
    expect(attempts).toHaveLength(3);
  });

  it.each([
    new ValidationError('Bad', { errorType: 'ValidationError', status: 400 }),
    new NavigationError('No page', { errorType: 'NavigationError', status: 500 }),
    new InternalServerError('Oh', { errorType: 'InternalServerError', status: 500 }),
    new UnexpectedAnswerError(502, {}),
    new RangeError('a bug'),
  ])('does not retry after $name', async (error) => {
    const { result, attempts } = start([error]);

    expect(await result).toBe(error);
    expect(attempts).toHaveLength(1);
  });

  it.each([
    new ConnectionError('http://service', undefined),
    new OverloadedError('Too many large results', { errorType: 'OverloadedError', status: 503 }),
  ])('does not repeat a request that may have had its effect: $name', async (error) => {
    const { result, attempts } = start([error], { isRepeatable: false });

    expect(await result).toBe(error);
    expect(attempts).toHaveLength(1);
  });

  it('repeats such a request after a rate limit, which comes before the capture', async () => {
    const { result } = start([limited(0)], { isRepeatable: false });
    await vi.advanceTimersByTimeAsync(300);

    expect(await result).toBe('captured');
  });

  it('waits for the requested retry delay, and a little longer', async () => {
    const { result, attempts } = start([limited(7)]);

    await vi.advanceTimersByTimeAsync(6_999);
    expect(attempts).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(251);

    expect(await result).toBe('captured');
  });

  it('increases the delay if the service requests none', async () => {
    const { result, attempts } = start(
      Array.from({ length: 4 }, () => limited()),
      { retries: 4 },
    );

    await vi.runAllTimersAsync();
    await result;

    const delays = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
    const bounds = [250, 500, 1_000, 2_000].map((most, index) => {
      const delayMs = delays[index] ?? 0;
      return delayMs >= most / 2 && delayMs <= most;
    });
    expect(bounds).toEqual([true, true, true, true]);
  });

  it('stops after the maximum number of attempts', async () => {
    const { result, attempts } = start(
      Array.from({ length: 9 }, () => limited(1)),
      { retries: 2 },
    );

    await vi.runAllTimersAsync();

    expect(await result).toBeInstanceOf(RateLimitError);
    expect(attempts).toHaveLength(3);
  });

  it('gives up instead of waiting beyond its limit', async () => {
    const { result, attempts } = start([limited(31)], { maxDelayMs: 30_000 });

    expect(await result).toBeInstanceOf(RateLimitError);
    expect(attempts).toHaveLength(1);
  });

  it('interrupts a delay when the abort signal fires', async () => {
    const client = new AbortController();
    const { result, attempts } = start([limited(20)], { signal: client.signal });
    await vi.advanceTimersByTimeAsync(1_000);

    client.abort(new Error('enough'));

    expect(await result).toEqual(new Error('enough'));
    expect(attempts).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

/**
 * Fails with each of the errors, then succeeds; records the times of the attempts. Returns a failure instead of
 * throwing it.
 */
function start(
  errors: readonly Error[],
  options: Partial<Parameters<typeof withRetries>[1]> = {},
): { readonly result: Promise<unknown>; readonly attempts: readonly number[] } {
  const attempts: number[] = [];
  const attempt = async (): Promise<string> => {
    attempts.push(Date.now());
    const error = errors[attempts.length - 1];
    if (error !== undefined) throw error;
    return 'captured';
  };
  const result = withRetries(attempt, {
    retries: 3,
    maxDelayMs: 30_000,
    isRepeatable: true,
    signal: new AbortController().signal,
    ...options,
  }).catch((error: unknown) => error);
  return { result, attempts };
}
