import type { CaptureError } from '../client/capture-error.ts';

/** Exit codes, for scripts. A signal ends with 128 and its number, as in a shell. */
export const EXIT = {
  ok: 0,
  /** The page could not be captured; of several, one at least. */
  failed: 1,
  /** The command line, a field, a setting or the list of jobs is wrong. */
  usage: 2,
  /** The service can not be reached or refuses, or there is no browser: the same again may work later or elsewhere. */
  unavailable: 3,
} as const;

/** Something that whoever typed the command can mend: the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const CAPTURE_FAILED = new Set([400, 413, 500]);

/** The exit code for a capture that failed. */
export function exitCodeOf(error: CaptureError): number {
  if (error.errorType === 'ValidationError') return EXIT.usage;
  return error.status !== undefined && CAPTURE_FAILED.has(error.status) ? EXIT.failed : EXIT.unavailable;
}

/** One sentence or two, for a person. */
export function describeFailure(error: CaptureError): string {
  const details = error.details === undefined ? '' : ` (${error.details})`;
  const id = error.requestId === undefined ? '' : ` [${error.requestId}]`;
  return `${error.errorType}: ${error.message}${details}${id}`;
}
