import type { FinishedRequest } from '../../core/ground/finished-request.ts';
import type { Series } from './series.ts';

/** Adds the metrics of HTTP requests. Returns the function that records a finished request. */
export function addRequestMetrics(series: Series): (request: FinishedRequest) => void {
  const requests = series.counter(
    'requests_total',
    'Requests by route, status and error type; status 499 if the client disconnected',
    ['route', 'status', 'error_type'],
  );
  const seconds = series.seconds(
    'request_duration_seconds',
    'Time from the first line of a request to the end of its answer',
    ['route'],
    [0.001],
  );
  const cacheAnswers = series.counter(
    'cache_answers_total',
    'Captures sent, by cache result: hit, miss (captured, or shared with an equal capture in flight), bypass (cache_ttl 0)',
    ['result'],
  );
  const rateLimited = series.counter(
    'rate_limited_total',
    'Requests refused by the rate limit, by class of the limit',
    ['class'],
  );

  return (request) => {
    const { route, status, errorType, routeClass, cache } = request;
    requests.inc({ route, status, error_type: errorType ?? 'none' });
    seconds.observe({ route }, request.seconds);
    if (cache !== undefined) cacheAnswers.inc({ result: cache.toLowerCase() });
    // Requests without valid credentials, and requests to sign, count against the limit of captures.
    if (errorType === 'RateLimitError') rateLimited.inc({ class: routeClass ?? 'capture' });
  };
}
