import type { RequestHandler } from 'express';
import type { Metrics, MetricsState } from './metrics.ts';
import type { MetricsSettings } from './metrics-setting.ts';
import type { Route } from '../../core/http/routes/route.ts';

/** Metrics for Prometheus. */
export function createMetricsHandler({ render, contentType }: Pick<Metrics, 'render' | 'contentType'>): RequestHandler {
  return async (_request, response) => void response.set('Content-Type', contentType).end(await render());
}

export const METRICS_ROUTES: readonly Route<MetricsState & { readonly config: MetricsSettings }>[] = [
  {
    path: '/metrics',
    methods: ['GET', 'HEAD'],
    name: 'metrics',
    // Metrics reveal the captures of all clients, so they need AUTH_TOKEN if authentication is on.
    callers: 'bearer',
    right: 'default key',
    isOn: ({ config: { metricsPort } }) => metricsPort === undefined,
    createHandler: ({ metrics }) => createMetricsHandler(metrics),
  },
];
