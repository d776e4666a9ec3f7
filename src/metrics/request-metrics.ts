import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import type { ErrorType } from '../errors.ts';
import { PREFIX, SECONDS_BUCKETS } from './prefix.ts';

/** A finished request. Every field that becomes a label has a closed set of values, so clients can't create new series. */
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

/** Adds the metrics of HTTP requests to the registry. Returns the function that records a finished request. */
export function addRequestMetrics(registry: Registry): (request: FinishedRequest) => void {
  const registers = [registry];
  const requests = new Counter({
    name: `${PREFIX}requests_total`,
    help: 'Requests by route, status and error type; status 499 if the client disconnected',
    labelNames: ['route', 'status', 'error_type'],
    registers,
  });
  const seconds = new Histogram({
    name: `${PREFIX}request_duration_seconds`,
    help: 'Time from the first line of a request to the end of its answer',
    labelNames: ['route'],
    buckets: [0.001, ...SECONDS_BUCKETS],
    registers,
  });
  const cacheAnswers = new Counter({
    name: `${PREFIX}cache_answers_total`,
    help: 'Captures sent, by cache result: hit, miss (captured, or shared with an equal capture in flight), bypass (cache_ttl 0)',
    labelNames: ['result'],
    registers,
  });
  const rateLimited = new Counter({
    name: `${PREFIX}rate_limited_total`,
    help: 'Requests refused by the rate limit, by class of the limit',
    labelNames: ['class'],
    registers,
  });

  return (request) => {
    const { route, status, errorType, routeClass, cache } = request;
    requests.inc({ route, status, error_type: errorType ?? 'none' });
    seconds.observe({ route }, request.seconds);
    if (cache !== undefined) cacheAnswers.inc({ result: cache.toLowerCase() });
    // Requests without valid credentials, and requests to sign, count against the limit of captures.
    if (errorType === 'RateLimitError') rateLimited.inc({ class: routeClass ?? 'capture' });
  };
}
