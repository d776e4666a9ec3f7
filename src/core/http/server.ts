import { errorCode } from '../ground/errors.ts';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Express } from 'express';
import { lingerAfterAnswer } from './answers/linger.ts';
import { boundConnections } from './connections.ts';

const HEADERS_TIMEOUT_MS = 10_000; // time limit for headers, because slow senders hold a socket
const REQUEST_TIMEOUT_MS = 60_000; // time limit for receiving a request: a body of 10 MB on a slow line
// longer than the 60 s of common load balancers, which would otherwise use a closing socket
const KEEP_ALIVE_MS = 65_000;
const MAX_HEADER_BYTES = 65_536; // a URL of 8,192 characters can be percent-encoded to three times that
/** Connection limits. A proxy in front counts as one address and needs far fewer than half of the connections. */
const CONNECTIONS = { max: 4_096, maxOfOne: 2_048, maxUnanswered: 16, maxProbes: 256, unreadMs: 30_000 };
const PROBE = /^\/health(?:[/?]|$)/;
const FLUSH_MS = 2_000;
/**
 * A refused client must close its side within this time. Otherwise it would keep the connection and the memory of its
 * request for ever.
 */
const REFUSED_MS = 2_000;

export interface HttpServer {
  /** Listens. Returns the address, with the chosen port if it was 0. */
  readonly listen: (host: string, port: number) => Promise<AddressInfo>;
  /** Makes each answer close its connection from now on, so that clients connect elsewhere. */
  readonly leave: () => void;
  /** Stops listening, lets current answers finish for two seconds, then closes all connections. */
  readonly close: () => Promise<void>;
}

/** Creates the HTTP server of an app, with limits for connections, time and size. */
export function createHttpServer(app: Express, limits = CONNECTIONS): HttpServer {
  const answers = new Set<ServerResponse>();
  let isLeaving = false;
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const end = connections.begin(request.socket);
    if (end === undefined) return; // the connection was closed
    answers.add(response);
    response.once('close', () => {
      answers.delete(response);
      end();
    });
    const isProbeOnly = connections.isProbeOnly(request.socket);
    if (isLeaving || isProbeOnly) response.shouldKeepAlive = false;
    if (isProbeOnly && !PROBE.test(request.url ?? '')) void answerOverloaded(request, response);
    else app(request, response);
  };
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false, // Node's own answer would have no body, so `request-context.ts` refuses such requests
    },
    onRequest,
  );
  const connections = boundConnections(server, limits);
  server.maxHeadersCount = 100;
  server.on('clientError', refuse);
  // Node would request the body at once; `read-body.ts` requests it after the checks.
  server.on('checkContinue', onRequest);

  return {
    listen: (host, port) => listen(server, host, port),
    leave: () => {
      isLeaving = true;
      for (const response of answers) response.shouldKeepAlive = false;
    },
    close: () => close(server),
  };
}

function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => reject(explained(error, host, port));
    server.once('error', onError);
    server.listen(port, host, () => {
      server.off('error', onError);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the server has no TCP address'));
      else resolve(address);
    });
  });
}

/** Says what to do about the usual mistakes. */
function explained(error: Error, host: string, port: number): Error {
  const code = errorCode(error);
  if (code === 'EADDRINUSE')
    return new Error(
      `Port ${port} of ${host} is in use (${code}): stop the program that uses it, or set another PORT or METRICS_PORT`,
      { cause: error },
    );
  if (code === 'EACCES')
    return new Error(`Port ${port} needs rights that this user lacks (${code}): set another PORT, such as 8080`, {
      cause: error,
    });
  return error;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), FLUSH_MS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers input that is not a valid HTTP request, in the format of all errors. */
function refuse(error: Error & { readonly code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = REFUSALS[error.code ?? ''] ?? '400 Bad Request';
  const id = randomUUID();
  const body = errorBody(id, { message: status.slice(4), error_type: 'ValidationError' });
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\nX-Request-Id: ${id}\r\n`;
  socket.end(
    `${head}Cache-Control: no-store\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  const timer = setTimeout(() => socket.destroy(), REFUSED_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** Answers a request above the connection limit, which the app does not see. */
async function answerOverloaded(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await lingerAfterAnswer(request, response);
  const id = randomUUID();
  response.writeHead(503, {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': id,
    'Cache-Control': 'no-store',
    'Retry-After': '1',
  });
  const message = 'Too many connections are open';
  response.end(errorBody(id, { message, error_type: 'OverloadedError', retry_after: 1 }));
}

function errorBody(id: string, error: Readonly<Record<string, string | number>>): string {
  return JSON.stringify({ status: 'error', ...error, timestamp: new Date().toISOString(), request_id: id });
}
