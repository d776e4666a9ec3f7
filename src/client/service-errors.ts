// Written by `npm run docs` from the catalogue in src/errors.ts.
import { CaptureError } from './capture-error.ts';

/** 400: Malformed JSON, an unknown or bad field, an invalid selector; `error_details` says which and what is accepted */
export class ValidationError extends CaptureError {
  declare readonly errorType: 'ValidationError';
}

/** 400: The page's address, or one that it redirects to, is private or denied by the settings */
export class DestinationNotAllowedError extends CaptureError {
  declare readonly errorType: 'DestinationNotAllowedError';
}

/** 400: `selector` matches no element, or only an invisible one */
export class ElementNotFoundError extends CaptureError {
  declare readonly errorType: 'ElementNotFoundError';
}

/** 400: One of `actions` found no element, or not as it needs it, in time; `error_details` says which and why */
export class ActionFailedError extends CaptureError {
  declare readonly errorType: 'ActionFailedError';
}

/** 400: The picture would have more pixels than `MAX_PIXELS`, or would be larger than its format can hold; the sheet of a pdf a side over 14,400 pt; or the result more bytes than `MAX_RESULT_BYTES` */
export class ResultTooLargeError extends CaptureError {
  declare readonly errorType: 'ResultTooLargeError';
}

/** 401 or 403: 401: neither an Authorization header nor a signature. 403: a header that is not the right bearer token */
export class AuthenticationError extends CaptureError {
  declare readonly errorType: 'AuthenticationError';
}

/** 403: The signature is empty or wrong, or signed URLs are switched off */
export class InvalidSignatureError extends CaptureError {
  declare readonly errorType: 'InvalidSignatureError';
}

/** 403: The time in `expires` is over */
export class SignatureExpiredError extends CaptureError {
  declare readonly errorType: 'SignatureExpiredError';
}

/** 403: A page of another origin has asked, while there is no `AUTH_TOKEN`, or the service was addressed by a name that is not its own; `error_details` says which setting allows it */
export class CrossSiteRequestError extends CaptureError {
  declare readonly errorType: 'CrossSiteRequestError';
}

/** 404: The path is none of the service's */
export class NotFoundError extends CaptureError {
  declare readonly errorType: 'NotFoundError';
}

/** 405: The path is known, the method is not; the `Allow` header lists those that are */
export class MethodNotAllowedError extends CaptureError {
  declare readonly errorType: 'MethodNotAllowedError';
}

/** 409: The result of a job is asked for before there is one, or the job was cancelled; `error_details` says its state */
export class JobNotFinishedError extends CaptureError {
  declare readonly errorType: 'JobNotFinishedError';
}

/** 410: The job finished longer ago than `JOB_RETENTION`, or its result had to make room for newer ones */
export class JobExpiredError extends CaptureError {
  declare readonly errorType: 'JobExpiredError';
}

/** 413: The body is larger than `MAX_BODY_BYTES`, or the `defaults` of a batch are in all of its captures together */
export class PayloadTooLargeError extends CaptureError {
  declare readonly errorType: 'PayloadTooLargeError';
}

/** 415: The body is compressed, in another charset, or its `Content-Type` is not `application/json` */
export class UnsupportedMediaTypeError extends CaptureError {
  declare readonly errorType: 'UnsupportedMediaTypeError';
}

/** 422: An `Idempotency-Key` is used again, within 24 hours, for a request that asks for something else */
export class IdempotencyError extends CaptureError {
  declare readonly errorType: 'IdempotencyError';
}

/** 429: Too many requests from this client; come back after `retry_after` seconds */
export class RateLimitError extends CaptureError {
  declare readonly errorType: 'RateLimitError';
}

/** 500: The page can't be reached or is none: DNS, connection, TLS, redirect loop, download; `message` says which */
export class NavigationError extends CaptureError {
  declare readonly errorType: 'NavigationError';
}

/** 500: The page load, the awaited element or the whole request took too long; `message` says which */
export class TimeoutError extends CaptureError {
  declare readonly errorType: 'TimeoutError';
}

/** 500: The page took its tab or the browser down, twice; or what it does is too much to be followed: 64 MB in one address, name, header or message, 256 MB in all */
export class PageCrashedError extends CaptureError {
  declare readonly errorType: 'PageCrashedError';
}

/** 500: Anything else: logged in full with the `request_id`, told in one sentence */
export class InternalServerError extends CaptureError {
  declare readonly errorType: 'InternalServerError';
}

/** 502: Where results are stored or jobs are kept is full, away, slow or refuses, three times in a row; `error_details` says which */
export class StorageError extends CaptureError {
  declare readonly errorType: 'StorageError';
}

/** 503: The queue or the memory for bodies and answers is full, this client has too much waiting or connected, or the browser is starting or shutting down; come back after `retry_after` seconds */
export class OverloadedError extends CaptureError {
  declare readonly errorType: 'OverloadedError';
}

/** The class of each `error_type`. */
export const ERROR_CLASSES = {
  ValidationError,
  DestinationNotAllowedError,
  ElementNotFoundError,
  ActionFailedError,
  ResultTooLargeError,
  AuthenticationError,
  InvalidSignatureError,
  SignatureExpiredError,
  CrossSiteRequestError,
  NotFoundError,
  MethodNotAllowedError,
  JobNotFinishedError,
  JobExpiredError,
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
  IdempotencyError,
  RateLimitError,
  NavigationError,
  TimeoutError,
  PageCrashedError,
  InternalServerError,
  StorageError,
  OverloadedError,
} as const;
