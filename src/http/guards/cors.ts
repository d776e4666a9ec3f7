import type { RequestHandler } from 'express';
import { RESPONSE_HEADERS } from '../answers/response-headers.ts';

const EXPOSED = RESPONSE_HEADERS.filter(({ exposed }) => exposed).map(({ name }) => name);

/** Lets pages of the listed origins call the service. Without any there are no CORS headers at all. */
export function createCors(origins: readonly string[]): RequestHandler {
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
      'Access-Control-Allow-Methods': 'GET, POST',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Request-Id',
      'Access-Control-Max-Age': '600',
    });
    response.status(204).end();
  };
}
