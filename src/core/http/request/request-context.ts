import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { type ErrorType, validationError } from '../../ground/errors.ts';
import type { Key } from '../../access/key.ts';
import type { Logger } from '../../ground/log.ts';
import type { FinishedRequest } from '../../ground/finished-request.ts';
import { clientName } from './rate-limit-key.ts';
import type { Span, Tracer } from '../../ground/tracer.ts';
import { createKnownLinks, type Link } from './link.ts';
import { createRequestLog, isProbe, pathOf, statusOf } from './request-log.ts';

/** Everything known about a request. */
export interface RequestContext {
  readonly id: string;
  readonly log: Logger;
  /** Identifies the client in the fair queue. Known after authentication. */
  readonly client: string;
  /** Aborted when the client disconnects before the answer is complete. */
  readonly signal: AbortSignal;
  readonly link: Link;
  /** The key of the request. Known after authentication; undefined if authentication is off. */
  key?: Key;
  /** The credential that named the key: a bearer token, or a signed link. */
  credential?: 'token' | 'link';
  /** True if the rate limit of captures has counted the request before its handler ran. */
  wasRateLimited?: true;
  /** Size of the body so far. */
  bodyBytes: number;
  /** Undefined: the request is not traced. */
  readonly span?: Span;
  /** Fields of the summary line in the log. */
  readonly summary: RequestSummary;
}

interface RequestSummary {
  /** Id of the key. */
  key?: string;
  class?: FinishedRequest['routeClass'];
  /** Name of the called MCP tool. */
  tool?: string;
  format?: string;
  /** Host of the page, because the rest of the URL may contain secrets. */
  target?: string | undefined;
  cache?: FinishedRequest['cache'];
  errorType?: ErrorType;
}

declare global {
  // Express's way to declare the type of `response.locals`.
  namespace Express {
    interface Locals {
      /** Set by `createRequestContext`, the first handler of the app. */
      context: RequestContext;
    }
  }
}

/** The client disconnected, so the answer can't be delivered. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError';
}

const WELL_FORMED_ID = /^[\w.:-]{1,128}$/;
const NO_QUERY: Link = { query: new Map() };

/** Gives each request an id, a logger, a signal and a summary line, and each answer the common headers. */
export function createRequestContext(
  log: Logger,
  onFinished: (request: Omit<FinishedRequest, 'route'>, path: string) => void = () => undefined,
  tracer?: Tracer,
): RequestHandler {
  const linkOf = createKnownLinks();
  const logRequest = createRequestLog(log);

  return (request, response, next) => {
    const startedAt = performance.now();
    const id = requestId(request.get('X-Request-Id'));
    const client = createClient();
    const span = tracer && !isProbe(request) ? startSpan(tracer, request) : undefined;
    response.once('close', () => {
      if (!response.writableFinished) client.leave();
      span?.end(endOfSpan(request, response));
      onFinished(finishedRequest(response, performance.now() - startedAt), pathOf(request));
    });
    response.set({ 'X-Request-Id': id, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' });

    let link = NO_QUERY; // the answer to an invalid query needs an id as well
    let requestLog: Logger | undefined;
    // The getters compute their values at first use, because cached answers need none of them.
    response.locals.context = {
      id,
      get client() {
        return clientName(request, response);
      },
      get log() {
        return (requestLog ??= log.child({ reqId: id }));
      },
      get signal() {
        return client.signal();
      },
      get link() {
        return link;
      },
      bodyBytes: 0,
      ...(span && { span }),
      summary: {},
    };
    logRequest(request, response);
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      throw validationError('The request has no Host header');
    }
    if ((request.headersDistinct['host']?.length ?? 0) > 1)
      throw validationError('The request has several Host headers');
    link = linkOf(request.originalUrl);
    next();
  };
}

/** Returns the context that `createRequestContext` has set. */
export function contextOf(response: Response): RequestContext {
  return response.locals.context;
}

interface Client {
  readonly signal: () => AbortSignal;
  readonly leave: () => void;
}

function createClient(): Client {
  let disconnected: AbortController | undefined;
  let hasLeft = false;
  const leave = (): void => {
    hasLeft = true;
    disconnected?.abort(new ClientDisconnectedError('the client disconnected'));
  };
  return {
    leave,
    signal: () => {
      if (disconnected === undefined) {
        disconnected = new AbortController();
        if (hasLeft) leave();
      }
      return disconnected.signal;
    },
  };
}

function requestId(given: string | undefined): string {
  return given !== undefined && WELL_FORMED_ID.test(given) ? given : randomUUID();
}

function finishedRequest(response: Response, durationMs: number): Omit<FinishedRequest, 'route'> {
  const { summary } = contextOf(response);
  return {
    status: statusOf(response),
    errorType: summary.errorType,
    routeClass: summary.class,
    cache: summary.cache,
    seconds: durationMs / 1_000,
  };
}

/** Starts the span of a request, which goes on with the trace of its client. */
function startSpan(tracer: Tracer, request: Request): Span {
  const { traceparent, tracestate } = request.headers;
  const parent = typeof traceparent === 'string' ? traceparent : undefined;
  const state = typeof tracestate === 'string' ? tracestate : undefined;
  return tracer.start(request.method, { kind: 'server', parent, state });
}

/** What a trace shows of a request: no query, no header, no part of the body but the host of the page. */
function endOfSpan(request: Request, response: Response): Parameters<Span['end']>[0] {
  const { id, summary } = contextOf(response);
  const path: unknown = request.route?.path;
  const route = typeof path === 'string' ? path : undefined;
  return {
    ...(route !== undefined && { name: `${request.method} ${route}` }),
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'http.response.status_code': statusOf(response),
      'capture.request_id': id,
      'capture.format': summary.format,
      'capture.target': summary.target,
      'capture.cache': summary.cache,
      'capture.key': summary.key,
      'capture.tool': summary.tool,
    },
    error: summary.errorType,
  };
}

/** Sets the key of a request, for the log, the metrics and the headers of its quota. */
export function setKey(response: Response, key: Key): void {
  const context = contextOf(response);
  context.key = key;
  context.summary.key = key.id;
}
