import type { Caching } from '../../capture/capture.ts';

/** What an answer's lifetime depends on beside the answer itself. */
interface Visit {
  readonly nowSeconds: number;
  /** Undefined: let in without a signature. */
  readonly signed: { readonly expires: string | undefined } | undefined;
}

interface CacheHeaders extends Readonly<Record<string, string>> {
  readonly 'X-Cache': 'HIT' | 'MISS' | 'BYPASS';
}

/**
 * The headers by which caches know how long an answer lasts (RFC 9111). Shared caches may keep what a signed link gets, as they
 * keep it for the same link; everything else is for the one who asked. Nothing outlives the link: `max-age` ends with it even
 * for a cache that ignores `Age`, and `must-revalidate` has a cache ask again that could not reach us.
 */
export function cacheHeaders(caching: Caching | undefined, { nowSeconds, signed }: Visit): CacheHeaders {
  if (caching === undefined) return { 'X-Cache': 'BYPASS' };
  const { isHit, etag, capturedAtMs, ttlSeconds } = caching;
  const linkSeconds = Math.floor(Number(signed?.expires ?? Infinity) - nowSeconds);
  const audience = signed === undefined ? 'private' : 'public';
  const ageSeconds = Math.max(0, Math.floor(nowSeconds - capturedAtMs / 1_000));
  return {
    'X-Cache': isHit ? 'HIT' : 'MISS',
    ...(isHit && { Age: `${ageSeconds}` }),
    ETag: etag,
    'Cache-Control':
      linkSeconds <= 0
        ? 'no-store'
        : `${audience}, max-age=${Math.min(ttlSeconds, linkSeconds)}, must-revalidate`,
  };
}
