import fresh from 'fresh';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { answerKind, encodeJson } from '../../capture/answer.ts';
import type { Caching, CaptureAnswer } from '../../capture/capture.ts';
import type { CaptureFacts } from '../../capture/capture-on-page.ts';
import type { FormatName } from '../../capture/formats/format-names.ts';
import { type Delivery, deliveryHeaders } from '../../capture/request/delivery.ts';
import type { RequestOptions } from '../../capture/request/options.ts';
import type { MemoryBudget } from '../../ground/memory-budget.ts';
import { PHASES } from '../../steps/common/stopwatch.ts';
import { contextOf } from '../request/request-context.ts';
import type { HandlerOptions } from './route.ts';
import type { StoredResult } from './stored-result.ts';

const MAX_URL_HEADER = 1_000;
/**
 * Share of the memory for answers that may hold encoded answers for reuse. Encoding a cached answer of 5 MB each time
 * makes it a tenth slower (2026-11-25).
 */
const ENCODED_SHARE = 1 / 8;

interface Sendable {
  readonly options: RequestOptions;
  readonly answer: CaptureAnswer;
  /** Undefined: the result is not stored. */
  readonly stored: StoredResult | undefined;
}

export type SendOptions = Pick<HandlerOptions, 'now' | 'sendBody' | 'ports' | 'budgets'>;

/** Creates the function that sends a finished capture, or 304 if the client has it. Sets all headers of a capture. */
export function createSendCapture({ now, sendBody, ports: { recount }, budgets: { answers } }: SendOptions) {
  const encodeCached = createEncodeCached(answers);
  const jsonOf = async ({ options, answer, stored }: Sendable): Promise<Body> => {
    const { format } = options.capture;
    const { caching } = answer;
    if (caching === undefined || stored !== undefined)
      return { bytes: await encodeJson(answer, format, stored?.links), isKept: false };
    return await encodeCached(caching.etag, () => encodeJson(answer, format));
  };

  return async (request: Request, response: Response, sendable: Sendable): Promise<void> => {
    const { options, answer, stored } = sendable;
    const { link, key, summary, credential } = contextOf(response);
    const isSigned = credential === 'link';
    const signed = isSigned ? { expires: link.query.get('expires') } : undefined;
    const headers = cacheHeaders(answer.caching, { nowSeconds: now(), signed });
    summary.cache = headers['X-Cache'];
    // Otherwise the cache of a browser would return an answer for a request without the token, or with another token.
    if (credential === 'token' && answer.caching !== undefined) response.vary('Authorization');
    // Pages of any origin may show the result of a link. Other results may not be shown by other origins.
    response.set('Cross-Origin-Resource-Policy', isSigned ? 'cross-origin' : 'same-origin');
    const etag = stored === undefined ? headers['ETag'] : undefined;
    if (stored === undefined) response.set(headers);
    else {
      // A link to a stored result belongs to this answer alone, so the answer has no tag and is not cached.
      const { ETag: _tag, 'Cache-Control': _control, ...ofThisAnswer } = headers;
      response.set({ ...ofThisAnswer, ...stored.headers });
    }
    if (etag !== undefined && isKnown(request, etag)) {
      // A quota does not count a capture whose bytes the client already had. `If-None-Match: *` does not prove that it
      // has them.
      if (request.headers['if-none-match']?.trim() !== '*') void recount('cached', key, answer);
      response.status(304).end();
      return;
    }
    const { capture, delivery } = options;
    const { bytes, isKept } =
      delivery.response_type === 'json'
        ? await jsonOf(sendable)
        : { bytes: answer.file, isKept: answer.caching !== undefined };
    const isHit = answer.caching?.isHit === true;
    response.set(captureHeaders({ format: capture.format, delivery }, answer.facts, { isHit })).status(200);
    if (request.method === 'HEAD') response.set('Content-Length', `${bytes.length}`).end();
    else sendBody(response, bytes, { isKept });
  };
}

interface Body {
  readonly bytes: Buffer;
  /** True if it is in memory anyway. */
  readonly isKept: boolean;
}

/**
 * Creates the function that encodes a cached answer, or returns the bytes that were encoded for its tag. Clients that
 * share a capture share the bytes: a thousand of them would need a thousand copies before any of these counts against
 * the memory for answers.
 */
function createEncodeCached(answers: MemoryBudget) {
  const encoding = new Map<string, Promise<Body>>();
  const encoded = new LRUCache<string, Buffer>({
    maxSize: Math.max(1, Math.floor(answers.limitBytes * ENCODED_SHARE)), // the library takes 0 as unlimited
    sizeCalculation: ({ length }) => length,
    dispose: ({ length }) => answers.addGarbage(length),
  });
  return async (etag: string, encode: () => Promise<Buffer>): Promise<Body> => {
    const known = encoded.get(etag);
    if (known !== undefined) return { bytes: known, isKept: true };
    const work =
      encoding.get(etag) ??
      encode()
        .then((bytes) => ({ bytes, isKept: encoded.set(etag, bytes).has(etag) }))
        .finally(() => encoding.delete(etag));
    encoding.set(etag, work);
    return await work;
  };
}

/**
 * True if the client sent this tag (RFC 9110 section 13.1.2). Ignores `Cache-Control: no-cache`, which `fetch` adds to
 * every request with If-None-Match and which Express would obey.
 */
function isKnown({ method, headers }: Request, etag: string): boolean {
  return (method === 'GET' || method === 'HEAD') && fresh({ 'if-none-match': headers['if-none-match'] }, { etag });
}

/**
 * Returns the headers that describe a result. A cached capture has no timings, because answering took none of that
 * time.
 */
export function captureHeaders(
  { format, delivery }: { readonly format: FormatName; readonly delivery: Delivery },
  facts: CaptureFacts,
  { isHit }: { readonly isHit: boolean },
): Record<string, string> {
  const kind = answerKind({ format, response_type: delivery.response_type });
  const { size, scale, timings, targetStatus, targetUrl, blockedRequests, filteredRequests, warnings, digest } = facts;
  return {
    'Content-Type': kind.mimeType,
    ...deliveryHeaders(delivery, kind),
    ...kind.headers,
    ...(!isHit && {
      'Server-Timing': PHASES.map((phase) => `${phase};dur=${timings[phase].toFixed(1)}`).join(', '),
    }),
    ...(size && { 'X-Image-Width': `${size.width}`, 'X-Image-Height': `${size.height}` }),
    ...(scale !== undefined && { 'X-Pdf-Scale': scale.toFixed(2) }),
    ...(digest !== undefined && { 'X-Capture-Digest': digest }),
    ...(targetStatus !== undefined && { 'X-Target-Status': `${targetStatus}` }),
    ...(targetUrl !== undefined && { 'X-Target-Url': headerSafe(targetUrl) }),
    ...(blockedRequests > 0 && { 'X-Blocked-Requests': `${blockedRequests}` }),
    ...(filteredRequests > 0 && { 'X-Filtered-Requests': `${filteredRequests}` }),
    ...(warnings.length > 0 && { 'X-Capture-Warnings': warnings.join(',') }),
  };
}

/** Returns visible ASCII of limited length, because the page chooses the address and proxies limit headers. */
export function headerSafe(url: string): string {
  const encoded = url.replaceAll(/[^\u0021-\u007e]/gu, (character) => encodeURIComponent(character.toWellFormed()));
  return encoded.slice(0, MAX_URL_HEADER);
}

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
