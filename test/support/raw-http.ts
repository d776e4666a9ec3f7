import { request, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

/** An answer to a raw request. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface RawRequest {
  readonly method?: string;
  /** Path and query, sent unchanged. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** If true, the body is sent in chunks without a length. */
  readonly chunked?: boolean;
}

/**
 * Sends requests that `fetch` would refuse or repair. Rejects if the server closes the connection before it has
 * received everything, even with an answer: most clients would not read it.
 */
export function send(
  base: string,
  { method = 'POST', path = '/capture', headers, body, chunked = false }: RawRequest,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined || chunked ? {} : { 'content-length': Buffer.byteLength(body) };
    const { hostname, port } = new URL(base);
    const outgoing = request(
      { hostname, port, method, path, agent: false, headers: { ...length, ...headers } },
      (response) => {
        text(response).then((answer) => {
          const resolveAnswer = (): void => {
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answer });
          };
          if (outgoing.closed) resolveAnswer();
          else outgoing.once('close', resolveAnswer); // after an error, the promise is already rejected
        }, reject);
      },
    );
    outgoing.on('error', reject);
    if (chunked && body !== undefined) outgoing.write(body);
    outgoing.end(chunked ? undefined : body);
  });
}

/** Sends text as the JSON body of a POST to /capture. */
export function sendJson(base: string, body: string | Buffer): Promise<RawAnswer> {
  return send(base, { headers: { 'content-type': 'application/json' }, body });
}
