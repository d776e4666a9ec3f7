interface CaptureErrorFacts {
  /** `error_type` of the answer, or the name of an error of the client. */
  readonly errorType: string;
  /** HTTP status. Undefined if there was no answer. */
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly details?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/**
 * A failed capture. Every error of this module is one, except the reason of an `AbortSignal`, which is thrown
 * unchanged.
 */
export class CaptureError extends Error {
  /** `error_type` of the answer, or the name of an error of the client. */
  readonly errorType: string;
  /** HTTP status. Undefined if there was no answer. */
  readonly status: number | undefined;
  /** Id in the log of the service. */
  readonly requestId: string | undefined;
  /** Details: the field, and what is accepted. */
  readonly details: string | undefined;
  /** Seconds to wait before the next try. */
  readonly retryAfter: number | undefined;

  constructor(message: string, { cause, ...facts }: CaptureErrorFacts) {
    super(message, cause === undefined ? {} : { cause });
    this.name = facts.errorType; // an own name, because bundlers shorten class names
    this.errorType = facts.errorType;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.details = facts.details;
    this.retryAfter = facts.retryAfter;
  }
}

/** The service is unreachable, or the connection broke during the answer. */
export class ConnectionError extends CaptureError {
  declare readonly errorType: 'ConnectionError';

  constructor(service: string, cause: unknown) {
    super(`The service at ${service} can't be reached${reasonOf(cause)}`, {
      errorType: 'ConnectionError',
      cause,
    });
  }
}

/**
 * Node's `fetch` fails with "fetch failed", and its cause has the reason, such as a refused connection or a
 * certificate.
 */
function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  if (!(inner instanceof Error)) return '';
  const code = 'code' in inner && typeof inner.code === 'string' ? inner.code : '';
  const reason = inner.message === '' ? code : inner.message;
  return reason === '' ? '' : `: ${reason}`;
}

/** The client's own `timeoutMs` has passed. Time limits of the service are a `TimeoutError`. */
export class ClientTimeoutError extends CaptureError {
  declare readonly errorType: 'ClientTimeoutError';

  constructor(timeoutMs: number, cause: unknown) {
    super(`The capture was not finished after ${timeoutMs} ms`, { errorType: 'ClientTimeoutError', cause });
  }
}

/** The answer is not from the service, but from a proxy or another program at that address. */
export class UnexpectedAnswerError extends CaptureError {
  declare readonly errorType: 'UnexpectedAnswerError';

  constructor(
    status: number,
    { redirectsTo, ...facts }: Pick<CaptureErrorFacts, 'requestId' | 'retryAfter'> & { readonly redirectsTo?: string },
  ) {
    const hint = redirectsTo === undefined ? '' : `: it redirects to ${redirectsTo || 'another address'}`;
    super(`The answer with status ${status} is not from the capture service${hint}`, {
      ...facts,
      errorType: 'UnexpectedAnswerError',
      status,
    });
  }
}
