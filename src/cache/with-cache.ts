import { createHash } from 'node:crypto';
import { BACKGROUND } from '../browser/pool/fair-queue.ts';
import type { Capture, CaptureAnswer } from '../capture/capture.ts';
import type { CaptureResult } from '../capture/capture-on-page.ts';
import { cacheKey } from './cache-key.ts';
import type { CaptureCache, StoredCapture } from './capture-cache.ts';
import { createInFlight } from './in-flight.ts';

// Long enough to spare a page that is down from all who look at it, short enough that nobody sees the outage for long.
const DOUBTFUL_TTL_SECONDS = 60;

interface CacheOptions {
  readonly cache: CaptureCache;
  /** The settings that decide what a capture may show, for services that share a cache. */
  readonly scope: string;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/**
 * A capture that is taken from the cache while it is not older than `cache_ttl`, and that is made once for all who ask for it
 * at the same time. With `cache_ttl` 0 it does neither: who wants no stored picture wants none that was begun before the request,
 * either, as that may show the page as it was before the client changed it. Errors are told to all who wait, and not kept.
 */
export function withCache(capture: Capture, { cache, scope, now = Date.now }: CacheOptions): Capture {
  const inFlight = createInFlight<CaptureAnswer>();
  const keyOf: (...asked: Parameters<Capture>) => string = (options, { link }) => {
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

    // What waits behind everybody else, and has no deadline until it has its page, is for nobody to join who waits.
    const among = context.client === BACKGROUND ? `${BACKGROUND} ${key}` : key;
    return await inFlight.join(among, context.signal, async (signal) => {
      const late = await lookUp(key); // stored while the first look was under way
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

/** A picture of an error page, or one that was taken before the page was complete, is not what anybody wants to see for long. */
function lifetime({ warnings, targetStatus = 200 }: CaptureResult, ttlSeconds: number): number {
  const isDoubtful = warnings.length > 0 || targetStatus >= 400;
  return isDoubtful ? Math.min(ttlSeconds, DOUBTFUL_TTL_SECONDS) : ttlSeconds;
}

/** Strong: the same tag means the same bytes. */
function entityTag(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url')}"`;
}
