import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';

/** A mock of the service and of proxies in front of it, for cases that cannot be caused for real. */
export interface FalseService extends AsyncDisposable {
  readonly url: (path: keyof typeof ANSWERS) => string;
  /** Number of capture requests below a path. */
  readonly countOf: (path: keyof typeof ANSWERS) => number;
}

const ANSWERS = {
  /** An internal error of the service. */
  internal: (response) => sendError(response, 500, 'InternalServerError'),
  /** A service that is newer than the client. */
  newer: (response) => sendError(response, 418, 'LaterError'),
  busy: (response) => sendError(response, 503, 'OverloadedError', 0),
  'busy-for-long': (response) => sendError(response, 503, 'OverloadedError', 3_600),
  /** A proxy whose service is down. */
  page: (response) => {
    response.writeHead(502, {
      'content-type': 'text/html',
      'retry-after': '3',
      'x-request-id': 'of-the-proxy',
    });
    response.end('<h1>Bad gateway');
  },
  /** A connection that is cut in the middle of the answer. */
  cut: (response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': '1000' });
    response.write('half', () => response.destroy());
  },
  never: () => undefined,
} as const satisfies Record<string, (response: ServerResponse) => void>;

export async function startFalseService(): Promise<FalseService> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const [, path = ''] = (request.url ?? '').split('/');
    paths.push(path);
    request.resume();
    if (isKnown(path)) ANSWERS[path](response);
    else response.writeHead(404).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    url: (path) => `http://127.0.0.1:${port}/${path}`,
    countOf: (path) => paths.filter((each) => each === path).length,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isKnown(path: string): path is keyof typeof ANSWERS {
  return Object.hasOwn(ANSWERS, path);
}

function sendError(response: ServerResponse, status: number, errorType: string, retryAfter?: number): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(
    JSON.stringify({
      status: 'error',
      message: `The message of ${errorType}`,
      error_type: errorType,
      ...(retryAfter !== undefined && { retry_after: retryAfter }),
      timestamp: '2026-11-21T09:30:00.000Z',
      request_id: 'of-the-false-service',
    }),
  );
}
