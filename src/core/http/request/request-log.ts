import type { Request, Response } from 'express';
import { pinoHttp } from 'pino-http';
import type { Logger } from '../../ground/log.ts';

const MESSAGE = 'request';
const CLIENT_CLOSED_STATUS = 499; // for the log only, because the client has disconnected

/**
 * Creates the middleware that logs one summary line per request. The line contains neither the query nor headers,
 * because they carry tokens and signatures. Call it when the request has its context.
 */
export function createRequestLog(log: Logger): (request: Request, response: Response) => void {
  return pinoHttp<Request, Response>({
    // Disables redaction, because the line contains only fields that we name ourselves. It took 5 % of the time of an
    // answer from the cache (2026-11-21).
    logger: log.child({}, { redact: [] }),
    genReqId: (_request, response) => response.locals.context.id,
    // The library makes a child logger for each request. Serializing the request for it would cost more than all the
    // rest.
    wrapSerializers: false,
    serializers: { req: () => undefined },
    customLogLevel: levelOf,
    customSuccessMessage: () => MESSAGE,
    customErrorMessage: () => MESSAGE,
    customSuccessObject: (request, response, { responseTime }: Timed) => summaryOf(request, response, responseTime),
    customErrorObject: (request, response, _error, { responseTime }: Timed) =>
      summaryOf(request, response, responseTime),
  });
}

interface Timed {
  readonly responseTime: number;
}

/** Returns the status for the log: 499 if the client disconnected before the answer was sent. */
export function statusOf(response: Response): number {
  return response.writableFinished ? response.statusCode : CLIENT_CLOSED_STATUS;
}

/**
 * Returns the path of a request for the log. Leaves out query and fragment, and the scheme and host that a target may
 * begin with (RFC 9112 section 3.2.2), because they may contain a password. Bytes from 0x7f on are encoded, because
 * terminals interpret them as commands. Does not use `request.path`, which lacks the beginning inside a mounted router.
 */
export function pathOf(request: Request): string {
  const [path = ''] = request.originalUrl.split(/[?#]/, 1);
  const withoutHost = path.startsWith('/') ? path : path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
  return withoutHost.replaceAll(/[^\x21-\x7e]/g, encodeURIComponent);
}

function summaryOf(request: Request, response: Response, durationMs: number): object {
  const { id, span, summary } = response.locals.context;
  return {
    reqId: id,
    method: request.method,
    path: pathOf(request),
    status: statusOf(response),
    durationMs,
    ...(span && { trace_id: span.traceId }),
    ip: request.ip?.replaceAll(/[^\x21-\x7e]/g, '?'), // with a trusted proxy, the value comes from a header
    ...summary,
  };
}

/** Health checks come every few seconds and carry little information. */
export function isProbe(request: Request): boolean {
  return /^\/(?:health|metrics)/.test(pathOf(request));
}

function levelOf(request: Request, response: Response): 'debug' | 'info' | 'warn' {
  if (isProbe(request)) return 'debug';
  return response.statusCode >= 500 ? 'warn' : 'info';
}
