import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { BACKGROUND } from '../../../src/core/queue/fair-share.ts';
import type { CaptureCache } from '../../../src/parts/cache/capture-cache.ts';
import { createMemoryCache } from '../../../src/parts/cache/memory-cache.ts';
import { createCaching } from '../../../src/parts/cache/with-cache.ts';
import type { CaptureAnswer } from '../../../src/core/capture/capture.ts';
import type { Captured } from '../../../src/core/capture/capture-on-page.ts';
import { parseOptions } from '../../../src/core/capture/request/parse-options.ts';
import { ServiceError } from '../../../src/core/ground/errors.ts';
import type { Key } from '../../../src/core/access/key.ts';
import { eventually } from '../../support/eventually.ts';
import { keyWith } from '../../support/key.ts';
import { resultWith, storedCapture } from '../../support/stored-capture.ts';

const START_MS = 1_700_000_000_000;
const log = pino({ level: 'silent' });
const never = new AbortController().signal;

describe('createCaching', () => {
  it('returns the same capture until it expires', async () => {
    const { requestCapture, captures, pass } = cachedCapture();

    const first = await requestCapture({ cache_ttl: 60 });
    pass(60_000);
    const second = await requestCapture({ cache_ttl: 60 });
    pass(1);
    const third = await requestCapture({ cache_ttl: 60 });

    expect([first, second, third].map(({ caching }) => caching?.isHit)).toEqual([false, true, false]);
    expect(second.file).toEqual(first.file);
    expect(second.caching).toEqual({ ...first.caching, isHit: true });
    expect(first.caching).toMatchObject({ capturedAtMs: START_MS, ttlSeconds: 60 });
    expect(third.caching?.etag).not.toBe(first.caching?.etag);
    expect(captures()).toBe(2);
  });

  it('bypasses the cache with cache_ttl 0, even during an identical capture', async () => {
    const { requestCapture, captures } = cachedCapture();

    const answers = await Promise.all([requestCapture({ cache_ttl: 0 }), requestCapture({ cache_ttl: 0 })]);

    expect(answers.map(({ caching }) => caching)).toEqual([undefined, undefined]);
    expect(captures()).toBe(2);
  });

  it('captures once for concurrent requests', async () => {
    const { requestCapture, captures } = cachedCapture();

    const answers = await Promise.all(Array.from({ length: 1_000 }, () => requestCapture({ cache_ttl: 1 })));

    expect(captures()).toBe(1);
    expect(new Set(answers.map(({ caching }) => caching?.etag)).size).toBe(1);
  });

  it.each<[string, object, number]>([
    ['a plain capture', {}, 1],
    ['one with cookies', { cookies: [{ name: 'a', value: 'b' }] }, 2],
    ['one with a log-in state', { storage_state: { cookies: [] } }, 2],
    ['one with a script before the page', { init_script: 'self.a = 1' }, 2],
    ['one that returns the state', { response_type: 'json', include: ['storage_state'] }, 2],
  ])('shares %s among keys only if it has no secrets', async (_what, fields, expected) => {
    const { requestCapture, captures } = cachedCapture();

    for (const id of ['a', 'b']) await requestCapture({ cache_ttl: 60, ...fields }, never, '', keyWith({ id }));

    expect(captures()).toBe(expected);
  });

  // A client would wait as long as the job may take, without its own deadline.
  it('does not make clients wait for the capture of a job, but shares it among jobs', async () => {
    const { requestCapture, captures, give } = cachedCapture();
    const hangs = Promise.withResolvers<Captured>();
    give(() => hangs.promise);
    const jobs = [1, 2].map(() => requestCapture({ cache_ttl: 60 }, never, BACKGROUND));
    await eventually(() => expect(captures()).toBe(1));

    give(() => storedCapture(Buffer.from('picture')).captured);
    const { file } = await requestCapture({ cache_ttl: 60 });

    expect(file.toString()).toBe('picture');
    hangs.resolve(storedCapture(Buffer.from('late')).captured);
    expect((await Promise.all(jobs)).map((each) => each.file.toString())).toEqual(['late', 'late']);
    expect(captures()).toBe(2);
  });

  it('stores no errors', async () => {
    const { requestCapture, captures, give } = cachedCapture();
    give(() => {
      throw new ServiceError('NavigationError');
    });
    await expect(requestCapture({ cache_ttl: 60 })).rejects.toThrow(ServiceError);

    give(() => storedCapture(Buffer.from('picture')).captured);

    expect((await requestCapture({ cache_ttl: 60 })).caching?.isHit).toBe(false);
    expect(captures()).toBe(2);
  });

  it.each<[what: string, facts: Partial<Captured['facts']>, seconds: number]>([
    ['a complete picture', {}, 3_600],
    ['markup', { targetStatus: undefined, targetUrl: undefined }, 3_600],
    ['a picture with a warning', { warnings: ['network_not_idle'] }, 60],
    ['a picture of a page that was not found', { targetStatus: 404 }, 60],
    ['a picture of a page that is down', { targetStatus: 503 }, 60],
  ])('stores %s: %j for %i of 3600 seconds', async (_what, facts, seconds) => {
    const { requestCapture, give, pass } = cachedCapture();
    give(() => resultWith({ facts }));

    const { caching } = await requestCapture({ cache_ttl: 3_600 });

    expect(caching?.ttlSeconds).toBe(seconds);
    pass(seconds * 1_000 + 1);
    expect((await requestCapture({ cache_ttl: 3_600 })).caching?.isHit).toBe(false);
  });

  it('stores an incomplete picture no longer than the requested TTL', async () => {
    const { requestCapture, give } = cachedCapture();
    give(() => resultWith({ facts: { targetStatus: 500 } }));

    expect((await requestCapture({ cache_ttl: 5 })).caching?.ttlSeconds).toBe(5);
  });

  it('cancels the capture when the last client has disconnected, and stores nothing of it', async () => {
    const { requestCapture, give, captures } = cachedCapture();
    const started = Promise.withResolvers<AbortSignal>();
    give((signal) => {
      started.resolve(signal);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('stopped'));
        });
      });
    });
    const client = new AbortController();
    const pending = requestCapture({ cache_ttl: 60 }, client.signal);
    const signal = await started.promise;

    client.abort(new Error('gone'));

    await expect(pending).rejects.toThrow('gone');
    expect(signal.aborted).toBe(true);
    give(() => storedCapture(Buffer.from('picture')).captured);
    expect((await requestCapture({ cache_ttl: 60 })).caching?.isHit).toBe(false);
    expect(captures()).toBe(2);
  });

  // A remote cache answers late: another caller may have stored the capture meanwhile.
  it('checks the cache again before it captures', async () => {
    const checks: PromiseWithResolvers<undefined>[] = [];
    const memory = createMemoryCache({ maxBytes: 100_000 });
    const slow: CaptureCache = {
      ...memory,
      get: async (key) => {
        if (checks.length === 2) return await memory.get(key);
        const look = Promise.withResolvers<undefined>();
        checks.push(look);
        return await look.promise;
      },
    };
    const { requestCapture, captures } = cachedCapture(slow);
    const [first, second] = [requestCapture({ cache_ttl: 60 }), requestCapture({ cache_ttl: 60 })];

    checks[0]?.resolve(undefined);
    await first;
    checks[1]?.resolve(undefined);

    expect((await second).caching?.isHit).toBe(true);
    expect(captures()).toBe(1);
  });
});

/** Returns a cache with its own clock in front of a capture that returns a new picture each time, unless given. */
function cachedCapture(given?: CaptureCache) {
  let [nowMs, count] = [START_MS, 0];
  const cache = given ?? createMemoryCache({ maxBytes: 100_000, now: () => nowMs });
  let give = (_signal: AbortSignal): Captured | Promise<Captured> =>
    storedCapture(Buffer.from(`picture ${count}`)).captured;
  const capture = createCaching({ cache, scope: '', now: () => nowMs }).around(async (_options, { signal }) => {
    count++;
    return await give(signal);
  });
  return {
    requestCapture: (fields: object, signal = never, client = '', key?: Key): Promise<CaptureAnswer> =>
      capture(parseOptions({ url: 'https://example.com/', ...fields }, { maxWaitMs: 60_000 }).capture, {
        signal,
        client,
        log,
        key,
      }),
    captures: () => count,
    give: (next: typeof give) => {
      give = next;
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}
