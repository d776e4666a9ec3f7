import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { pinoHttp } from 'pino-http';
import { validationError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { parseQuery, type Query } from './query.ts';

/** What is known of a request from its first line on. */
export interface RequestContext {
  readonly id: string;
  readonly log: Logger;
  /** Fires when the client goes away before its answer is complete. */
  readonly signal: AbortSignal;
  readonly query: Query;
  /** Fields of the request's summary line, filled on the way. */
  readonly summary: Record<string, unknown>;
}

declare global {
  // Express has its users declare what they keep in `response.locals` in this way.
  namespace Express {
    interface Locals {
      /** Written by `createRequestContext`, the first handler of the app. */
      context: RequestContext;
    }
  }
}

/** The client went away: nobody reads the answer any more. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

const WELL_FORMED_ID = /^[\w.:-]{1,128}$/;
const CLIENT_GONE_STATUS = 499; // for the log only: nobody is there to get it

/**
 * Gives every request an id, a logger, a signal and one summary line, and every answer the headers that all answers
 * have. The line holds neither the query nor any header: they carry tokens and signatures.
 */
export function createRequestContext(log: Logger): RequestHandler {
  const logRequest = pinoHttp<Request, Response>({
    logger: log,
    wrapSerializers: false,
    quietReqLogger: true,
    genReqId: ({ id }) => id,
    serializers: { req: () => undefined },
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request',
    customLogLevel: (request, response) => levelOf(request, response),
    customSuccessObject: (request, response, { responseTime }: Timed) =>
      summaryOf(request, response, responseTime),
    customErrorObject: (request, response, _error, { responseTime }: Timed) =>
      summaryOf(request, response, responseTime),
  });

  return (request, response, next) => {
    const id = requestId(request.get('X-Request-Id'));
    request.id = id;
    logRequest(request, response);
    response.set({ 'X-Request-Id': id, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' });

    const gone = new AbortController();
    const summary: Record<string, unknown> = {};
    response.once('close', () => {
      if (!response.writableFinished) gone.abort(new ClientGoneError('the client went away'));
    });

    const keep = (query: Query): void => {
      const context = { id, log: request.log, signal: gone.signal, query, summary };
      response.locals.context = context;
    };
    keep(new Map()); // the answer to a query that can't be parsed needs an id too
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      throw validationError('The request has no Host header');
    }
    keep(parseQuery(request.originalUrl));
    next();
  };
}

/** The context that `createRequestContext` has laid down. */
export function contextOf(response: Response): RequestContext {
  return response.locals.context;
}

function requestId(given: string | undefined): string {
  return given !== undefined && WELL_FORMED_ID.test(given) ? given : randomUUID();
}

interface Timed {
  readonly responseTime: number;
}

function summaryOf(request: Request, response: Response, durationMs: number): object {
  const status = response.writableFinished ? response.statusCode : CLIENT_GONE_STATUS;
  const { summary } = contextOf(response);
  return { method: request.method, path: pathOf(request), status, durationMs, ip: request.ip, ...summary };
}

/** Probes come every few seconds and say little. */
function levelOf(request: Request, response: Response): 'debug' | 'info' | 'warn' {
  if (pathOf(request).startsWith('/health')) return 'debug';
  return response.statusCode >= 500 ? 'warn' : 'info';
}

/** Without the query. Not `request.path`: inside a mounted router that lacks the beginning. */
function pathOf(request: Request): string {
  const [path = ''] = request.originalUrl.split('?', 1);
  return path;
}
