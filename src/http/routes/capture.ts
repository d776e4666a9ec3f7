import type { RequestHandler } from 'express';
import { hasBody } from '../request/read-body.ts';
import { createParseRequest, refuseSecondSource } from './parse-request.ts';
import { contextOf } from '../request/request-context.ts';
import type { HandlerOptions } from './route.ts';
import { createSendCapture } from './send-capture.ts';
import { createStoreResult } from './storing/store-result.ts';

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
}: HandlerOptions): RequestHandler {
  const parseRequest = createParseRequest({ ...rules, canStore: resultStorage !== undefined });
  const storeResult = resultStorage && createStoreResult({ resultStorage, now, budgets });
  const sendCapture = createSendCapture({ now, sendBody, usage, budgets });
  return async (request, response) => {
    const context = contextOf(response);
    const { summary, key } = context;
    const options = await parseRequest(request, context);
    const { capture: requested, delivery } = options;
    summary.format = requested.format;
    summary.target = requested.url === undefined ? 'html_content' : URL.parse(requested.url)?.host;
    const store = delivery.store ? storeResult?.(request, context, options) : undefined;
    await countAsRunning(async () => {
      const answer = await capture(requested, context);
      try {
        const stored = await store?.(answer);
        await sendCapture(request, response, { options, answer, stored });
      } catch (error) {
        // A quota does not count errors.
        await usage?.countAs('failed', key, answer);
        throw error;
      }
    });
  };
}
