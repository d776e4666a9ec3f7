import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { createMemoryCache } from '../../../src/parts/cache/memory-cache.ts';
import { createCaching } from '../../../src/parts/cache/with-cache.ts';
import type { Capture } from '../../../src/core/capture/capture.ts';
import { parseOptions } from '../../../src/core/capture/request/parse-options.ts';
import type { FinishedCapture } from '../../../src/parts/metrics/capture-metrics.ts';
import { withMetrics } from '../../../src/parts/metrics/with-metrics.ts';
import { createRunningWork, wrapCapture } from '../../../src/core/service/wrap-capture.ts';
import { createMemoryUsageStore } from '../../../src/parts/usage/create-usage.ts';
import { createUsage } from '../../../src/parts/usage/usage.ts';
import { withQuota, withUsage } from '../../../src/parts/usage/with-usage.ts';
import { keyWith } from '../../support/key.ts';
import { CAPTURE_RESULT, resultWith } from '../../support/stored-capture.ts';

const log = pino({ level: 'silent' });
const KEY = keyWith({ quota: { captures: 10, per: 'month' } });

describe('the counter of running work', () => {
  it('is idle at once without captures', async () => {
    await expect(createRunningWork().idle()).resolves.toBeUndefined();
  });

  it('is idle when the last capture has ended, with any outcome', async () => {
    const { count, idle } = createRunningWork();
    const endings = [Promise.withResolvers<never>(), Promise.withResolvers<never>()];
    const captures = endings.map(({ promise }) => count(() => promise).catch(() => undefined));
    const order: string[] = [];
    const isIdle = idle().then(() => order.push('idle'));

    for (const { reject } of endings) {
      order.push('ends');
      reject(new Error('failed'));
      await captures.shift();
    }
    await isIdle;

    expect(order).toEqual(['ends', 'ends', 'idle']);
  });
});

describe('wrapCapture', () => {
  it('answers from the cache while the service is closing, and refuses new captures', async () => {
    await using service = await open();
    await service.request({ cache_ttl: 60 });

    service.close();

    expect((await service.request({ cache_ttl: 60 })).caching?.isHit).toBe(true);
    await expect(service.request()).rejects.toMatchObject({ type: 'OverloadedError', retryAfterSeconds: 5 });
    expect(service.recorded.map(({ outcome }) => outcome)).toEqual(['success']);
  });

  // Otherwise a client would pay for results that it cannot get, and the cache would keep them.
  it('takes a JSON answer that is too large for a failed capture, and the same file alone for none', async () => {
    await using service = await open({ maxResultBytes: CAPTURE_RESULT.file.length });
    const large = { response_type: 'json', cache_ttl: 60 };

    await expect(service.request(large)).rejects.toMatchObject({ type: 'ResultTooLargeError' });
    await expect(service.request(large)).rejects.toMatchObject({ type: 'ResultTooLargeError' });
    await service.request({ cache_ttl: 60 });

    expect(service.recorded.map(({ outcome }) => outcome)).toEqual([
      'ResultTooLargeError',
      'ResultTooLargeError',
      'success',
    ]);
    expect(await service.usage.currentQuota(KEY)).toMatchObject({ used: 1, remaining: 9 });
  });

  it('is not idle before the quota has counted a capture', async () => {
    await using service = await open();

    const answer = service.request();
    const idle = service.running.idle();
    await Promise.all([answer, idle]);

    expect(await service.usage.currentQuota(KEY)).toMatchObject({ used: 1 });
  });

  it.each([
    ['the same answer', {}, {}, true],
    ['another file name', { file_name: 'a.png' }, { file_name: 'b.png' }, true],
    ['a stored result', { store: true, store_path: 'a.png' }, {}, true],
    ['a file and JSON', {}, { response_type: 'json' }, false],
    ['other parts', { response_type: 'json', include: ['links'] }, { response_type: 'json' }, false],
  ])('lets requests share a capture that differ in the delivery alone: %s', async (_what, a, b, isShared) => {
    await using service = await open();
    await service.request({ cache_ttl: 60, ...a });

    expect((await service.request({ cache_ttl: 60, ...b })).caching?.isHit).toBe(isShared);
  });
});

/** A capture with all wrappers around a fixed result. Uses one key with a quota. */
async function open({ maxResultBytes = 1e6 } = {}) {
  const usage = createUsage(await createMemoryUsageStore(), log);
  const recorded: FinishedCapture[] = [];
  const running = createRunningWork();
  let isClosing = false;
  const capture: Capture = wrapCapture(async () => resultWith({ facts: { sha256: 'a' } }), {
    parts: [
      { around: { cache: createCaching({ cache: createMemoryCache({ maxBytes: 1e6 }), scope: '' }).around } },
      { around: { inside: withMetrics({ recordCapture: (finished) => recorded.push(finished) }) } },
      { around: { outside: withUsage(usage), inside: withQuota(usage) } },
    ],
    isRefusing: () => isClosing,
    running,
    maxResultBytes,
  });
  return {
    usage,
    recorded,
    running,
    close: () => {
      isClosing = true;
    },
    request: (fields: object = {}) => {
      const limits = { maxWaitMs: 1_000, canStore: true };
      const { capture: options } = parseOptions({ url: 'https://example.com/', ...fields }, limits);
      return capture(options, { key: KEY, signal: new AbortController().signal, log });
    },
    [Symbol.asyncDispose]: usage.close,
  };
}
