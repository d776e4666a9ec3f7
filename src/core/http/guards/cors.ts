import type { RequestHandler } from 'express';
import type { Config } from '../../config/settings.ts';
import type { DescribedRoute } from '../routes/route.ts';
import { RESPONSE_HEADERS } from '../answers/response-headers.ts';

const EXPOSED = RESPONSE_HEADERS.filter(({ isExposed = true }) => isExposed).map(({ name }) => name);
const SENT = ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'];

/** Allows pages of the listed origins to call the service. Sends no CORS headers without a list. */
export function createCors(
  { corsOrigins: origins }: Pick<Config, 'corsOrigins'>,
  routes: readonly Pick<DescribedRoute, 'requestHeaders'>[],
): RequestHandler {
  const sent = [...SENT, ...routes.flatMap(({ requestHeaders = [] }) => requestHeaders)].join(', ');
  const allowed = new Set(origins);
  return (request, response, next) => {
    if (allowed.size > 0) response.vary('Origin');
    const origin = request.get('Origin');
    if (origin === undefined || !allowed.has(origin)) {
      next();
      return;
    }
    response.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': EXPOSED.join(', '),
    });
    if (request.method !== 'OPTIONS' || request.get('Access-Control-Request-Method') === undefined) {
      next();
      return;
    }
    response.set({
      'Access-Control-Allow-Methods': 'GET, POST, PATCH, DELETE',
      'Access-Control-Allow-Headers': sent,
      'Access-Control-Max-Age': '600',
    });
    response.status(204).end();
  };
}
