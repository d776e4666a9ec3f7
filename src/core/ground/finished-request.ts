import type { ErrorType } from './errors.ts';

/**
 * A finished request. Every field that becomes a label has a closed set of values, so clients can't create new series.
 */
export interface FinishedRequest {
  /** Name of the route; `other` for unknown paths. */
  readonly route: string;
  readonly status: number;
  /** Undefined if there was no error. */
  readonly errorType: ErrorType | undefined;
  /** How the request was authenticated. Undefined before the authentication. */
  readonly routeClass: 'capture' | 'signed' | undefined;
  /** Undefined if the answer contains no capture. */
  readonly cache: 'HIT' | 'MISS' | 'BYPASS' | undefined;
  readonly seconds: number;
}
