import type { RequestHandler } from 'express';
import type { Metrics } from '../../metrics/metrics.ts';

/** Metrics for Prometheus. */
export function createMetricsHandler({ render, contentType }: Pick<Metrics, 'render' | 'contentType'>): RequestHandler {
  return async (_request, response) => void response.set('Content-Type', contentType).end(await render());
}
