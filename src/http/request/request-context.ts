import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import { validationError } from '../../errors.ts';
import type { ErrorType } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { FinishedRequest } from '../../metrics/request-metrics.ts';
import { clientName } from './client-name.ts';
import { createKnownLinks, type Link } from './link.ts';
import { createRequestLog, pathOf, statusOf } from './request-log.ts';

/** What is known of a request from its first line on. */
export interface RequestContext {
  readonly id: string;
  readonly log: Logger;
  /** Whose turn it is, for what clients have a share of. Known once the request is let in. */
  readonly client: string;
  /** Fires when the client goes away before its answer is complete. */
  readonly signal: AbortSignal;
  readonly link: Link;
  /** Fields of the request's summary line, filled on the way. */
  readonly summary: RequestSummary;
}

interface RequestSummary {
  class?: FinishedRequest['routeClass'];
  /** What an agent has called. */
  tool?: string;
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
const NO_QUERY: Link = { query: new Map(), isVerified: false };

/**
 * Gives every request an id, a logger, a signal and one summary line, and every answer the headers that all answers
 * have.
 */
export function createRequestContext(
  log: Logger,
  onFinished: (request: Omit<FinishedRequest, 'route'>, path: string) => void = () => undefined,
): RequestHandler {
  const linkOf = createKnownLinks();
  const logRequest = createRequestLog(log);

  return (request, response, next) => {
    const startedAt = performance.now();
    const id = requestId(request.get('X-Request-Id'));
    const client = createClient();
    response.once('close', () => {
      if (!response.writableFinished) client.leave();
      onFinished(finishedRequest(response, performance.now() - startedAt), pathOf(request));
    });
    response.set({ 'X-Request-Id': id, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' });

    let link = NO_QUERY; // the answer to a query that can't be parsed needs an id too
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
      get link() {
        return link;
      },
      summary: {},
    };
    logRequest(request, response);
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      throw validationError('The request has no Host header');
    }
    link = linkOf(request.originalUrl);
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
