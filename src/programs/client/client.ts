import { type Call, type CallOptions, type ClientOptions, type ClientRequest, createCalls } from './calls.ts';
import { CaptureError, ClientTimeoutError, ConnectionError } from './capture-error.ts';
import { type CaptureRequest, encodeJson, encodeRequest, toJsonFields } from './capture-request.ts';
import {
  type CaptureResult,
  type CaptureStream,
  type DataRequest,
  type DataResult,
  readData,
  readLink,
  readResult,
  readStream,
  type SignedLink,
} from './capture-result.ts';
import type { PartName } from './capture-data.ts';
import {
  type CaptureJob,
  hasEnded,
  type JobOptions,
  type JobState,
  type LabelledCapture,
  randomKey,
  readJob,
  readJobs,
} from './job-data.ts';
import { captureAddress, siblingAddress } from './service-address.ts';
import { delay } from './retry-request.ts';

interface Capture {
  <const Part extends PartName = never, Store extends boolean = false>(
    fields: DataRequest<Part, Store>,
    call?: CallOptions,
  ): Promise<DataResult<Part, Store>>;
  (fields: CaptureRequest, call?: CallOptions): Promise<CaptureResult>;
}

/**
 * A client of a capture service. Needs no closing. All methods throw a CaptureError of the class for its `error_type`.
 */
export interface CaptureClient {
  /** Returns a capture with its whole body in memory. If `response_type` is `json`, the capture has `data`. */
  readonly capture: Capture;
  /** Returns a capture as a stream. */
  readonly captureStream: (fields: CaptureRequest, call?: CallOptions) => Promise<CaptureStream>;
  /** Submits a capture as a job. Once this resolves, the job survives a restart of the service. */
  readonly submit: (fields: CaptureRequest, job?: JobOptions & CallOptions) => Promise<CaptureJob>;
  /**
   * Submits up to 100 captures as jobs, each alone or with a label: all or none. Returns the jobs in the same order.
   */
  readonly submitBatch: (
    captures: readonly (CaptureRequest | LabelledCapture)[],
    job?: Omit<JobOptions, 'storePath'> & CallOptions,
  ) => Promise<readonly CaptureJob[]>;
  /**
   * Waits for a job and returns its result. Has no time limit unless `timeoutMs` is set. Survives an outage of two
   * minutes.
   * @throws CaptureError of the failed job; JobNotFinishedError if it was cancelled
   */
  readonly wait: (id: string, call?: CallOptions) => Promise<CaptureResult>;
  /**
   * Returns the result of a finished job.
   * @throws CaptureError of the failed job; JobNotFinishedError if it has no result yet or was cancelled
   */
  readonly result: (id: string, call?: CallOptions) => Promise<CaptureResult>;
  readonly job: (id: string, call?: CallOptions) => Promise<CaptureJob>;
  /** Lists the jobs of one state or all, newest first within a state. Requests the next page when it is needed. */
  readonly jobs: (filter?: { readonly state?: JobState } & CallOptions) => AsyncGenerator<CaptureJob, void>;
  /** Cancels a job that has not finished, and returns its state. */
  readonly cancel: (id: string, call?: CallOptions) => Promise<CaptureJob>;
  /**
   * Lets the service sign a link, so that this program needs no signing secret. The service checks the fields. Default
   * lifetime: an hour.
   */
  readonly sign: (fields: CaptureRequest, link?: { readonly expiresIn?: number } & CallOptions) => Promise<SignedLink>;
}

/** Creates a client for the service at an address. Works wherever `fetch` exists: Node, Bun, Deno and browsers. */
export function createCaptureClient(options: ClientOptions): CaptureClient {
  const address = captureAddress(options.service);
  const call = createCalls(options);
  const get = (path: string): ClientRequest => ({ address: siblingAddress(address, path), method: 'GET' });
  const post = (path: string, body: object): ClientRequest => ({
    address: siblingAddress(address, path),
    method: 'POST',
    encoded: encodeJson(body),
  });

  function capture<const Part extends PartName = never, Store extends boolean = false>(
    fields: DataRequest<Part, Store>,
    given?: CallOptions,
  ): Promise<DataResult<Part, Store>>;
  function capture(fields: CaptureRequest, given?: CallOptions): Promise<CaptureResult>;
  async function capture(fields: CaptureRequest, given: CallOptions = {}): Promise<CaptureResult> {
    return await call(captureOf(address, fields), given, fields.response_type === 'json' ? readData : readResult);
  }

  return {
    capture,
    captureStream: async (fields, given = {}) => await call(captureOf(address, fields), given, readStream),
    submit: async (fields, { label, webhookUrl, storePath, idempotencyKey = randomKey(), ...given } = {}) => {
      const job = { label, webhook_url: webhookUrl, store_path: storePath };
      const encoded = encodeRequest(fields, (captured) => ({ capture: captured, ...job }));
      return await call(
        { ...get('/jobs'), method: 'POST', encoded, headers: keyHeader(idempotencyKey) },
        given,
        readJob,
      );
    },
    submitBatch: async (captures, { label, webhookUrl, idempotencyKey = randomKey(), ...given } = {}) => {
      const request = post('/jobs/batch', { captures: captures.map(toEntry), webhook_url: webhookUrl, label });
      return (await call({ ...request, headers: keyHeader(idempotencyKey) }, given, readJobs)).jobs;
    },
    job: async (id, given = {}) => await call(get(jobPath(id)), given, readJob),
    jobs: (filter = {}) => listJobs(call, siblingAddress(address, '/jobs'), filter),
    cancel: async (id, given = {}) => await call({ ...get(jobPath(id)), method: 'DELETE' }, given, readJob),
    result: async (id, given = {}) => await call(get(`${jobPath(id)}/result`), given, readResult),
    wait: async (id, { timeoutMs, signal: given, requestId } = {}) => {
      const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([given, timeout].filter((each) => each !== undefined));
      try {
        await untilEnded(() => call(get(jobPath(id)), { signal, requestId }, readJob), signal);
        return await call(get(`${jobPath(id)}/result`), { signal, requestId }, readResult);
      } catch (error) {
        given?.throwIfAborted();
        throw timeout?.aborted === true ? new ClientTimeoutError(timeoutMs ?? 0, error) : error;
      }
    },
    sign: async (fields, { expiresIn, ...given } = {}) =>
      await call(post('/sign', { params: toJsonFields(fields), expires_in: expiresIn }), given, readLink),
  };
}

/** Actions may send a form, which must not happen twice. */
function captureOf(address: URL, fields: CaptureRequest): ClientRequest {
  const encoded = encodeRequest(fields, (body) => body);
  return { address, method: 'POST', encoded, isOnce: (fields.actions ?? []).length > 0 };
}

function jobPath(id: string): string {
  return `/jobs/${encodeURIComponent(id)}`;
}

function keyHeader(idempotencyKey: string): Readonly<Record<string, string>> {
  return { 'idempotency-key': idempotencyKey };
}

async function* listJobs(
  call: Call,
  address: URL,
  { state, ...given }: { readonly state?: JobState } & CallOptions,
): AsyncGenerator<CaptureJob, void> {
  if (state !== undefined) address.searchParams.set('state', state);
  for (;;) {
    const { jobs, nextCursor } = await call({ address, method: 'GET' }, given, readJobs);
    yield* jobs;
    if (nextCursor === undefined) return;
    address.searchParams.set('cursor', nextCursor);
  }
}

/** Polling intervals for a job: short at first, because most jobs are short. */
const [FIRST_LOOK_MS, LOOK_GROWTH, LONGEST_LOOK_MS] = [250, 1.3, 5_000];
/** Longest outage to tolerate: after a restart of the service or the job store, the job is still there. */
const LONGEST_OUTAGE_MS = 120_000;

/**
 * Polls until the job has ended.
 * @throws the errors of `readJob`, except during a short outage
 */
async function untilEnded(readJob: () => Promise<CaptureJob>, signal: AbortSignal): Promise<void> {
  let answeredAtMs = performance.now();
  for (let ms = FIRST_LOOK_MS; ; ms = Math.min(ms * LOOK_GROWTH, LONGEST_LOOK_MS)) {
    try {
      if (hasEnded(await readJob())) return;
      answeredAtMs = performance.now();
    } catch (error) {
      signal.throwIfAborted();
      if (!isOutage(error) || performance.now() - answeredAtMs >= LONGEST_OUTAGE_MS) throw error;
    }
    await delay(ms, signal);
  }
}

/** True for an outage of the service, of its job store, or of a proxy in front. */
function isOutage(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof ClientTimeoutError) return true;
  return error instanceof CaptureError && [429, 502, 503, 504].includes(error.status ?? 0);
}

function toEntry(entry: CaptureRequest | LabelledCapture): object {
  return isLabelled(entry) ? { ...entry, capture: toJsonFields(entry.capture) } : toJsonFields(entry);
}

function isLabelled(entry: CaptureRequest | LabelledCapture): entry is LabelledCapture {
  return 'capture' in entry; // no field has this name
}
