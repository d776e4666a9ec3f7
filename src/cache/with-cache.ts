import { createHash } from 'node:crypto';
import { BACKGROUND } from '../browser/pool/fair-share.ts';
import type { Capture, CaptureAnswer } from '../capture/capture.ts';
import type { CaptureResult } from '../capture/capture-on-page.ts';
import { cacheKey } from './cache-key.ts';
import type { CaptureCache, StoredCapture } from './capture-cache.ts';
import { createInFlight } from './in-flight.ts';

// Lifetime of captures that may be incomplete: long enough not to overload a failing site, short enough to recover soon.
const DOUBTFUL_TTL_SECONDS = 60;

interface CacheOptions {
  readonly cache: CaptureCache;
  /** Settings that affect captures, for services that share a cache. */
  readonly scope: string;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/**
 * Wraps a capture function: returns stored captures younger than `cache_ttl`, and runs equal concurrent captures once. With `cache_ttl` 0
 * it does neither, because a capture that started before the request may show the page before the client changed it. Errors go to all
 * waiting clients and are not stored.
 */
export function withCache(capture: Capture, { cache, scope, now = Date.now }: CacheOptions): Capture {
  const inFlight = createInFlight<CaptureAnswer>();
  const keyOf: (...request: Parameters<Capture>) => string = (options, { link }) => {
    if (link?.options !== options) return cacheKey(options, scope);
    return (link.cacheKey ??= cacheKey(options, scope));
  };

  const lookUp = async (key: string): Promise<CaptureAnswer | undefined> => {
    const stored = await cache.get(key);
    return stored && answerOf(stored, { isHit: true });
  };

  return async (options, context) => {
    if (options.cache_ttl === 0) return await capture(options, context);
    const key = keyOf(options, context);
    const hit = await lookUp(key);
    if (hit !== undefined) return hit;

    // Background captures wait behind all others and have no deadline in the queue. Interactive clients must not join them.
    const among = context.client === BACKGROUND ? `${BACKGROUND} ${key}` : key;
    return await inFlight.join(among, context.signal, async (signal) => {
      const late = await lookUp(key); // another request may have stored the capture during the first lookup
      if (late !== undefined) return late;
      const result = await capture(options, {
        id: context.id,
        client: context.client,
        log: context.log,
        signal,
      });
      const ttlSeconds = lifetime(result, options.cache_ttl);
      const stored = { result, etag: entityTag(result.body), capturedAtMs: now(), ttlSeconds };
      await cache.set(key, stored, ttlSeconds);
      return answerOf(stored, { isHit: false });
    });
  };
}

function answerOf(
  { result, ...times }: StoredCapture,
  { isHit }: { readonly isHit: boolean },
): CaptureAnswer {
  return { ...result, caching: { ...times, isHit } };
}

/** Shortens the lifetime of captures of error pages and of incomplete captures. */
function lifetime({ warnings, targetStatus = 200 }: CaptureResult, ttlSeconds: number): number {
  const isDoubtful = warnings.length > 0 || targetStatus >= 400;
  return isDoubtful ? Math.min(ttlSeconds, DOUBTFUL_TTL_SECONDS) : ttlSeconds;
}

/** Strong: equal tags mean equal bytes. */
function entityTag(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url')}"`;
}
