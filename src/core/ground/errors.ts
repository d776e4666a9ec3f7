interface CatalogueRow {
  readonly status: number;
  /** Second status of the error. The caller sets it. */
  readonly otherStatus?: number;
  /** Default message. */
  readonly message: string;
  /** Description for the documentation. */
  readonly when: string;
}

/** All errors that a client can get. */
export const ERROR_CATALOGUE = {
  ValidationError: {
    status: 400,
    message: 'Invalid request parameters',
    when: 'Malformed JSON, an unknown or invalid field, or an invalid selector. `error_details` names the field and the accepted values. 408: the request arrived too slowly. 431: its headers are too large',
  },
  DestinationNotAllowedError: {
    status: 400,
    message: 'The address of the page is not allowed',
    when: 'The address of the page, or of a redirect, is private or denied by the settings',
  },
  ElementNotFoundError: {
    status: 400,
    message: 'No visible element matches the selector',
    when: '`selector` matches no element, or only invisible ones',
  },
  NotComparableError: {
    status: 400,
    message: 'The pictures cannot be compared',
    when: 'A side is no picture, is larger than `MAX_PIXELS`, or both have more than 100 million pixels together. With `align: rows`, the widths differ',
  },
  ActionFailedError: {
    status: 400,
    message: 'An action failed',
    when: 'One of `actions` failed: its element was missing or not ready in time. `error_details` names the action and the reason',
  },
  PageRejectedError: {
    status: 400,
    message: 'The page was rejected by the request',
    when: 'The page has a failure of `fail_on`, shows `fail_if_text`, does not show `fail_unless_text`, or cannot meet `pdf_standard` or `paged_media`. `error_details` names the cause',
  },
  PageStatusError: {
    status: 400,
    message: 'The page answered with a status that the request rejects',
    when: 'The page answered with a status of `fail_on_status`. `message` has the status',
  },
  ResultTooLargeError: {
    status: 400,
    message: 'The result would be larger than allowed',
    when: 'The picture exceeds `MAX_PIXELS` or the limits of its format, a side of the pdf exceeds 14,400 pt, or the result exceeds `MAX_RESULT_BYTES`',
  },
  AuthenticationError: {
    status: 403,
    otherStatus: 401,
    message: 'Invalid authentication token',
    when: '401: the request has no Authorization header and no signature. 403: the bearer token is wrong, or the key of a job has ended',
  },
  InvalidSignatureError: {
    status: 403,
    message: 'Invalid signature',
    when: 'The signature is empty or wrong, or signed URLs are off',
  },
  SignatureExpiredError: {
    status: 403,
    message: 'Signature has expired',
    when: 'The link has expired: the time in `expires` has passed',
  },
  ScopeError: {
    status: 403,
    message: 'The key lacks a scope',
    when: 'The key may not do this. `error_details` names the missing scope',
  },
  FieldNotAllowedError: {
    status: 403,
    message: 'The key may not use this field',
    when: 'The key, or a locked template, does not allow a field of the request. `error_details` names it',
  },
  CrossSiteRequestError: {
    status: 403,
    message: 'Web pages of other origins may not use this service',
    when: 'The service requires no credential, and the request comes from a web page of another origin or names an unknown host. `error_details` names the setting that allows it',
  },
  NotFoundError: {
    status: 404,
    message: 'The service has no such path',
    when: 'The service has no such path',
  },
  TemplateNotFoundError: {
    status: 404,
    message: 'There is no such template',
    when: '`template` names no template of `TEMPLATES_DIR`',
  },
  MethodNotAllowedError: {
    status: 405,
    message: 'This method is not allowed here',
    when: 'The path does not support this method. The `Allow` header lists the supported ones',
  },
  JobNotFinishedError: {
    status: 409,
    message: 'The job has no result yet',
    when: 'The job has not finished, or was cancelled. `error_details` has its state',
  },
  WatchLimitError: {
    status: 409,
    message: 'There are too many watches',
    when: 'The service has `WATCH_MAX` watches already',
  },
  JobExpiredError: {
    status: 410,
    message: 'The job has expired',
    when: 'The job finished longer ago than `JOB_RETENTION`, or its result was removed to make room for newer ones',
  },
  PayloadTooLargeError: {
    status: 413,
    message: 'The request body is too large',
    when: 'The body exceeds `MAX_BODY_BYTES`, or the `defaults` of a batch exceed it when copied to all captures',
  },
  UnsupportedMediaTypeError: {
    status: 415,
    message: 'The request body must be application/json in UTF-8',
    when: 'The body is compressed, in another charset, or its `Content-Type` is neither `application/json` nor, for a capture with files, `multipart/form-data`',
  },
  IdempotencyError: {
    status: 422,
    message: 'This Idempotency-Key was used with another request',
    when: 'An `Idempotency-Key` was used for a different request within the last 24 hours',
  },
  RateLimitError: {
    status: 429,
    message: 'Rate limit exceeded',
    when: 'Too many requests from this client. Retry after `retry_after` seconds',
  },
  QuotaExceededError: {
    status: 429,
    message: 'The quota of the key is used up',
    when: 'The key has made all captures of its quota. Retry after `retry_after` seconds, when the next period begins',
  },
  NavigationError: {
    status: 500,
    message: 'The page could not be loaded',
    when: "The page can't be loaded: DNS, connection, TLS, redirect loop or download. `message` has the reason",
  },
  TimeoutError: {
    status: 500,
    message: 'The capture took too long',
    when: 'The page load, a wait or the whole request took too long. `message` names it',
  },
  PageCrashedError: {
    status: 500,
    message: 'The page crashed or closed its tab, twice',
    when: 'The page crashed its tab or the browser twice, or produced too much protocol data: 64 MB in one address, name, header or message, 256 MB in total',
  },
  TemplateError: {
    status: 500,
    message: 'The template failed',
    when: 'The template could not be rendered, or took longer than a second. `error_details` names template and line',
  },
  InternalServerError: {
    status: 500,
    message: 'The service has an unexpected fault',
    when: 'Any other fault of the service. The log has the details with the `request_id`',
  },
  StorageError: {
    status: 502,
    message: 'The storage of results failed',
    when: 'The storage of results or jobs is full, unreachable, slow or refuses, after three tries. `error_details` has the reason',
  },
  OverloadedError: {
    status: 503,
    message: 'The service is busy',
    when: 'The queue or a memory limit is full, this client has too many requests or connections, or the browser is starting or shutting down. Retry after `retry_after` seconds',
  },
} as const satisfies Record<string, CatalogueRow>;

/** All values of `error_type`. A closed set, so it can be a metric label. */
export type ErrorType = keyof typeof ERROR_CATALOGUE;

interface ServiceErrorOptions {
  readonly cause?: unknown;
  /** Sent as `error_details`: the field or setting, and what is accepted. */
  readonly details?: string;
  /** What the operator can do. Other clients must not learn how the service is set up. */
  readonly hint?: string;
  /** Retry delay in whole seconds, at least 1. Sent as `retry_after` and in the Retry-After header. */
  readonly retryAfterSeconds?: number;
  /** Replaces the status of the catalogue: 401 without credentials, 501 for a protocol that is not offered. */
  readonly status?: number;
  /** Additional response headers, for example WWW-Authenticate or Allow. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An expected failure. Clients see `message` and `details`, so these contain no path, no resolved address and no key.
 * Any other error is a bug and is sent as InternalServerError.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly type: ErrorType;
  readonly status: number;
  readonly details: string | undefined;
  readonly hint: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(type: ErrorType, message?: string, options: ServiceErrorOptions = {}) {
    super(message ?? ERROR_CATALOGUE[type].message, options.cause === undefined ? {} : { cause: options.cause });
    this.type = type;
    this.status = options.status ?? ERROR_CATALOGUE[type].status;
    this.details = options.details;
    this.hint = options.hint;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
  }
}

/**
 * A failure of the storage. Clients see the message, which contains names of settings, but neither their values nor
 * stored content.
 */
export class StorageProblem extends Error {
  override readonly name = 'StorageProblem';
  /** True if a retry in a second may succeed. */
  readonly isRetryable: boolean;

  constructor(message: string, { cause, isRetryable }: Pick<StorageProblem, 'isRetryable'> & ErrorOptions) {
    super(message, { cause });
    this.isRetryable = isRetryable;
  }
}

/** A ValidationError whose `details` name the field and what is accepted. */
export function validationError(details: string, cause?: unknown): ServiceError {
  return new ServiceError('ValidationError', undefined, { details, cause });
}

/** Error for a result above `MAX_RESULT_BYTES`. */
export function resultTooLarge(maxBytes: number): ServiceError {
  return new ServiceError('ResultTooLargeError', undefined, {
    details: `The result would be larger than the allowed ${maxBytes} bytes`,
  });
}

/** The code of a system error, or of the cause of a fetch error. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : errorCode(error.cause);
}
