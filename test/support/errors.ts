import { expect } from 'vitest';

interface ErrorAnswer {
  readonly status: number;
  readonly headers: Headers | NodeJS.Dict<string | string[]>;
  readonly body: string | Buffer;
}

/** The fields in which errors differ. */
export interface ReadError {
  /** HTTP status; the `status` in the body is checked to be `error`. */
  readonly status: number;
  readonly error_type: unknown;
  readonly message: unknown;
  readonly error_details?: unknown;
  readonly retry_after?: unknown;
}

const REQUEST_ID = /^[\w.:-]{1,128}$/;
// A stack trace, a folder, a network code of Chrome.
const UNSAFE = /\.[jt]s:\d|node_modules|\bat \w+ \(|net::/;

/**
 * Asserts the common parts of all errors: the form of the body and the headers, and no internal details. Returns the
 * rest.
 */
export function readError(answer: ErrorAnswer): ReadError {
  const text = answer.body.toString('utf8');
  expect({ type: headerOf(answer, 'content-type'), text }).toMatchObject({
    type: 'application/json; charset=utf-8',
  });
  expect(headerOf(answer, 'x-content-type-options')).toBe('nosniff');
  expect(headerOf(answer, 'cache-control')).toBe('no-store');

  const body: Record<string, unknown> = JSON.parse(text);
  const { status, timestamp, request_id: id, ...rest } = body;
  expect(status).toBe('error');
  expect(id).toMatch(REQUEST_ID);
  expect(headerOf(answer, 'x-request-id')).toBe(id);
  expect(new Date(String(timestamp)).toISOString()).toBe(timestamp);
  expect(text).not.toMatch(UNSAFE);
  const retryAfter = Number(headerOf(answer, 'retry-after') ?? Number.NaN);
  expect(rest['retry_after'] ?? Number.NaN).toBe(retryAfter);
  return { status: answer.status, error_type: rest['error_type'], message: rest['message'], ...rest };
}

/**
 * Returns an error without the request id and the time. Two requests with equal errors tell a client nothing about
 * their difference.
 */
export function comparable({
  status,
  headers,
  body,
}: {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Readonly<Record<string, unknown>>;
}) {
  const { date: _date, 'x-request-id': _id, ...sameHeaders } = headers;
  const { timestamp: _timestamp, request_id: _requestId, ...sameBody } = body;
  return { status, headers: sameHeaders, body: sameBody };
}

/** Returns a ValidationError with these details. */
export function invalid(error_details: unknown): ReadError {
  return {
    status: 400,
    error_type: 'ValidationError',
    message: 'Invalid request parameters',
    error_details,
  };
}

function headerOf({ headers }: ErrorAnswer, name: string): unknown {
  return headers instanceof Headers ? headers.get(name) : headers[name];
}
