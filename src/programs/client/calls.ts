import { ClientTimeoutError, ConnectionError } from './capture-error.ts';
import type { Encoded } from './capture-request.ts';
import { readError } from './read-error.ts';
import { withRetries } from './retry-request.ts';

const DEFAULT_TIMEOUT_MS = 120_000; // the service gives up after 90 s
const DEFAULT_RETRIES = 3;
const DEFAULT_MAX_RETRY_DELAY_MS = 30_000;

/** Address and credentials of a service, and time limits for calls. */
export interface ClientOptions {
  /**
   * Address of the service, such as `http://127.0.0.1:8080`, or a pass: a signed link without fields, which needs no
   * token.
   */
  readonly service: string | URL;
  /** `AUTH_TOKEN` of the service or the token of a key, if it needs one. */
  readonly token?: string | undefined;
  /** Headers of each request, for example those of a proxy that checks identities. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Time limit of a call in milliseconds, including retries and pauses. Default: 120,000. */
  readonly timeoutMs?: number | undefined;
  /** Number of retries if the service is busy (429, 503) or unreachable. Default: 3. */
  readonly retries?: number | undefined;
  /** Longest delay before a retry, in milliseconds. Default: 30,000. */
  readonly maxRetryDelayMs?: number | undefined;
  /** Replaces the global `fetch`, for example to use your own certificates. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Options of a single call. */
export interface CallOptions {
  /** Cancels the call. Its reason is thrown unchanged. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces `timeoutMs` of `ClientOptions` for this call. */
  readonly timeoutMs?: number | undefined;
  /** Id for the log of the service: at most 128 of `A-Z a-z 0-9 _ . : -`. */
  readonly requestId?: string | undefined;
}

/** A request, without the parts that all requests share. */
export interface ClientRequest {
  readonly address: URL;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly encoded?: Encoded;
  /** True if the request must not be repeated after a lost connection or a 503, because it may have had its effect. */
  readonly isOnce?: boolean;
}

/** Sends a request with its time limit and retries, and reads its answer. */
export type Call = <Result>(
  request: ClientRequest,
  options: CallOptions,
  read: (response: Response) => Promise<Result>,
) => Promise<Result>;

/**
 * Creates the calls of a client. They throw a CaptureError, the reason of the signal, or a TypeError for an invalid
 * header.
 */
export function createCalls(client: ClientOptions): Call {
  const send = client.fetch ?? globalThis.fetch;
  return async (request, options, read) => {
    const { method, encoded, isOnce = false } = request;
    const headers = headersOf(request, options, client);
    const timeoutMs = options.timeoutMs ?? client.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
    const attempt = async () => {
      try {
        const body = encoded === undefined ? {} : { body: encoded.body };
        // A followed redirect of a POST becomes a GET of another address.
        const response = await send(request.address, { method, headers, signal, redirect: 'manual', ...body });
        if (!response.ok) throw await readError(response);
        return await read(response);
      } catch (error) {
        // `fetch` and bodies reject with a TypeError if there is no connection, or it broke.
        throw error instanceof TypeError ? new ConnectionError(request.address.origin, error) : error;
      }
    };
    try {
      return await withRetries(attempt, {
        retries: client.retries ?? DEFAULT_RETRIES,
        maxDelayMs: client.maxRetryDelayMs ?? DEFAULT_MAX_RETRY_DELAY_MS,
        isRepeatable: !isOnce,
        signal,
      });
    } catch (error) {
      options.signal?.throwIfAborted();
      throw timeout.aborted ? new ClientTimeoutError(timeoutMs, error) : error;
    }
  };
}

/** @throws TypeError for a name or value that no header can have */
function headersOf({ headers, encoded }: ClientRequest, { requestId }: CallOptions, client: ClientOptions): Headers {
  return new Headers({
    ...client.headers,
    ...(encoded?.contentType !== undefined && { 'content-type': encoded.contentType }),
    ...headers,
    ...(client.token !== undefined && { authorization: `Bearer ${client.token}` }),
    ...(requestId !== undefined && { 'x-request-id': requestId }),
  });
}
