import type { RequestHandler } from 'express';
import type { Capture } from '../capture/capture.ts';
import type { SensitiveField } from '../capture/request/sensitive-fields.ts';
import { cacheHeaders } from './cache-headers.ts';
import { createParseRequest } from './parse-request.ts';
import { contextOf } from './request-context.ts';
import type { SendBody } from './send-body.ts';
import { sendCapture } from './send-capture.ts';

interface ControllerOptions {
  readonly maxWaitMs: number;
  readonly cacheTtl: number;
  readonly captureTimeoutMs: number;
  readonly maxPixels: number;
  readonly signedUrlAllow: readonly SensitiveField[];
  /** Unix seconds. */
  readonly now: () => number;
  readonly sendBody: SendBody;
}

/** Parses, captures, sends. */
export function createCaptureController(
  capture: Capture,
  { now, sendBody, ...rules }: ControllerOptions,
): RequestHandler {
  const parseRequest = createParseRequest(rules);
  return async (request, response) => {
    const context = contextOf(response);
    const { query, summary } = context;
    const isSigned = response.locals['routeClass'] === 'signed';
    const options = parseRequest({ request, query, isSigned });
    summary.format = options.format;
    summary.target = options.url === undefined ? 'html_content' : URL.parse(options.url)?.host;
    const answer = await capture(options, context);
    const signed = isSigned ? { expires: query.get('expires') } : undefined;
    const headers = cacheHeaders(answer.caching, { nowSeconds: now(), signed });
    summary.cache = headers['X-Cache'];
    // What a link shows is for any page that has it; all else a page of another origin must not even show.
    response.set('Cross-Origin-Resource-Policy', isSigned ? 'cross-origin' : 'same-origin');
    sendCapture(request, response, { format: options.format, answer, cacheHeaders: headers, sendBody });
  };
}
