import { ClientTimeoutError, ConnectionError } from './capture-error.ts';
import type { CaptureData } from './capture-data.ts';
import { type CaptureFacts, readFacts } from './capture-facts.ts';
import type { CaptureFields } from './capture-fields.ts';
import { readError } from './read-error.ts';
import { type CaptureJob, type JobOptions, randomKey, readJob } from './jobs.ts';
import { withRetries } from './retry.ts';
import { captureAddress, jobsAddress } from './service-address.ts';
import { untilEnded } from './until-ended.ts';

const DEFAULT_TIMEOUT_MS = 120_000; // the service gives up after 90 s
const DEFAULT_RETRIES = 3;
const DEFAULT_MAX_RETRY_DELAY_MS = 30_000;

/** How to reach a service. */
export interface ClientOptions {
  /** Address of the service, such as `http://127.0.0.1:8080`; or a link signed without fields, which needs no token. */
  readonly service: string | URL;
  /** The service's `AUTH_TOKEN`, when it has one. */
  readonly token?: string | undefined;
  /** The longest that a call may take, tries and pauses included, in milliseconds; 120,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** How often to try again when the service is busy (429, 503) or can't be reached; 3 by default. */
  readonly retries?: number | undefined;
  /** The longest pause before another try, in milliseconds; 30,000 by default. */
  readonly maxRetryDelayMs?: number | undefined;
  /** Used instead of the global `fetch`, for example one that knows your certificates. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** What one call may have of its own. */
export interface CallOptions {
  /** Ends the call; its reason is thrown as it is. */
  readonly signal?: AbortSignal | undefined;
  /** As in `ClientOptions`, for this call. */
  readonly timeoutMs?: number | undefined;
  /** The id under which the service logs it: at most 128 of `A-Z a-z 0-9 _ . : -`. */
  readonly requestId?: string | undefined;
}

/** A capture, read to its end. */
export interface CaptureResult extends CaptureFacts {
  readonly bytes: Uint8Array;
}

/** A capture with `response_type: 'json'`: `bytes` are the JSON as it came. */
export interface DataResult extends CaptureResult {
  readonly data: CaptureData;
}

/** A capture that is still coming in. */
export interface CaptureStream extends CaptureFacts {
  /** Read it to its end or cancel it. Errors when the connection breaks, the time is over or the signal fires. */
  readonly stream: ReadableStream<Uint8Array>;
}

interface Capture {
  (fields: CaptureFields & { readonly response_type: 'json' }, call?: CallOptions): Promise<DataResult>;
  (fields: CaptureFields, call?: CallOptions): Promise<CaptureResult>;
}

/** A capture service. Needs no closing. */
export interface CaptureClient {
  /**
   * Captures, and gives the whole result; with `response_type: 'json'` its `data` too.
   * @throws CaptureError, of the class that `error_type` names
   */
  readonly capture: Capture;
  /**
   * Captures, and gives the result as a stream.
   * @throws CaptureError, of the class that `error_type` names
   */
  readonly captureStream: (fields: CaptureFields, call?: CallOptions) => Promise<CaptureStream>;
  /**
   * Hands in a capture for later. Once this has resolved, the job is kept, whatever happens to the service.
   * @throws CaptureError, of the class that `error_type` names
   */
  readonly submit: (fields: CaptureFields, job?: JobOptions & CallOptions) => Promise<CaptureJob>;
  /**
   * Gives the result of a job once it is done. Waits for as long as that takes, unless `timeoutMs` of the call says otherwise, and for two
   * minutes while the service is away.
   * @throws CaptureError with which the job has failed; JobNotFinishedError where it was cancelled
   */
  readonly wait: (id: string, call?: CallOptions) => Promise<CaptureResult>;
  /** Asks for a job. @throws CaptureError, of the class that `error_type` names */
  readonly job: (id: string, call?: CallOptions) => Promise<CaptureJob>;
  /** Ends a job, if it has not ended yet, and gives how it stands. @throws as `job` */
  readonly cancel: (id: string, call?: CallOptions) => Promise<CaptureJob>;
}

/** One request, but for what all of them have. */
interface Asked {
  readonly address: URL;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A client of the service at an address. Works where there is `fetch`: Node, Bun, Deno and browsers. */
export function createCaptureClient(options: ClientOptions): CaptureClient {
  const address = captureAddress(options.service);
  const send = options.fetch ?? globalThis.fetch;

  const request = async (asked: Asked, call: CallOptions, signal: AbortSignal): Promise<Response> => {
    const response = await send(asked.address, {
      method: asked.method,
      headers: {
        ...(asked.body !== undefined && { 'content-type': 'application/json' }),
        ...asked.headers,
        ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
        ...(call.requestId !== undefined && { 'x-request-id': call.requestId }),
      },
      ...(asked.body !== undefined && { body: JSON.stringify(asked.body) }),
      signal,
    });
    if (!response.ok) throw await readError(response);
    return response;
  };

  /** Runs one call: its time, its tries, and what its failures are called. */
  const run = async <Result>(
    asked: Asked,
    call: CallOptions,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> => {
    const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal]);
    const attempt = async (): Promise<Result> => {
      try {
        return await read(await request(asked, call, signal));
      } catch (error) {
        // What `fetch` and bodies reject with when there is no connection, or no longer one.
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
    fields: CaptureFields & { readonly response_type: 'json' },
    call?: CallOptions,
  ): Promise<DataResult>;
  function capture(fields: CaptureFields, call?: CallOptions): Promise<CaptureResult>;
  function capture(fields: CaptureFields, call: CallOptions = {}): Promise<CaptureResult | DataResult> {
    return run({ address, method: 'POST', body: fields }, call, async (response) => {
      const bytes = new Uint8Array(await response.arrayBuffer());
      const result = { ...readFacts(response.headers), bytes };
      if (fields.response_type !== 'json') return result;
      const data: CaptureData = JSON.parse(new TextDecoder().decode(bytes));
      return { ...result, data };
    });
  }

  const get = (below: string): Asked => ({ address: jobsAddress(address, below), method: 'GET' });

  return {
    capture,
    submit: (fields, { webhookUrl, storePath, idempotencyKey = randomKey(), ...call } = {}) => {
      const body = { capture: fields, webhook_url: webhookUrl, store_path: storePath };
      const headers = { 'idempotency-key': idempotencyKey };
      return run({ address: jobsAddress(address), method: 'POST', headers, body }, call, readJob);
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
      run({ address, method: 'POST', body: fields }, call, async (response) => ({
        ...readFacts(response.headers),
        stream: response.body ?? new ReadableStream({ start: (controller) => controller.close() }),
      })),
  };
}

async function readResult(response: Response): Promise<CaptureResult> {
  return { ...readFacts(response.headers), bytes: new Uint8Array(await response.arrayBuffer()) };
}
