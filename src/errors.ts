/** Every error a client can get: its status and the sentence used when the thrower has none of its own. */
const ERROR_CATALOGUE = {
  ValidationError: { status: 400, message: 'Invalid request parameters' },
  DestinationNotAllowedError: { status: 400, message: 'The page is at an address that may not be reached' },
  ElementNotFoundError: { status: 400, message: 'No visible element matches the selector' },
  ResultTooLargeError: { status: 400, message: 'The result would be larger than allowed' },
  AuthenticationError: { status: 403, message: 'Invalid authentication token' },
  InvalidSignatureError: { status: 403, message: 'Invalid signature' },
  SignatureExpiredError: { status: 403, message: 'Signature has expired' },
  NotFoundError: { status: 404, message: 'There is nothing at this path' },
  MethodNotAllowedError: { status: 405, message: 'This method is not allowed here' },
  PayloadTooLargeError: { status: 413, message: 'The request body is too large' },
  UnsupportedMediaTypeError: { status: 415, message: 'The request body must be application/json in UTF-8' },
  RateLimitError: { status: 429, message: 'Rate limit exceeded' },
  NavigationError: { status: 500, message: 'The page could not be loaded' },
  TimeoutError: { status: 500, message: 'The capture took too long' },
  PageCrashedError: { status: 500, message: 'The page crashed or closed its tab, twice' },
  InternalServerError: { status: 500, message: 'Something went wrong on our side' },
  OverloadedError: { status: 503, message: 'The service is busy' },
} as const satisfies Record<string, { status: number; message: string }>;

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
