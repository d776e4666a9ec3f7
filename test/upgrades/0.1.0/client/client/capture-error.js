/** A failed capture. Every error of this module is one, except the reason of an `AbortSignal`, which is thrown unchanged. */
export class CaptureError extends Error {
    /** `error_type` of the answer, or the name of an error of the client. */
    errorType;
    /** HTTP status. Undefined if there was no answer. */
    status;
    /** Id in the log of the service. */
    requestId;
    /** Details: the field, and what is accepted. */
    details;
    /** Seconds to wait before the next try. */
    retryAfter;
    constructor(message, { cause, ...facts }) {
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
    constructor(service, cause) {
        super(`The service at ${service} can't be reached`, { errorType: 'ConnectionError', cause });
    }
}
/** The client's own `timeoutMs` has passed. Time limits of the service are a `TimeoutError`. */
export class ClientTimeoutError extends CaptureError {
    constructor(timeoutMs, cause) {
        super(`The capture was not finished after ${timeoutMs} ms`, { errorType: 'ClientTimeoutError', cause });
    }
}
/** The answer is not from the service, but from a proxy or another program at that address. */
export class UnexpectedAnswerError extends CaptureError {
    constructor(status, facts) {
        super(`The answer with status ${status} is not from the capture service`, {
            ...facts,
            errorType: 'UnexpectedAnswerError',
            status,
        });
    }
}
