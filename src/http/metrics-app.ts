import type { Express } from 'express';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createExpress } from './express.ts';
import { errorHandler, methodNotAllowed, notFound } from './error-handler.ts';
import { createMetricsRoute } from './metrics-route.ts';
import { createRequestContext } from './request-context.ts';

/** The metrics on a port of their own, for the network that they are meant for: no token is asked for. */
export function createMetricsApp(metrics: Metrics, log: Logger): Express {
  const app = createExpress();
  app.use(createRequestContext(log));
  app.get('/metrics', createMetricsRoute(metrics));
  app.all('/metrics', methodNotAllowed(['GET', 'HEAD']));
  app.use(notFound());
  app.use(errorHandler);
  return app;
}
