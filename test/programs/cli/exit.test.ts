import { describe, expect, it } from 'vitest';
import { describeFailure, EXIT, exitCodeOf } from '../../../src/programs/cli/exit.ts';
import {
  ClientTimeoutError,
  ConnectionError,
  UnexpectedAnswerError,
} from '../../../src/programs/client/capture-error.ts';
import { ERROR_CLASSES } from '../../../src/programs/client/service-errors.ts';
import { ERROR_CATALOGUE, type ErrorType } from '../../../src/core/ground/errors.ts';

const { failed, notAllowed, unavailable } = EXIT;
const expected: Readonly<Record<ErrorType, number>> = {
  ValidationError: failed,
  DestinationNotAllowedError: failed,
  ElementNotFoundError: failed,
  NotComparableError: failed,
  ActionFailedError: failed,
  PageRejectedError: failed,
  PageStatusError: failed,
  ResultTooLargeError: failed,
  AuthenticationError: notAllowed,
  InvalidSignatureError: notAllowed,
  SignatureExpiredError: notAllowed,
  ScopeError: notAllowed,
  FieldNotAllowedError: notAllowed,
  CrossSiteRequestError: notAllowed,
  NotFoundError: failed,
  TemplateNotFoundError: failed,
  MethodNotAllowedError: failed,
  JobNotFinishedError: failed,
  WatchLimitError: failed,
  JobExpiredError: failed,
  PayloadTooLargeError: failed,
  UnsupportedMediaTypeError: failed,
  IdempotencyError: failed,
  RateLimitError: notAllowed,
  QuotaExceededError: notAllowed,
  NavigationError: failed,
  TimeoutError: failed,
  PageCrashedError: failed,
  TemplateError: failed,
  InternalServerError: failed,
  StorageError: failed,
  OverloadedError: unavailable,
};

describe('exitCodeOf', () => {
  it.each(Object.entries(expected))('maps a %s to %d', (errorType, code) => {
    const row = Object.entries(ERROR_CATALOGUE).find(([name]) => name === errorType)?.[1];
    const errorClass = Object.entries(ERROR_CLASSES).find(([name]) => name === errorType)?.[1];
    if (row === undefined || errorClass === undefined) throw new Error(`There is no ${errorType}`);

    expect(exitCodeOf(new errorClass('It failed', { errorType, status: row.status }))).toBe(code);
  });

  it.each([
    new ConnectionError('http://service', undefined),
    new ClientTimeoutError(1, undefined),
    new UnexpectedAnswerError(502, {}),
  ])('maps a $name to an unavailable service', (error) => {
    expect(exitCodeOf(error)).toBe(unavailable);
  });

  it.each([401, 403, 429])('maps a %d of a proxy to "not allowed"', (status) => {
    expect(exitCodeOf(new UnexpectedAnswerError(status, {}))).toBe(notAllowed);
  });
});

describe('describeFailure', () => {
  it('contains every helpful detail', () => {
    const error = new ERROR_CLASSES.ValidationError('Invalid request parameters', {
      errorType: 'ValidationError',
      status: 400,
      details: 'window_width: must be a number',
      requestId: 'abc',
    });

    expect(describeFailure(error)).toBe(
      'ValidationError: Invalid request parameters (window_width: must be a number) [abc]',
    );
  });
});
