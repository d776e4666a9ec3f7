import type { Request, RequestHandler, Response } from 'express';
import type { Capture, CaptureAnswer } from '../../capture/capture.ts';
import type { CaptureOptions } from '../../capture/request/options.ts';
import type { RunningCaptures } from '../../capture/running-captures.ts';
import { withoutDelivery } from '../../capture/request/delivery-fields.ts';
import type { MemoryBudget } from '../../memory-budget.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Usage } from '../../usage/usage.ts';
import { hasBody } from '../request/read-body.ts';
import { cacheHeaders } from './cache-headers.ts';
import { createParseRequest, type ParseRules, refuseSecondSource } from './parse-request.ts';
import { contextOf } from '../request/request-context.ts';
import type { SendBody } from '../answers/send-body.ts';
import { sendCapture } from './send-capture.ts';
import { createStoreResult, type StoredResult } from './storing/store-result.ts';

interface CaptureHandlerOptions extends ParseRules {
  readonly capture: Capture;
  readonly countAsRunning: RunningCaptures['countAsRunning'];
  /** Unix seconds. */
  readonly now: () => number;
  readonly sendBody: SendBody;
  /** Memory budget for results that wait to be stored. */
  readonly budgets: { readonly answers: MemoryBudget };
  /** Undefined: results can't be stored. */
  readonly resultStorage: Storage | undefined;
  readonly usage: Usage | undefined;
}

/** Checks that refuse a body by the headers alone: beside a query with fields, or while the queue is full. */
export function createCaptureBodyChecks({
  refuseWhenFull,
}: {
  readonly refuseWhenFull: () => void;
}): RequestHandler[] {
  return [
    refuseSecondSource,
    (request, _response, next) => {
      if (hasBody(request.headers)) refuseWhenFull();
      next();
    },
  ];
}

/** Creates the handler that parses, captures and sends. */
export function createCaptureHandler({
  capture,
  countAsRunning,
  now,
  budgets,
  sendBody,
  resultStorage,
  usage,
  ...rules
}: CaptureHandlerOptions): RequestHandler {
  const parseRequest = createParseRequest({ ...rules, canStore: resultStorage !== undefined });
  const storeResult = resultStorage && createStoreResult({ resultStorage, now, budgets });
  const sendAnswer = createSendAnswer({ now, sendBody, usage });
  return async (request, response) => {
    const context = contextOf(response);
    const { link, key, summary } = context;
    const isSigned = response.locals['routeClass'] === 'signed';
    const options = await parseRequest({ request, link, key, isSigned });
    summary.format = options.format;
    summary.target = options.url === undefined ? 'html_content' : URL.parse(options.url)?.host;
    const store = options.store ? storeResult?.({ request, response, options }) : undefined;
    await countAsRunning(async () => {
      const answer = await capture(withoutDelivery(options), context);
      try {
        const stored = await store?.(answer);
        sendAnswer({ request, response, options, answer, stored });
      } catch (error) {
        // A quota does not count errors.
        await usage?.countAs('failed', context.key, answer);
        throw error;
      }
    });
  };
}

interface Answer {
  readonly request: Request;
  readonly response: Response;
  readonly options: CaptureOptions;
  readonly answer: CaptureAnswer;
  readonly stored: StoredResult | undefined;
}

/** Creates the function that sends a capture, or the link to its stored result. */
function createSendAnswer({
  now,
  sendBody,
  usage,
}: Pick<CaptureHandlerOptions, 'now' | 'sendBody' | 'usage'>) {
  return ({ request, response, options, answer, stored }: Answer): void => {
    const { link, key, summary } = contextOf(response);
    const isSigned = response.locals['routeClass'] === 'signed';
    const signed = isSigned ? { expires: link.query.get('expires') } : undefined;
    const headers = cacheHeaders(answer.caching, { nowSeconds: now(), signed });
    summary.cache = headers['X-Cache'];
    // Otherwise the cache of a browser would return an answer for a request without the token, or with another token.
    const isBoundToToken = !isSigned && response.locals['hasBearer'] === true;
    if (isBoundToToken && answer.caching !== undefined) response.vary('Authorization');
    // Pages of any origin may show the result of a link. Other results may not be shown by other origins.
    response.set('Cross-Origin-Resource-Policy', isSigned ? 'cross-origin' : 'same-origin');
    if (stored === undefined) {
      // A quota does not count a capture whose bytes the client had.
      const onNotModified = (): void => void usage?.countAs('cached', key, answer);
      sendCapture(request, response, { options, answer, cacheHeaders: headers, sendBody, onNotModified });
      return;
    }
    // The link belongs to this answer alone, so the answer has no tag and is not cached.
    const { ETag: _tag, 'Cache-Control': _control, ...ofThisAnswer } = headers;
    sendCapture(request, response, {
      options,
      answer: { ...answer, body: stored.body },
      cacheHeaders: { ...ofThisAnswer, ...stored.headers },
      sendBody,
    });
  };
}
