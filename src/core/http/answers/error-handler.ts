import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import { type ErrorType, ServiceError, validationError } from '../../ground/errors.ts';
import { detailsFor } from '../../access/operator-hint.ts';
import { ClientDisconnectedError, contextOf, type RequestContext } from '../request/request-context.ts';
import { lingerAfterAnswer } from './linger.ts';

/** The body of an error answer. */
export interface ErrorBody {
  readonly status: 'error';
  readonly message: string;
  readonly error_type: ErrorType;
  readonly error_details?: string;
  /** Retry delay in whole seconds. */
  readonly retry_after?: number;
  readonly timestamp: string;
  readonly request_id: string;
  /** The trace of the request, if it is traced. */
  readonly trace_id?: string;
}

/** An error in another form than that of the API. */
interface FormedError {
  /** Default: the status of the error. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text as text. */
  readonly body: object | string;
}

/** The request, for headers that the client expects to get back. */
export type ErrorForm = (body: ErrorBody, status: number, request: Request) => FormedError;

declare global {
  namespace Express {
    interface Locals {
      /** Error format of a route that differs from the format of the API. */
      errorForm?: ErrorForm;
    }
  }
}

/**
 * Handles unknown paths.
 * @param settingOf returns the setting that would switch a path on, such as `MCP=true`
 */
export function notFound(settingOf: (path: string) => string | undefined = () => undefined): RequestHandler {
  return ({ path }) => {
    const setting = settingOf(path);
    const details = setting === undefined ? {} : { details: `the setting ${setting} switches this path on` };
    throw new ServiceError('NotFoundError', undefined, details);
  };
}

/** Refuses a client that would drive the browser, which otherwise gets a page and an error without words. */
export const refuseWebSockets: RequestHandler = (request, _response, next) => {
  const { upgrade = '', connection = '' } = request.headers;
  if (!/\bwebsocket\b/i.test(upgrade) || !/\bupgrade\b/i.test(connection)) {
    next();
    return;
  }
  const headers = { Connection: 'close' }; // Node reads no further request from this connection
  const details = 'scripts of Puppeteer and Playwright do not run here; POST /capture takes actions and custom_js';
  throw new ServiceError('NotFoundError', 'The service takes no WebSocket connections', {
    details,
    headers,
    status: 501,
  });
};

/** Refuses methods that a path does not support. */
export function onlyMethods(methods: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    if (methods.includes(request.method)) next();
    else throw new ServiceError('MethodNotAllowedError', undefined, { headers: { Allow: methods.join(', ') } });
  };
}

/**
 * Headers that an error has as well. A handler may fail after it has set those of its result: a shared cache would
 * store the error as the picture, and confirm it by its tag.
 */
const OF_EVERY_ANSWER = /^(?:x-request-id|x-content-type-options|vary|access-control-.+|x-(?:ratelimit|quota)-.+)$/;

/** Converts any error to an answer, and logs what an operator must see. */
export const errorHandler: ErrorRequestHandler = async (thrown: unknown, request, response, _next) => {
  const context = contextOf(response);
  if (thrown instanceof ClientDisconnectedError || response.headersSent) {
    response.destroy();
    return;
  }
  const error = noteError(thrown, context);

  for (const name of response.getHeaderNames()) if (!OF_EVERY_ANSWER.test(name)) response.removeHeader(name);
  await lingerAfterAnswer(request, response);
  response.status(error.status).set({ 'Cache-Control': 'no-store', ...error.headers });
  if (error.retryAfterSeconds !== undefined) response.set('Retry-After', `${error.retryAfterSeconds}`);
  const details = context.credential === 'link' ? error.details : detailsFor(error, context.key);
  const body: ErrorBody = {
    status: 'error',
    message: error.message,
    error_type: error.type,
    ...(details !== undefined && { error_details: details }),
    ...(error.retryAfterSeconds !== undefined && { retry_after: error.retryAfterSeconds }),
    timestamp: new Date().toISOString(),
    request_id: context.id,
    ...(context.span && { trace_id: context.span.traceId }),
  };
  const formed = response.locals.errorForm?.(body, error.status, request) ?? { body };
  response.status(formed.status ?? error.status).set(formed.headers ?? {});
  if (typeof formed.body === 'string') response.type('text').send(formed.body);
  else response.json(formed.body);
};

/** Errors that describe the page, which is for the client alone. */
const DESCRIBES_PAGE: ReadonlySet<string> = new Set(['ActionFailedError', 'PageRejectedError']);

/**
 * Records an error in the summary and the log of its request. The caller sends the answer. Any error that is not a
 * ServiceError is a bug.
 */
export function noteError(thrown: unknown, { log, summary }: RequestContext): ServiceError {
  const error = toServiceError(thrown);
  summary.errorType = error.type;
  if (error.type === 'InternalServerError') log.error({ err: thrown }, 'unexpected failure');
  else log.debug(DESCRIBES_PAGE.has(error.type) ? {} : { err: error }, 'request refused or failed');
  return error;
}

function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  // Express throws this for a path that it can't decode. As a bug, it would let anyone fill the log.
  if (thrown instanceof URIError && 'status' in thrown) {
    return validationError('The path has percent-encoding that is not valid UTF-8', thrown);
  }
  return new ServiceError('InternalServerError', undefined, { cause: thrown });
}
