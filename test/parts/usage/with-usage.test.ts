import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryCache } from '../../../src/parts/cache/memory-cache.ts';
import { createCaching } from '../../../src/parts/cache/with-cache.ts';
import type { Capture } from '../../../src/core/capture/capture.ts';
import { parseOptions } from '../../../src/core/capture/request/parse-options.ts';
import { type ErrorType, ServiceError } from '../../../src/core/ground/errors.ts';
import type { Key } from '../../../src/core/access/key.ts';
import { createMemoryUsageStore } from '../../../src/parts/usage/create-usage.ts';
import { createUsage, type Usage } from '../../../src/parts/usage/usage.ts';
import { dayOf, type DayUsage } from '../../../src/parts/usage/usage-days.ts';
import { withQuota, withUsage } from '../../../src/parts/usage/with-usage.ts';
import { keyWith } from '../../support/key.ts';
import { CAPTURE_RESULT } from '../../support/stored-capture.ts';

const KEY = keyWith({ quota: { captures: 10, per: 'month' } });
const BYTES = CAPTURE_RESULT.file.length;
const log = pino({ level: 'silent' });

let usage: Usage;
let made: number;
let failure: Error | undefined;
let capture: Capture;
/** Lets waiting captures continue. */
let resume: () => void;
let isWaiting: boolean;

beforeEach(async () => {
  usage = createUsage(await createMemoryUsageStore(), log);
  [made, failure, isWaiting] = [0, undefined, false];
  const { promise: resumed, resolve } = Promise.withResolvers<void>();
  resume = resolve;
  const inner = withQuota(usage)(async (_options, { signal }) => {
    if (isWaiting) await resumed;
    signal.throwIfAborted();
    if (failure !== undefined) throw failure;
    made += 1;
    return CAPTURE_RESULT;
  });
  const cache = createMemoryCache({ maxBytes: 1e6, collectGarbage: () => undefined });
  capture = withUsage(usage)(createCaching({ cache, scope: '' }).around(inner));
});
afterEach(() => usage.close());

const request = (
  fields: object = {},
  { key = KEY, signal = new AbortController().signal }: { readonly key?: Key; readonly signal?: AbortSignal } = {},
) =>
  capture(parseOptions({ url: 'https://example.com/', ...fields }, { maxWaitMs: 1_000 }).capture, {
    key,
    signal,
    log,
  });

const today = async (key = KEY): Promise<DayUsage | undefined> =>
  (await usage.read(key.id, dayOf(Date.now()), dayOf(Date.now())))[0];
const quota = () => usage.currentQuota(KEY);

describe('withQuota and withUsage', () => {
  it('let exactly 10 of 64 concurrent requests through', async () => {
    const answers = await Promise.allSettled(Array.from({ length: 64 }, () => request()));

    const reasons = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.type] : []));
    expect(made).toBe(10);
    expect(reasons).toEqual(Array<ErrorType>(54).fill('QuotaExceededError'));
    expect(await today()).toMatchObject({ captures: 10, cached: 0, failed: 0, bytes: 10 * BYTES });
  });

  it('answer from the cache without a quota', async () => {
    await request({ cache_ttl: 60 });
    for (let more = 0; more < 9; more += 1) await request();
    await expect(request()).rejects.toMatchObject({ type: 'QuotaExceededError' });

    expect((await request({ cache_ttl: 60 })).caching?.isHit).toBe(true);

    expect(await today()).toMatchObject({ captures: 10, cached: 1, bytes: 11 * BYTES });
    expect(await quota()).toMatchObject({ used: 10, remaining: 0 });
  });

  it('count a capture that equal requests share once', async () => {
    isWaiting = true;
    const answers = Promise.all([request({ cache_ttl: 60 }), request({ cache_ttl: 60 }), request({ cache_ttl: 60 })]);
    resume();

    expect((await answers).map(({ caching }) => caching?.isShared)).toEqual([undefined, true, true]);
    expect(await today()).toMatchObject({ captures: 1, cached: 2 });
    expect(await quota()).toMatchObject({ used: 1 });
  });

  it('give a failed capture back, and count the failure', async () => {
    failure = new ServiceError('NavigationError');
    await expect(request()).rejects.toBe(failure);
    failure = new ServiceError('OverloadedError'); // refused, not failed
    await expect(request()).rejects.toBe(failure);

    expect(await today()).toMatchObject({ captures: 0, failed: 1, bytes: 0 });
    expect(await quota()).toMatchObject({ used: 0, remaining: 10 });
  });

  it.each([0, 60])('neither count nor charge a capture whose client has left, with cache_ttl %d', async (ttl) => {
    isWaiting = true;
    const client = new AbortController();
    const answer = request({ cache_ttl: ttl }, { signal: client.signal });
    await new Promise(setImmediate);
    expect(await quota()).toMatchObject({ remaining: 9 });

    client.abort(new Error('left'));
    resume();

    await expect(answer).rejects.toThrow('left');
    await new Promise(setImmediate);
    expect(await quota()).toMatchObject({ used: 0, remaining: 10 });
    expect(await today()).toBeUndefined();
  });

  it('count the key without a quota, too', async () => {
    const key = keyWith({ id: 'free' });

    await request({}, { key });

    expect(await today(key)).toMatchObject({ captures: 1, bytes: BYTES });
  });
});
