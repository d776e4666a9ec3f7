import { errorCode } from '../../core/ground/errors.ts';
import {
  type CaptureError,
  ClientTimeoutError,
  ConnectionError,
  UnexpectedAnswerError,
} from '../client/capture-error.ts';

/** Exit codes for scripts. After a signal, the code is 128 plus its number, as in a shell. */
export const EXIT = {
  ok: 0,
  /** The service refused a field or could not capture the page, or the output can't be written. */
  failed: 1,
  /** The command line, a setting or the list of pages is wrong. */
  usage: 2,
  /** No connection, an overloaded service, or no browser. The same command may work later or elsewhere. */
  unavailable: 3,
  /** The token or link is wrong, lacks a right, or has exceeded its rate limit or quota. */
  notAllowed: 4,
  /** The reader of standard output has ended, as in `| head -1`: 128 plus SIGPIPE. */
  noReader: 141,
} as const;

/** Meaning of each exit code for the help. */
export const EXIT_CODES: readonly (readonly [code: number | string, meaning: string])[] = [
  [EXIT.ok, 'done'],
  [EXIT.failed, "the request or the page failed, or the output can't be written"],
  [EXIT.usage, 'wrong command line or setting'],
  [EXIT.unavailable, 'no service: no connection, overloaded, or no browser'],
  [EXIT.notAllowed, 'not allowed: wrong token, missing right, rate or quota'],
  ['130, 143', 'interrupted by a signal'],
  [EXIT.noReader, 'the reader of standard output has ended'],
];

/** An error that the user can fix. The message contains the fix. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A file or standard output that can't be written. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
  /** True if the reader of standard output has ended. Commands then end without a message. */
  readonly lacksReader: boolean;

  constructor(output: string, cause: unknown) {
    super(`${output} can't be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.lacksReader = errorCode(cause) === 'EPIPE';
  }
}

const NOT_ALLOWED = new Set([401, 403, 429]);

/** Returns the exit code for an error of the client. */
export function exitCodeOf(error: CaptureError): number {
  if (error instanceof ConnectionError || error instanceof ClientTimeoutError) return EXIT.unavailable;
  if (error.status !== undefined && NOT_ALLOWED.has(error.status)) return EXIT.notAllowed;
  // An answer in another form was sent by a proxy in front of the service, which is then unavailable.
  return error.status === 503 || error instanceof UnexpectedAnswerError ? EXIT.unavailable : EXIT.failed;
}

/** Returns one or two sentences for a person. */
export function describeFailure(error: CaptureError): string {
  const hint = error.status === 401 ? 'set CAPTURE_TOKEN to a token of the service' : undefined;
  const details = [error.details, hint]
    .filter((each) => each !== undefined)
    .map((each) => ` (${each})`)
    .join('');
  const id = error.requestId === undefined ? '' : ` [${error.requestId}]`;
  return `${error.errorType}: ${error.message}${details}${id}`;
}
