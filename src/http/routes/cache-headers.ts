import type { Caching } from '../../capture/capture.ts';

/** Inputs for the lifetime of an answer, besides the answer itself. */
interface CacheContext {
  readonly nowSeconds: number;
  /** Undefined: the request was not signed. */
  readonly signed: { readonly expires: string | undefined } | undefined;
}

interface CacheHeaders extends Readonly<Record<string, string>> {
  readonly 'X-Cache': 'HIT' | 'MISS' | 'BYPASS';
}

/**
 * Returns the headers that control HTTP caches (RFC 9111). Shared caches may store answers to signed links, because
 * they store them under that link; all other answers are private. No answer outlives its link: `max-age` ends with it
 * even for caches that ignore `Age`, and `must-revalidate` stops caches from serving stale answers.
 */
export function cacheHeaders(caching: Caching | undefined, { nowSeconds, signed }: CacheContext): CacheHeaders {
  if (caching === undefined) return { 'X-Cache': 'BYPASS' };
  const { isHit, etag, capturedAtMs, ttlSeconds } = caching;
  const linkSeconds = Math.floor(Number(signed?.expires ?? Infinity) - nowSeconds);
  const audience = signed === undefined ? 'private' : 'public';
  const ageSeconds = Math.min(ttlSeconds, Math.max(0, Math.floor(nowSeconds - capturedAtMs / 1_000)));
  return {
    'X-Cache': isHit ? 'HIT' : 'MISS',
    ...(isHit && { Age: `${ageSeconds}` }),
    ETag: etag,
    'Cache-Control':
      linkSeconds <= 0 ? 'no-store' : `${audience}, max-age=${Math.min(ttlSeconds, linkSeconds)}, must-revalidate`,
  };
}
