import type { CaptureError } from '../client/capture-error.ts';

/** Exit codes for scripts. After a signal, the code is 128 plus its number, as in a shell. */
export const EXIT = {
  ok: 0,
  /** At least one capture failed. */
  failed: 1,
  /** The command line, a field, a setting or the list of jobs is wrong. */
  usage: 2,
  /** The service is unreachable or refuses, or there is no browser. The same command may work later or elsewhere. */
  unavailable: 3,
} as const;

/** An error that the user can fix. The message contains the fix. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const CAPTURE_FAILED = new Set([400, 413, 500]);

/** Returns the exit code for a failed capture. */
export function exitCodeOf(error: CaptureError): number {
  if (error.errorType === 'ValidationError') return EXIT.usage;
  return error.status !== undefined && CAPTURE_FAILED.has(error.status) ? EXIT.failed : EXIT.unavailable;
}

/** Returns one or two sentences for a person. */
export function describeFailure(error: CaptureError): string {
  const details = error.details === undefined ? '' : ` (${error.details})`;
  const id = error.requestId === undefined ? '' : ` [${error.requestId}]`;
  return `${error.errorType}: ${error.message}${details}${id}`;
}
