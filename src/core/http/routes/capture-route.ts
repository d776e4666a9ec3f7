import type { Request, RequestHandler, Response } from 'express';
import { answerKind } from '../../capture/answer.ts';
import type { CaptureFacts } from '../../capture/capture-on-page.ts';
import { deliveryHeaders } from '../../capture/request/delivery.ts';
import { type RequestOptions, targetOf } from '../../capture/request/options.ts';
import { holdPage } from '../request/hold-memory.ts';
import { hasBody } from '../request/read-body.ts';
import { createParseRequest, type ParseRules, refuseSecondSource } from './parse-request.ts';
import { contextOf, type RequestContext } from '../request/request-context.ts';
import type { HandlerOptions } from './route.ts';
import { createSendCapture, type SendOptions } from './send-capture.ts';
import type { StoredResult } from './stored-result.ts';

/** Checks that refuse a body by the headers alone: beside a query with fields, or while the queue is full. */
export function createCaptureBodyChecks({ refuseWhenFull }: { readonly refuseWhenFull: () => void }): RequestHandler[] {
  return [refuseSecondSource, createQueueCheck({ refuseWhenFull })];
}

/** Creates the check that refuses a body while the queue is full. */
export function createQueueCheck({ refuseWhenFull }: { readonly refuseWhenFull: () => void }): RequestHandler {
  return (request, _response, next) => {
    if (hasBody(request.headers)) refuseWhenFull();
    next();
  };
}

type CapturingOptions = SendOptions & Pick<HandlerOptions, 'capture' | 'checkAddresses' | 'countAsRunning'>;

/** Needs of handlers that parse requests in their own way. */
export type RouteOptions = CapturingOptions & Pick<HandlerOptions, 'parseFields'>;

/** Creates the handler that parses, captures and sends. */
export function createCaptureHandler(options: CapturingOptions & ParseRules): RequestHandler {
  return createCapturing(options, createParseRequest(options));
}

/** Returns the options of a request, whose fields may have other names than ours. */
export type ParseRequest = (request: Request, context: RequestContext) => Promise<RequestOptions>;

/** Parts of the answer that differ for the interface of another service. */
interface OwnAnswer {
  /** Sets headers that the answer has in addition. */
  readonly addHeaders?: (response: Response, facts: CaptureFacts, stored: StoredResult | undefined) => void;
  /** Replaces the answer of `/capture`. */
  readonly send?: ReturnType<typeof createSendCapture>;
}

/** Answers HEAD for a capture that is not in the cache. */
function sendDescription(response: Response, requested: RequestOptions): void {
  const { capture, delivery } = requested;
  const kind = answerKind({ format: capture.format, response_type: delivery.response_type });
  const policy = contextOf(response).credential === 'link' ? 'cross-origin' : 'same-origin';
  response.set({ 'Cache-Control': 'no-store', 'Cross-Origin-Resource-Policy': policy });
  response.set({ 'Content-Type': kind.mimeType, ...deliveryHeaders(delivery, kind), ...kind.headers });
  response.status(200).end();
}

/** Creates the handler of a route whose requests are parsed in its own way. */
export function createCapturing(
  options: CapturingOptions,
  parseRequest: ParseRequest,
  { addHeaders = () => undefined, send = createSendCapture(options) }: OwnAnswer = {},
): RequestHandler {
  const { capture, checkAddresses, countAsRunning, ports, budgets } = options;
  // Clients of links ask for the type first. A capture for it would cost as much as the picture.
  const describe = async (request: Request, response: Response, requested: RequestOptions): Promise<void> => {
    const context = contextOf(response);
    await checkAddresses(requested.capture, context.key);
    const answer = requested.delivery.store ? undefined : await ports.findCached(requested.capture, context);
    if (answer === undefined) sendDescription(response, requested);
    else await send(request, response, { options: requested, answer, stored: undefined });
  };
  return async (request, response) => {
    const context = contextOf(response);
    const { summary, key } = context;
    const requested = await parseRequest(request, context);
    holdPage(response, requested.capture, budgets.bodies);
    if (request.method === 'HEAD') {
      await describe(request, response, requested);
      return;
    }
    const { format } = requested.capture;
    summary.format = format;
    summary.target = targetOf(requested.capture);
    const store = requested.delivery.store ? ports.storeResult?.(request, context, requested) : undefined;
    await countAsRunning(async () => {
      const answer = await capture(requested.capture, context);
      try {
        const stored = await store?.(answer);
        addHeaders(response, answer.facts, stored);
        await send(request, response, { options: requested, answer, stored });
      } catch (error) {
        // A quota does not count errors.
        await ports.recount('failed', key, answer);
        throw error;
      }
    });
  };
}
