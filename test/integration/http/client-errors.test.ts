import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CaptureError,
  ClientTimeoutError,
  ConnectionError,
  UnexpectedAnswerError,
} from '../../../src/programs/client/capture-error.ts';
import type { ClientOptions } from '../../../src/programs/client/calls.ts';
import { type CaptureClient, createCaptureClient } from '../../../src/programs/client/client.ts';
import { ERROR_CLASSES, OverloadedError, PageCrashedError } from '../../../src/programs/client/service-errors.ts';
import { signUrl } from '../../../src/programs/client/sign-url.ts';
import type { ErrorType } from '../../../src/core/ground/errors.ts';
import { eventually } from '../../support/eventually.ts';
import { type FalseService, startFalseService } from '../../support/false-service.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { renderersOf } from '../../support/processes.ts';
import { send } from '../../support/raw-http.ts';
import { type Health, readHealth, type RunningService, startService } from '../../support/service.ts';

const TOKEN = 'cafe'.repeat(16);
const SECRET = 'a-secret-for-links';
const CRASHING = '/poll-finite?crash';
const markup = { html_content: '<p>' };

type Attempt = () => Promise<unknown>;

describe('the client of a service with one page, one queue slot and one signed request an hour throws', () => {
  let site: FixtureSite;
  let service: RunningService;
  let falseService: FalseService;
  beforeAll(async () => {
    [site, falseService, service] = await Promise.all([
      createFixtureSite(),
      startFalseService(),
      startService({
        AUTH_TOKEN: TOKEN,
        URL_SIGNING_SECRET: SECRET,
        POOL_SIZE: '1',
        MAX_QUEUE: '1',
        MAX_BODY_BYTES: '20000',
        RATE_LIMIT_ENABLED: 'true',
        RATE_LIMIT_CAPTURE: '10000 per second',
        RATE_LIMIT_SIGNED: '1 per hour',
        ALLOWED_HOSTS: 'captures.example',
        STORAGE: 's3://captures',
        STORAGE_ENDPOINT: 'http://127.0.0.1:9', // nothing listens there
        STORAGE_ACCESS_KEY_ID: 'id',
        STORAGE_SECRET_ACCESS_KEY: 'key',
      }),
    ]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), falseService[Symbol.asyncDispose](), site.close()]));

  const clientOf = (options: Partial<ClientOptions> = {}): CaptureClient =>
    createCaptureClient({ service: service.url, token: TOKEN, retries: 0, ...options });
  const clientOfPass = async (expires: number, more = ''): Promise<CaptureClient> => {
    const pass = await signUrl({}, { service: service.url, secret: SECRET, expires });
    return clientOf({ service: `${pass}${more}`, token: undefined });
  };
  const inHours = Math.floor(Date.now() / 1000) + 7_200;
  /** Tested with keys and templates. */
  type OfKeys =
    'ScopeError' | 'FieldNotAllowedError' | 'QuotaExceededError' | 'TemplateNotFoundError' | 'TemplateError';
  type OfCompare = 'NotComparableError'; // tested in compare.test.ts
  type OfJobs = 'JobNotFinishedError' | 'JobExpiredError' | 'IdempotencyError' | 'WatchLimitError'; // tested in jobs.test.ts and watches.test.ts
  const attempts: Readonly<
    Record<Exclude<ErrorType, 'OverloadedError' | 'PageCrashedError' | OfCompare | OfJobs | OfKeys>, Attempt>
  > = {
    ValidationError: () => clientOf().capture({ ...markup, window_width: 0 }),
    DestinationNotAllowedError: () => clientOf().capture({ url: 'http://10.0.0.1/' }),
    ElementNotFoundError: () => clientOf().capture({ ...markup, selector: '#none' }),
    ActionFailedError: () =>
      clientOf().capture({
        ...markup,
        actions: [{ type: 'click', selector: '#none' }],
        wait_for_timeout: 200,
      }),
    PageRejectedError: () => clientOf().capture({ ...markup, fail_unless_text: 'missing' }),
    PageStatusError: () => clientOf().capture({ url: site.url('/status/404'), fail_on_status: ['4xx'] }),
    ResultTooLargeError: () =>
      clientOf().capture({ ...markup, window_width: 7680, window_height: 7680, pixel_density: 5 }),
    AuthenticationError: () => clientOf({ token: 'wrong' }).capture(markup),
    InvalidSignatureError: async () => (await clientOfPass(inHours, 'x')).capture(markup),
    SignatureExpiredError: async () => (await clientOfPass(1)).capture(markup),
    CrossSiteRequestError: () => clientOf({ fetch: asRebound }).capture(markup),
    NotFoundError: () => clientOf({ service: `${service.url}/elsewhere` }).capture(markup),
    MethodNotAllowedError: () => clientOf({ fetch: changed({ method: 'DELETE' }) }).capture(markup),
    PayloadTooLargeError: () => clientOf().capture({ html_content: 'x'.repeat(30_000) }),
    UnsupportedMediaTypeError: () =>
      clientOf({ fetch: changed({ headers: { authorization: `Bearer ${TOKEN}` } }) }).capture(markup),
    RateLimitError: async () => {
      const client = await clientOfPass(inHours);
      await client.capture(markup);
      await client.capture(markup);
    },
    NavigationError: () => clientOf().capture({ url: 'http://127.0.0.1:1/' }),
    TimeoutError: () => clientOf().capture({ ...markup, wait_for_selector: '#never', wait_for_timeout: 200 }),
    StorageError: () => clientOf().capture({ ...markup, store: true }),
    // No request causes an internal error, so a mock server sends one.
    InternalServerError: () => clientOf({ service: falseService.url('internal') }).capture(markup),
  };

  it.each(Object.entries(attempts))('%s', async (errorType, attempt) => {
    const failure = await failureOf(attempt());

    const errorClass = Object.entries(ERROR_CLASSES).find(([name]) => name === errorType)?.[1];
    expect(failure.constructor).toBe(errorClass);
    expect(failure).toMatchObject({
      name: errorType,
      errorType,
      message: expect.stringMatching(/./),
      status: expect.any(Number),
      requestId: expect.stringMatching(/^[\w-]+$/),
    });
  });

  it('AuthenticationError with a different status if there is no token at all', async () => {
    const failures = await Promise.all([
      failureOf(clientOf({ token: undefined }).capture(markup)),
      failureOf(clientOf({ token: 'wrong' }).capture(markup)),
    ]);

    expect(failures.map(({ status }) => status)).toEqual([401, 403]);
  });

  it('ValidationError with the field and its problem', async () => {
    const { details } = await failureOf(attempts.ValidationError());

    expect(details).toMatch(/^window_width: must be a whole number/);
  });

  it('OverloadedError if the queue is full, but not if it may retry', async () => {
    await poolShows({ busy: 0, waiting: 0 }); // left by the tests before
    const holding = clientOf().capture({ url: site.url('/slow?ms=700') });
    await poolShows({ busy: 1 });
    const waiting = clientOf().capture(markup);
    await poolShows({ waiting: 1 });

    const failure = await failureOf(clientOf().capture(markup));
    const { contentType } = await clientOf({ retries: 3 }).capture(markup);

    expect(failure).toBeInstanceOf(OverloadedError);
    expect(failure).toMatchObject({ status: 503, retryAfter: 1 });
    expect(contentType).toBe('image/png');
    expect([(await holding).contentType, (await waiting).contentType]).toEqual(['image/png', 'image/png']);
  });

  it('PageCrashedError if the page crashes its renderer twice', async () => {
    const failing = failureOf(clientOf().capture({ url: site.url(CRASHING), wait_for_selector: '#never' }));
    for (const attempt of [1, 2]) {
      await pageRuns(attempt);
      for (const { pid } of renderersOf(service.browserPid())) process.kill(pid, 'SIGKILL');
    }

    expect(await failing).toBeInstanceOf(PageCrashedError);
  });

  it('ConnectionError if the connection is refused or the answer is cut off', async () => {
    const failures = await Promise.all([
      failureOf(clientOf({ service: 'http://127.0.0.1:2' }).capture(markup)),
      failureOf(clientOf({ service: falseService.url('cut') }).capture(markup)),
    ]);

    for (const failure of failures) expect(failure).toBeInstanceOf(ConnectionError);
    expect(failures.map(({ status }) => status)).toEqual([undefined, undefined]);
    expect(failures[0]?.message).toMatch(/can't be reached: .*ECONNREFUSED/);
  });

  it('ConnectionError at once for actions, which may have had their effect', async () => {
    const before = falseService.countOf('cut');
    const clicking = { ...markup, actions: [{ type: 'click', selector: 'p' } as const] };

    const failure = await failureOf(clientOf({ service: falseService.url('cut'), retries: 2 }).capture(clicking));

    expect(failure).toBeInstanceOf(ConnectionError);
    expect(falseService.countOf('cut') - before).toBe(1);
  });

  it('a TypeError for fields and headers that cannot be sent, without a request', async () => {
    const sent: unknown[] = [];
    const sending: typeof fetch = async (input) => {
      sent.push(input);
      return new Response();
    };
    const cyclic: Record<string, unknown> = {};
    cyclic['itself'] = cyclic;

    const client = clientOf({ fetch: sending });
    await expect(client.capture({ ...markup, data: cyclic })).rejects.toThrow(TypeError);
    await expect(client.capture(markup, { requestId: 'a\nb' })).rejects.toThrow(TypeError);
    expect(sent).toEqual([]);
  });

  it('UnexpectedAnswerError for an error page of a proxy', async () => {
    const failure = await failureOf(clientOf({ service: falseService.url('page') }).capture(markup));

    expect(failure).toBeInstanceOf(UnexpectedAnswerError);
    expect(failure).toMatchObject({ status: 502, retryAfter: 3, requestId: 'of-the-proxy' });
  });

  it('CaptureError for an error type that this version does not know', async () => {
    const failure = await failureOf(clientOf({ service: falseService.url('newer') }).capture(markup));

    expect(failure.constructor).toBe(CaptureError);
    expect(failure).toMatchObject({ errorType: 'LaterError', status: 418 });
  });

  it('ClientTimeoutError after the timeout of the client or of the call', async () => {
    const service = falseService.url('never');

    const failures = await Promise.all([
      failureOf(clientOf({ service, timeoutMs: 50 }).capture(markup)),
      failureOf(clientOf({ service }).capture(markup, { timeoutMs: 50 })),
    ]);

    for (const failure of failures) expect(failure).toBeInstanceOf(ClientTimeoutError);
  });

  it('the reason of the abort signal, and the service cancels the capture', async () => {
    const caller = new AbortController();
    const capturing = clientOf().capture({ url: site.url('/never') }, { signal: caller.signal });
    capturing.catch(() => undefined); // it is expected to fail
    await poolShows({ busy: 1 });

    caller.abort(new Error('no longer wanted'));

    await expect(capturing).rejects.toThrow('no longer wanted');
    await poolShows({ busy: 0 });
  });

  it('the error of the last attempt when the retries are used up', async () => {
    await failureOf(clientOf({ service: falseService.url('busy'), retries: 2 }).capture(markup));

    expect(falseService.countOf('busy')).toBe(3);
  });

  it('immediately if the wait before the retry is longer than its limit', async () => {
    const service = falseService.url('busy-for-long');

    const failure = await failureOf(clientOf({ service, retries: 2, maxRetryDelayMs: 500 }).capture(markup));

    expect(failure.retryAfter).toBe(3_600);
    expect(falseService.countOf('busy-for-long')).toBe(1);
  });

  it('a TypeError for an invalid URL', () => {
    expect(() => createCaptureClient({ service: 'localhost:8080' })).toThrow(/not the address of a service/);
  });

  async function poolShows(expected: Partial<Health['pool']>): Promise<void> {
    await eventually(async () => expect((await readHealth(service.url)).pool).toMatchObject(expected));
  }

  /** Waits until the n-th attempt of the page sends a request by script, so that its renderer exists. */
  async function pageRuns(start: number): Promise<void> {
    await eventually(() => {
      const seen = site.requests.filter(({ path }) => path === CRASHING).length;
      const last = site.requests.at(-1)?.path;
      if (seen < start || last !== '/answer-after?ms=300') throw new Error(`${seen} starts, then ${last}`);
    });
  }
});

/** Returns the CaptureError that the attempt rejects with. */
async function failureOf(attempt: Promise<unknown>): Promise<CaptureError> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof CaptureError) return error;
    throw error;
  }
  throw new Error('It did not fail');
}

/** Returns a `fetch` that changes part of the request. */
function changed(change: RequestInit): typeof fetch {
  return (input, init) => fetch(input, { ...init, ...change });
}

/** Sends a request as a page under the attacker's host name. `fetch` of Node always sends the name in the URL. */
async function asRebound(input: string | URL | Request): Promise<Response> {
  const { origin } = new URL(input instanceof Request ? input.url : input);
  const { status, headers, body } = await send(origin, { headers: { host: 'rebound.example' } });
  return new Response(body, { status, headers: { 'content-type': headers['content-type'] ?? '' } });
}
