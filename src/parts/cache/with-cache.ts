import { createHash } from 'node:crypto';
import { BACKGROUND } from '../../core/queue/fair-share.ts';
import type { Capture, CaptureAnswer, CaptureWrapper } from '../../core/capture/capture.ts';
import type { Captured } from '../../core/capture/capture-on-page.ts';
import { type CaptureOptions, textOfOptions } from '../../core/capture/request/options.ts';
import { DEFAULT_KEY, type Key } from '../../core/access/key.ts';
import type { CaptureCache, StoredCapture } from './capture-cache.ts';
import { raceAbort, abortReason } from '../../core/ground/timeouts.ts';

// Lifetime of captures that may be incomplete: long enough not to overload a failing site, short enough to recover
// soon.
const DOUBTFUL_TTL_SECONDS = 60;

interface CacheOptions {
  readonly cache: CaptureCache;
  /** Settings that affect captures, for services that share a cache. */
  readonly scope: string;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/** Captures that are kept for equal requests. */
export interface Caching {
  readonly around: CaptureWrapper;
  /** Returns the stored capture of a request. Undefined without one. */
  readonly find: (...request: Parameters<Capture>) => Promise<CaptureAnswer | undefined>;
}

/**
 * Creates a wrapper that returns stored captures younger than `cache_ttl`, and runs equal concurrent captures once.
 * With `cache_ttl` 0 it does neither, because a capture that started before the request may show the page before the
 * client changed it. Errors go to all waiting clients and are not stored.
 */
export function createCaching({ cache, scope, now = Date.now }: CacheOptions): Caching {
  const inFlight = createInFlight<CaptureAnswer>();
  const keyOf: (...request: Parameters<Capture>) => string = (options, { link, key }) => {
    const sharing = sharingOf(options, key);
    // The key is kept with the link only if all keys share the capture, because another key may send the same link.
    if (sharing !== '' || link?.options?.capture !== options) return cacheKey(options, scope + sharing);
    return (link.cacheKey ??= cacheKey(options, scope));
  };

  const lookUp = async (key: string): Promise<CaptureAnswer | undefined> => {
    const stored = await cache.get(key);
    return stored && answerOf(stored, { isHit: true });
  };

  const around: CaptureWrapper = (capture) => async (options, context) => {
    if (options.cache_ttl === 0) return await capture(options, context);
    const key = keyOf(options, context);
    const hit = await lookUp(key);
    if (hit !== undefined) return hit;

    // Background captures wait behind all others and have no deadline in the queue. Interactive clients must not join
    // them. Nor do clients join a capture of another key: it may wait for the concurrency of that key, or fail because
    // of its quota.
    const owner = context.key === undefined ? key : `${context.key.id} ${key}`;
    const among = context.client === BACKGROUND ? `${BACKGROUND} ${owner}` : owner;
    let isOwn = false;
    const answer = await inFlight.join(among, context.signal, async (signal) => {
      isOwn = true;
      const late = await lookUp(key); // another request may have stored the capture during the first lookup
      if (late !== undefined) return late;
      const captured = await capture(options, {
        id: context.id,
        client: context.client,
        key: context.key,
        log: context.log,
        span: context.span,
        signal,
      });
      const ttlSeconds = lifetime(captured, options.cache_ttl);
      const etag = entityTag(options, captured);
      const stored = { captured, etag, capturedAtMs: now(), ttlSeconds };
      await cache.set(key, stored, ttlSeconds);
      return answerOf(stored, { isHit: false });
    });
    if (isOwn || answer.caching === undefined) return answer;
    return { ...answer, caching: { ...answer.caching, isShared: true } };
  };
  return {
    around,
    find: async (options, context) => (options.cache_ttl === 0 ? undefined : await lookUp(keyOf(options, context))),
  };
}

/**
 * Describes which keys may share a capture: all of them, those with the same egress rules, or only this one if the
 * capture carries credentials.
 */
function sharingOf(
  {
    cookies,
    http_auth: login,
    custom_headers: headers,
    storage_state: state,
    init_script: script,
    include,
  }: CaptureOptions,
  key: Key | undefined,
): string {
  if (key === undefined || key.id === DEFAULT_KEY) return '';
  const isPrivate = [cookies, login, headers, state, script].some((credential) => credential !== undefined);
  const isOfKey = isPrivate || include?.includes('storage_state') === true;
  const egress = key.egressAllow === undefined ? '' : ` egress ${JSON.stringify(key.egressAllow)}`;
  return isOfKey ? ` key ${key.id}${egress}` : egress;
}

function answerOf({ captured, ...times }: StoredCapture, { isHit }: { readonly isHit: boolean }): CaptureAnswer {
  return { ...captured, caching: { ...times, isHit } };
}

/** Shortens the lifetime of captures of error pages and of incomplete captures. */
function lifetime({ facts: { warnings, targetStatus = 200 } }: Captured, ttlSeconds: number): number {
  const isDoubtful = warnings.length > 0 || targetStatus >= 400;
  return isDoubtful ? Math.min(ttlSeconds, DOUBTFUL_TTL_SECONDS) : ttlSeconds;
}

/** Strong: equal tags mean equal bytes. The facts of a capture with parts contain the hash of its file. */
function entityTag({ include }: CaptureOptions, { file, parts, facts }: Captured): string {
  const hash = createHash('sha256');
  if (include === undefined) hash.update(file);
  else for (const text of [JSON.stringify(facts), ...parts.values()]) hash.update(text);
  return `"${hash.digest('base64url')}"`;
}

/** Work in flight that several callers share. */
interface InFlight<T> {
  /**
   * Joins the work under this key, or starts it. Rejects when the caller's signal fires, or with the error of the work.
   * Work that another caller started ends before this caller's deadline, because it started earlier.
   */
  readonly join: (key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

interface Work<T> {
  readonly result: Promise<T>;
  /** Aborted when all callers have left. */
  readonly abandoned: AbortController;
  waiting: number;
}

/** Runs equal concurrent work once. Cancels it only when all callers have left. */
export function createInFlight<T>(): InFlight<T> {
  const inFlight = new Map<string, Work<T>>();

  const begin = (key: string, start: (signal: AbortSignal) => Promise<T>): Work<T> => {
    const abandoned = new AbortController();
    const work = { result: start(abandoned.signal), abandoned, waiting: 0 };
    inFlight.set(key, work);
    const end = (): void => {
      if (inFlight.get(key) === work) inFlight.delete(key);
    };
    work.result.then(end, end);
    return work;
  };

  return {
    join: async (key, signal, start) => {
      if (signal.aborted) throw abortReason(signal);
      const work = inFlight.get(key) ?? begin(key, start);
      work.waiting++;
      try {
        return await raceAbort(work.result, signal);
      } finally {
        work.waiting--;
        if (work.waiting === 0 && inFlight.get(key) === work) {
          inFlight.delete(key); // later callers start anew
          work.abandoned.abort(signal.reason);
        }
      }
    },
  };
}

/**
 * Returns the cache key of a capture: a hash over all options, including those without a visible effect, and over the
 * scope, which has the settings that affect captures. The key does not contain the client. Token, signature and the
 * fields allowed in signed links are checked before the cache is used, so every client that reaches the cache could
 * have made the capture. Options may hold passwords and cookies. The hash hides them, so a key may be logged.
 */
export function cacheKey(options: CaptureOptions, scope: string): string {
  return createHash('sha256')
    .update(JSON.stringify([scope, textOfOptions(options)]))
    .digest('base64url');
}
