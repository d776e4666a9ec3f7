import type { RequestHandler } from 'express';
import { isValidBearer } from '../auth/bearer.ts';
import { ServiceError } from '../errors.ts';
import type { Metrics } from '../metrics/metrics.ts';

/**
 * The metrics, for Prometheus. They tell how much is captured and how well: where there is a token, only to who has it. A signed link
 * is for captures and opens nothing here.
 */
export function createMetricsRoute(
  { render, contentType }: Pick<Metrics, 'render' | 'contentType'>,
  authToken: string | undefined,
): RequestHandler {
  return async (request, response) => {
    const header = request.get('Authorization');
    if (authToken !== undefined && !isValidBearer(header, authToken)) {
      if (header !== undefined) throw new ServiceError('AuthenticationError');
      throw new ServiceError('AuthenticationError', 'Authentication is required: a bearer token', {
        status: 401,
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    }
    response.set('Content-Type', contentType).end(await render());
  };
}
