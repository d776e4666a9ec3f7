interface CaptureErrorFacts {
  /** `error_type` of the answer, or the name of a failure of the client's own. */
  readonly errorType: string;
  /** HTTP status; undefined when there was no answer. */
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly details?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/** A capture that failed. Every error of this module is one, but the reason of an `AbortSignal`, which is thrown as it is. */
export class CaptureError extends Error {
  /** `error_type` of the answer, or the name of a failure of the client's own. */
  readonly errorType: string;
  /** HTTP status; undefined when there was no answer. */
  readonly status: number | undefined;
  /** The id under which the service has logged it. */
  readonly requestId: string | undefined;
  /** More about it: which field, and what is accepted. */
  readonly details: string | undefined;
  /** Seconds after which the service wants to be asked again. */
  readonly retryAfter: number | undefined;

  constructor(message: string, { cause, ...facts }: CaptureErrorFacts) {
    super(message, cause === undefined ? {} : { cause });
    this.name = facts.errorType; // not the name of the class: bundlers shorten it
    this.errorType = facts.errorType;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.details = facts.details;
    this.retryAfter = facts.retryAfter;
  }
}

/** The service could not be reached, or the connection broke before the answer was complete. */
export class ConnectionError extends CaptureError {
  declare readonly errorType: 'ConnectionError';

  constructor(service: string, cause: unknown) {
    super(`The service at ${service} can not be reached`, { errorType: 'ConnectionError', cause });
  }
}

/** The client's own `timeoutMs` was over. The service's limits end in a `TimeoutError`. */
export class ClientTimeoutError extends CaptureError {
  declare readonly errorType: 'ClientTimeoutError';

  constructor(timeoutMs: number, cause: unknown) {
    super(`There was no capture after ${timeoutMs} ms`, { errorType: 'ClientTimeoutError', cause });
  }
}

/** An answer that is none of the service: of a proxy before it, or of something else that listens there. */
export class UnexpectedAnswerError extends CaptureError {
  declare readonly errorType: 'UnexpectedAnswerError';

  constructor(status: number, facts: Pick<CaptureErrorFacts, 'requestId' | 'retryAfter'>) {
    super(`An answer with status ${status} that is not the service's`, {
      ...facts,
      errorType: 'UnexpectedAnswerError',
      status,
    });
  }
}
