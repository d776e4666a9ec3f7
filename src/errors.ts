interface CatalogueRow {
  readonly status: number;
  /** A second status, for throwers that name it themselves. */
  readonly otherStatus?: number;
  /** The sentence used when the thrower has none of its own. */
  readonly message: string;
  /** When a client gets it, for the documentation. */
  readonly when: string;
}

/** Every error a client can get. */
export const ERROR_CATALOGUE = {
  ValidationError: {
    status: 400,
    message: 'Invalid request parameters',
    when: 'Malformed JSON, an unknown or bad field, an invalid selector; `error_details` says which and what is accepted',
  },
  DestinationNotAllowedError: {
    status: 400,
    message: 'The page is at an address that may not be reached',
    when: "The page's address, or one that it redirects to, is private or denied by the settings",
  },
  ElementNotFoundError: {
    status: 400,
    message: 'No visible element matches the selector',
    when: '`selector` matches no element, or only an invisible one',
  },
  ActionFailedError: {
    status: 400,
    message: 'An action could not be done',
    when: 'One of `actions` found no element, or not as it needs it, in time; `error_details` says which and why',
  },
  ResultTooLargeError: {
    status: 400,
    message: 'The result would be larger than allowed',
    when: 'The picture would have more pixels than `MAX_PIXELS`, or would be larger than its format can hold; the sheet of a pdf a side over 14,400 pt; or the result more bytes than `MAX_RESULT_BYTES`',
  },
  AuthenticationError: {
    status: 403,
    otherStatus: 401,
    message: 'Invalid authentication token',
    when: '401: neither an Authorization header nor a signature. 403: a header that is not the right bearer token',
  },
  InvalidSignatureError: {
    status: 403,
    message: 'Invalid signature',
    when: 'The signature is empty or wrong, or signed URLs are switched off',
  },
  SignatureExpiredError: {
    status: 403,
    message: 'Signature has expired',
    when: 'The time in `expires` is over',
  },
  CrossSiteRequestError: {
    status: 403,
    message: 'Pages of other origins may not use this service',
    when: 'A page of another origin has asked, while there is no `AUTH_TOKEN`, or the service was addressed by a name that is not its own; `error_details` says which setting allows it',
  },
  NotFoundError: {
    status: 404,
    message: 'There is nothing at this path',
    when: "The path is none of the service's",
  },
  MethodNotAllowedError: {
    status: 405,
    message: 'This method is not allowed here',
    when: 'The path is known, the method is not; the `Allow` header lists those that are',
  },
  JobNotFinishedError: {
    status: 409,
    message: 'The job has no result yet',
    when: 'The result of a job is asked for before there is one, or the job was cancelled; `error_details` says its state',
  },
  JobExpiredError: {
    status: 410,
    message: 'The job is no longer kept',
    when: 'The job finished longer ago than `JOB_RETENTION`, or its result had to make room for newer ones',
  },
  PayloadTooLargeError: {
    status: 413,
    message: 'The request body is too large',
    when: 'The body is larger than `MAX_BODY_BYTES`, or the `defaults` of a batch are in all of its captures together',
  },
  UnsupportedMediaTypeError: {
    status: 415,
    message: 'The request body must be application/json in UTF-8',
    when: 'The body is compressed, in another charset, or its `Content-Type` is not `application/json`',
  },
  IdempotencyError: {
    status: 422,
    message: 'This Idempotency-Key came with another request before',
    when: 'An `Idempotency-Key` is used again, within 24 hours, for a request that asks for something else',
  },
  RateLimitError: {
    status: 429,
    message: 'Rate limit exceeded',
    when: 'Too many requests from this client; come back after `retry_after` seconds',
  },
  NavigationError: {
    status: 500,
    message: 'The page could not be loaded',
    when: "The page can't be reached or is none: DNS, connection, TLS, redirect loop, download; `message` says which",
  },
  TimeoutError: {
    status: 500,
    message: 'The capture took too long',
    when: 'The page load, the awaited element or the whole request took too long; `message` says which',
  },
  PageCrashedError: {
    status: 500,
    message: 'The page crashed or closed its tab, twice',
    when: 'The page took its tab or the browser down, twice; or what it does is too much to be followed: 64 MB in one address, name, header or message, 256 MB in all',
  },
  InternalServerError: {
    status: 500,
    message: 'Something went wrong on our side',
    when: 'Anything else: logged in full with the `request_id`, told in one sentence',
  },
  StorageError: {
    status: 502,
    message: 'The storage of results does not do its work',
    when: 'Where results are stored or jobs are kept is full, away, slow or refuses, three times in a row; `error_details` says which',
  },
  OverloadedError: {
    status: 503,
    message: 'The service is busy',
    when: 'The queue or the memory for bodies and answers is full, this client has too much waiting or connected, or the browser is starting or shutting down; come back after `retry_after` seconds',
  },
} as const satisfies Record<string, CatalogueRow>;

/** The closed set of `error_type` values; also fit for a metric label. */
export type ErrorType = keyof typeof ERROR_CATALOGUE;

interface ServiceErrorOptions {
  readonly cause?: unknown;
  /** Shown as `error_details`: which field or setting, and what is accepted. */
  readonly details?: string;
  /** Whole seconds, at least 1; shown as `retry_after` and as the Retry-After header. */
  readonly retryAfterSeconds?: number;
  /** Overrides the catalogue's status; only for AuthenticationError, which is 401 without credentials. */
  readonly status?: number;
  /** Extra response headers, for example WWW-Authenticate or Allow. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An expected failure. `message` and `details` are shown to the client as they are: no path, no resolved
 * address, no key. Anything thrown that is not a ServiceError is a bug and is answered as InternalServerError.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly type: ErrorType;
  readonly status: number;
  readonly details: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(type: ErrorType, message?: string, options: ServiceErrorOptions = {}) {
    super(
      message ?? ERROR_CATALOGUE[type].message,
      options.cause === undefined ? {} : { cause: options.cause },
    );
    this.type = type;
    this.status = options.status ?? ERROR_CATALOGUE[type].status;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
  }
}

/** A ValidationError whose `details` say which field and what is accepted. */
export function validationError(details: string, cause?: unknown): ServiceError {
  return new ServiceError('ValidationError', undefined, { details, cause });
}

/** For a result that is larger than `MAX_RESULT_BYTES`. */
export function resultTooLarge(maxBytes: number): ServiceError {
  return new ServiceError('ResultTooLargeError', undefined, {
    details: `The result would be larger than the ${maxBytes} bytes allowed here`,
  });
}
