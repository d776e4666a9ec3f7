// Written by `npm run docs` from the catalogue in src/core/ground/errors.ts.
import { CaptureError } from './capture-error.ts';

/** 400: Malformed JSON, an unknown or invalid field, or an invalid selector. `error_details` names the field and the accepted values. 408: the request arrived too slowly. 431: its headers are too large */
export class ValidationError extends CaptureError {
  declare readonly errorType: 'ValidationError';
}

/** 400: The address of the page, or of a redirect, is private or denied by the settings */
export class DestinationNotAllowedError extends CaptureError {
  declare readonly errorType: 'DestinationNotAllowedError';
}

/** 400: `selector` matches no element, or only invisible ones */
export class ElementNotFoundError extends CaptureError {
  declare readonly errorType: 'ElementNotFoundError';
}

/** 400: A side is no picture, is larger than `MAX_PIXELS`, or both have more than 100 million pixels together. With `align: rows`, the widths differ */
export class NotComparableError extends CaptureError {
  declare readonly errorType: 'NotComparableError';
}

/** 400: One of `actions` failed: its element was missing or not ready in time. `error_details` names the action and the reason */
export class ActionFailedError extends CaptureError {
  declare readonly errorType: 'ActionFailedError';
}

/** 400: The page has a failure of `fail_on`, shows `fail_if_text`, does not show `fail_unless_text`, or cannot meet `pdf_standard` or `paged_media`. `error_details` names the cause */
export class PageRejectedError extends CaptureError {
  declare readonly errorType: 'PageRejectedError';
}

/** 400: The page answered with a status of `fail_on_status`. `message` has the status */
export class PageStatusError extends CaptureError {
  declare readonly errorType: 'PageStatusError';
}

/** 400: The picture exceeds `MAX_PIXELS` or the limits of its format, a side of the pdf exceeds 14,400 pt, or the result exceeds `MAX_RESULT_BYTES` */
export class ResultTooLargeError extends CaptureError {
  declare readonly errorType: 'ResultTooLargeError';
}

/** 401 or 403: 401: the request has no Authorization header and no signature. 403: the bearer token is wrong, or the key of a job has ended */
export class AuthenticationError extends CaptureError {
  declare readonly errorType: 'AuthenticationError';
}

/** 403: The signature is empty or wrong, or signed URLs are off */
export class InvalidSignatureError extends CaptureError {
  declare readonly errorType: 'InvalidSignatureError';
}

/** 403: The link has expired: the time in `expires` has passed */
export class SignatureExpiredError extends CaptureError {
  declare readonly errorType: 'SignatureExpiredError';
}

/** 403: The key may not do this. `error_details` names the missing scope */
export class ScopeError extends CaptureError {
  declare readonly errorType: 'ScopeError';
}

/** 403: The key, or a locked template, does not allow a field of the request. `error_details` names it */
export class FieldNotAllowedError extends CaptureError {
  declare readonly errorType: 'FieldNotAllowedError';
}

/** 403: The service requires no credential, and the request comes from a web page of another origin or names an unknown host. `error_details` names the setting that allows it */
export class CrossSiteRequestError extends CaptureError {
  declare readonly errorType: 'CrossSiteRequestError';
}

/** 404: The service has no such path */
export class NotFoundError extends CaptureError {
  declare readonly errorType: 'NotFoundError';
}

/** 404: `template` names no template of `TEMPLATES_DIR` */
export class TemplateNotFoundError extends CaptureError {
  declare readonly errorType: 'TemplateNotFoundError';
}

/** 405: The path does not support this method. The `Allow` header lists the supported ones */
export class MethodNotAllowedError extends CaptureError {
  declare readonly errorType: 'MethodNotAllowedError';
}

/** 409: The job has not finished, or was cancelled. `error_details` has its state */
export class JobNotFinishedError extends CaptureError {
  declare readonly errorType: 'JobNotFinishedError';
}

/** 409: The service has `WATCH_MAX` watches already */
export class WatchLimitError extends CaptureError {
  declare readonly errorType: 'WatchLimitError';
}

/** 410: The job finished longer ago than `JOB_RETENTION`, or its result was removed to make room for newer ones */
export class JobExpiredError extends CaptureError {
  declare readonly errorType: 'JobExpiredError';
}

/** 413: The body exceeds `MAX_BODY_BYTES`, or the `defaults` of a batch exceed it when copied to all captures */
export class PayloadTooLargeError extends CaptureError {
  declare readonly errorType: 'PayloadTooLargeError';
}

/** 415: The body is compressed, in another charset, or its `Content-Type` is neither `application/json` nor, for a capture with files, `multipart/form-data` */
export class UnsupportedMediaTypeError extends CaptureError {
  declare readonly errorType: 'UnsupportedMediaTypeError';
}

/** 422: An `Idempotency-Key` was used for a different request within the last 24 hours */
export class IdempotencyError extends CaptureError {
  declare readonly errorType: 'IdempotencyError';
}

/** 429: Too many requests from this client. Retry after `retry_after` seconds */
export class RateLimitError extends CaptureError {
  declare readonly errorType: 'RateLimitError';
}

/** 429: The key has made all captures of its quota. Retry after `retry_after` seconds, when the next period begins */
export class QuotaExceededError extends CaptureError {
  declare readonly errorType: 'QuotaExceededError';
}

/** 500: The page can't be loaded: DNS, connection, TLS, redirect loop or download. `message` has the reason */
export class NavigationError extends CaptureError {
  declare readonly errorType: 'NavigationError';
}

/** 500: The page load, a wait or the whole request took too long. `message` names it */
export class TimeoutError extends CaptureError {
  declare readonly errorType: 'TimeoutError';
}

/** 500: The page crashed its tab or the browser twice, or produced too much protocol data: 64 MB in one address, name, header or message, 256 MB in total */
export class PageCrashedError extends CaptureError {
  declare readonly errorType: 'PageCrashedError';
}

/** 500: The template could not be rendered, or took longer than a second. `error_details` names template and line */
export class TemplateError extends CaptureError {
  declare readonly errorType: 'TemplateError';
}

/** 500: Any other fault of the service. The log has the details with the `request_id` */
export class InternalServerError extends CaptureError {
  declare readonly errorType: 'InternalServerError';
}

/** 502: The storage of results or jobs is full, unreachable, slow or refuses, after three tries. `error_details` has the reason */
export class StorageError extends CaptureError {
  declare readonly errorType: 'StorageError';
}

/** 503: The queue or a memory limit is full, this client has too many requests or connections, or the browser is starting or shutting down. Retry after `retry_after` seconds */
export class OverloadedError extends CaptureError {
  declare readonly errorType: 'OverloadedError';
}

/** The class of each `error_type`. */
export const ERROR_CLASSES = {
  ValidationError,
  DestinationNotAllowedError,
  ElementNotFoundError,
  NotComparableError,
  ActionFailedError,
  PageRejectedError,
  PageStatusError,
  ResultTooLargeError,
  AuthenticationError,
  InvalidSignatureError,
  SignatureExpiredError,
  ScopeError,
  FieldNotAllowedError,
  CrossSiteRequestError,
  NotFoundError,
  TemplateNotFoundError,
  MethodNotAllowedError,
  JobNotFinishedError,
  WatchLimitError,
  JobExpiredError,
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
  IdempotencyError,
  RateLimitError,
  QuotaExceededError,
  NavigationError,
  TimeoutError,
  PageCrashedError,
  TemplateError,
  InternalServerError,
  StorageError,
  OverloadedError,
} as const;
