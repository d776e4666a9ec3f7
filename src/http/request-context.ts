import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { validationError } from '../errors.ts';
import type { ErrorType } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { FinishedRequest, RouteName } from '../metrics/metrics.ts';
import { clientName } from './client-name.ts';
import { createQueryParser, type Query } from './query.ts';

/** What is known of a request from its first line on. */
export interface RequestContext {
  readonly id: string;
  readonly log: Logger;
  /** Whose turn it is, for what clients have a share of. Known once the request is let in. */
  readonly client: string;
  /** Fires when the client goes away before its answer is complete. */
  readonly signal: AbortSignal;
  readonly query: Query;
  /** Fields of the request's summary line, filled on the way. */
  readonly summary: RequestSummary;
}

interface RequestSummary {
  class?: FinishedRequest['routeClass'];
  format?: string;
  /** The host of the page alone: the rest of its address may hold secrets. */
  target?: string | undefined;
  cache?: FinishedRequest['cache'];
  errorType?: ErrorType;
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
const NO_QUERY: Query = new Map();

/**
 * Gives every request an id, a logger, a signal and one summary line, and every answer the headers that all answers
 * have. The line holds neither the query nor any header: they carry tokens and signatures.
 */
export function createRequestContext(
  log: Logger,
  onFinished: (request: FinishedRequest) => void = () => undefined,
): RequestHandler {
  const parseQuery = createQueryParser();
  // Only fields that we name ourselves, so there is nothing to look for: 5 % of the time of an answer from the cache (2026-11-21).
  const summaries = log.child({}, { redact: [] });

  return (request, response, next) => {
    const startedAt = performance.now();
    const id = requestId(request.get('X-Request-Id'));
    const client = createClient();
    response.once('close', () => {
      if (!response.writableFinished) client.leave();
      const durationMs = performance.now() - startedAt;
      summaries[levelOf(request, response)](summaryOf(request, response, durationMs), 'request');
      onFinished(finishedRequest(request, response, durationMs));
    });
    response.set({ 'X-Request-Id': id, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' });

    let query = NO_QUERY; // the answer to a query that can't be parsed needs an id too
    let requestLog: Logger | undefined;
    // Made when they are asked for: answers from the cache need none of them.
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
      get query() {
        return query;
      },
      summary: {},
    };
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      throw validationError('The request has no Host header');
    }
    query = parseQuery(request.originalUrl);
    next();
  };
}

/** The context that `createRequestContext` has laid down. */
export function contextOf(response: Response): RequestContext {
  return response.locals.context;
}

interface Client {
  readonly signal: () => AbortSignal;
  readonly leave: () => void;
}

function createClient(): Client {
  let gone: AbortController | undefined;
  let hasLeft = false;
  const leave = (): void => {
    hasLeft = true;
    gone?.abort(new ClientGoneError('the client went away'));
  };
  return {
    leave,
    signal: () => {
      if (gone === undefined) {
        gone = new AbortController();
        if (hasLeft) leave();
      }
      return gone.signal;
    },
  };
}

function requestId(given: string | undefined): string {
  return given !== undefined && WELL_FORMED_ID.test(given) ? given : randomUUID();
}

function summaryOf(request: Request, response: Response, durationMs: number): object {
  const { id, summary } = contextOf(response);
  return {
    reqId: id,
    method: request.method,
    path: pathOf(request),
    status: statusOf(response),
    durationMs: Math.round(durationMs),
    ip: request.ip?.replaceAll(/[^\x21-\x7e]/g, '?'), // with a trusted proxy, what a header says
    ...summary,
  };
}

const ROUTE_NAMES: ReadonlyMap<string, RouteName> = new Map([
  ['/capture', 'capture'],
  ['/health', 'health'],
  ['/health/live', 'health_live'],
  ['/health/ready', 'health_ready'],
  ['/metrics', 'metrics'],
  ['/sign', 'sign'],
]);

function finishedRequest(request: Request, response: Response, durationMs: number): FinishedRequest {
  const { summary } = contextOf(response);
  return {
    route: ROUTE_NAMES.get(pathOf(request)) ?? 'other',
    status: statusOf(response),
    errorType: summary.errorType,
    routeClass: summary.class,
    cache: summary.cache,
    seconds: durationMs / 1_000,
  };
}

function statusOf(response: Response): number {
  return response.writableFinished ? response.statusCode : CLIENT_GONE_STATUS;
}

/** Probes come every few seconds and say little. */
function levelOf(request: Request, response: Response): 'debug' | 'info' | 'warn' {
  if (/^\/(health|metrics)/.test(pathOf(request))) return 'debug';
  return response.statusCode >= 500 ? 'warn' : 'info';
}

/**
 * Without query and fragment, and without the scheme and host that a target may begin with (RFC 9112 section 3.2.2), as there may be
 * a password among them. Encoded, as the bytes from 0x7f on are commands to a terminal. Not `request.path`: inside a mounted router
 * that lacks the beginning.
 */
function pathOf(request: Request): string {
  const [path = ''] = request.originalUrl.split(/[?#]/, 1);
  const withoutHost = path.startsWith('/') ? path : path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
  return withoutHost.replaceAll(/[^\x21-\x7e]/g, encodeURIComponent);
}
