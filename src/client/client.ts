import { ClientTimeoutError, ConnectionError } from './capture-error.ts';
import type { CaptureData } from './capture-data.ts';
import { type CaptureFacts, readFacts } from './capture-facts.ts';
import { type CaptureRequest, type Encoded, encodeRequest } from './files.ts';
import { readError } from './read-error.ts';
import { type CaptureJob, type JobOptions, randomKey, readJob } from './jobs.ts';
import { withRetries } from './retry.ts';
import { captureAddress, jobsAddress } from './service-address.ts';
import { untilEnded } from './until-ended.ts';

const DEFAULT_TIMEOUT_MS = 120_000; // the service gives up after 90 s
const DEFAULT_RETRIES = 3;
const DEFAULT_MAX_RETRY_DELAY_MS = 30_000;

/** Address and credentials of a service, and time limits for calls. */
export interface ClientOptions {
  /** Address of the service, such as `http://127.0.0.1:8080`, or a pass: a signed link without fields, which needs no token. */
  readonly service: string | URL;
  /** `AUTH_TOKEN` of the service, if it has one. */
  readonly token?: string | undefined;
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

/** A complete capture. */
export interface CaptureResult extends CaptureFacts {
  readonly bytes: Uint8Array;
}

/** A capture with `response_type: 'json'`. `bytes` contains the JSON text. */
export interface DataResult extends CaptureResult {
  readonly data: CaptureData;
}

/** A capture as a stream. */
export interface CaptureStream extends CaptureFacts {
  /** Read it to its end, or cancel it. Fails if the connection breaks, the time limit passes or the signal fires. */
  readonly stream: ReadableStream<Uint8Array>;
}

interface Capture {
  (fields: CaptureRequest & { readonly response_type: 'json' }, call?: CallOptions): Promise<DataResult>;
  (fields: CaptureRequest, call?: CallOptions): Promise<CaptureResult>;
}

/** A client of a capture service. Needs no closing. */
export interface CaptureClient {
  /**
   * Returns a capture with its whole body in memory. If `response_type` is `json`, the capture has `data`.
   * @throws CaptureError of the class for its `error_type`
   */
  readonly capture: Capture;
  /**
   * Returns a capture as a stream.
   * @throws CaptureError of the class for its `error_type`
   */
  readonly captureStream: (fields: CaptureRequest, call?: CallOptions) => Promise<CaptureStream>;
  /**
   * Submits a capture as a job. Once this resolves, the job survives a restart of the service.
   * @throws CaptureError of the class for its `error_type`
   */
  readonly submit: (fields: CaptureRequest, job?: JobOptions & CallOptions) => Promise<CaptureJob>;
  /**
   * Waits for a job and returns its result. Has no time limit unless `timeoutMs` is set. Survives an outage of two minutes.
   * @throws CaptureError of the failed job; JobNotFinishedError if it was cancelled
   */
  readonly wait: (id: string, call?: CallOptions) => Promise<CaptureResult>;
  /**
   * Returns a job.
   * @throws CaptureError of the class for its `error_type`
   */
  readonly job: (id: string, call?: CallOptions) => Promise<CaptureJob>;
  /**
   * Cancels a job that has not finished, and returns its state.
   * @throws CaptureError of the class for its `error_type`
   */
  readonly cancel: (id: string, call?: CallOptions) => Promise<CaptureJob>;
}

/** A request, without the parts that all requests share. */
interface ClientRequest {
  readonly address: URL;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** Encodes the body for one attempt. */
  readonly encode?: () => Encoded;
}

/** Creates a client for the service at an address. Works wherever `fetch` exists: Node, Bun, Deno and browsers. */
export function createCaptureClient(options: ClientOptions): CaptureClient {
  const address = captureAddress(options.service);
  const send = options.fetch ?? globalThis.fetch;

  const request = async (sent: ClientRequest, call: CallOptions, signal: AbortSignal): Promise<Response> => {
    const encoded = sent.encode?.();
    const response = await send(sent.address, {
      method: sent.method,
      headers: headersOf(sent, call, { token: options.token, contentType: encoded?.contentType }),
      ...(encoded !== undefined && { body: encoded.body }),
      signal,
    });
    if (!response.ok) throw await readError(response);
    return response;
  };

  /** Runs a call with its time limit and retries, and converts its errors. */
  const run = async <Result>(
    sent: ClientRequest,
    call: CallOptions,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> => {
    const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal]);
    const attempt = async (): Promise<Result> => {
      try {
        return await read(await request(sent, call, signal));
      } catch (error) {
        // `fetch` and bodies reject with a TypeError if there is no connection, or it broke.
        throw error instanceof TypeError ? new ConnectionError(address.origin, error) : error;
      }
    };
    try {
      return await withRetries(attempt, {
        retries: options.retries ?? DEFAULT_RETRIES,
        maxDelayMs: options.maxRetryDelayMs ?? DEFAULT_MAX_RETRY_DELAY_MS,
        signal,
      });
    } catch (error) {
      call.signal?.throwIfAborted();
      throw timeout.aborted ? new ClientTimeoutError(timeoutMs, error) : error;
    }
  };

  function capture(
    fields: CaptureRequest & { readonly response_type: 'json' },
    call?: CallOptions,
  ): Promise<DataResult>;
  function capture(fields: CaptureRequest, call?: CallOptions): Promise<CaptureResult>;
  function capture(fields: CaptureRequest, call: CallOptions = {}): Promise<CaptureResult | DataResult> {
    return run(captureOf(address, fields), call, async (response) => {
      const bytes = new Uint8Array(await response.arrayBuffer());
      const result = { ...readFacts(response.headers), bytes };
      if (fields.response_type !== 'json') return result;
      const data: CaptureData = JSON.parse(new TextDecoder().decode(bytes));
      return { ...result, data };
    });
  }

  const get = (below: string): ClientRequest => ({ address: jobsAddress(address, below), method: 'GET' });

  return {
    capture,
    submit: (fields, { webhookUrl, storePath, idempotencyKey = randomKey(), ...call } = {}) => {
      const job = { webhook_url: webhookUrl, store_path: storePath };
      const headers = { 'idempotency-key': idempotencyKey };
      return run({ ...submissionOf(address, fields, job), headers }, call, readJob);
    },
    job: (id, call = {}) => run(get(`/${id}`), call, readJob),
    cancel: (id, call = {}) => run({ ...get(`/${id}`), method: 'DELETE' }, call, readJob),
    wait: async (id, { timeoutMs, signal: given, requestId } = {}) => {
      const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([given, timeout].filter((each) => each !== undefined));
      try {
        await untilEnded(() => run(get(`/${id}`), { signal, requestId }, readJob), signal);
        return await run(get(`/${id}/result`), { signal, requestId }, readResult);
      } catch (error) {
        given?.throwIfAborted();
        throw timeout?.aborted === true ? new ClientTimeoutError(timeoutMs ?? 0, error) : error;
      }
    },
    captureStream: (fields, call = {}) =>
      run(captureOf(address, fields), call, async (response) => ({
        ...readFacts(response.headers),
        stream: response.body ?? new ReadableStream({ start: (controller) => controller.close() }),
      })),
  };
}

function captureOf(address: URL, fields: CaptureRequest): ClientRequest {
  return { address, method: 'POST', encode: () => encodeRequest(fields, (body) => body) };
}

function submissionOf(address: URL, fields: CaptureRequest, job: object): ClientRequest {
  const encode = (): Encoded => encodeRequest(fields, (capture) => ({ capture, ...job }));
  return { address: jobsAddress(address), method: 'POST', encode };
}

function headersOf(
  { headers }: ClientRequest,
  { requestId }: CallOptions,
  { token, contentType }: { readonly token: string | undefined; readonly contentType: string | undefined },
): Record<string, string> {
  return {
    ...(contentType !== undefined && { 'content-type': contentType }),
    ...headers,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(requestId !== undefined && { 'x-request-id': requestId }),
  };
}

async function readResult(response: Response): Promise<CaptureResult> {
  return { ...readFacts(response.headers), bytes: new Uint8Array(await response.arrayBuffer()) };
}
