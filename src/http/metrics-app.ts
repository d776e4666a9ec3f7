import type { Express } from 'express';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createExpress } from './express.ts';
import { errorHandler, notFound, onlyMethods } from './answers/error-handler.ts';
import { createRequestContext } from './request/request-context.ts';
import { createMetricsHandler } from './routes/metrics.ts';

/** Serves the metrics on a separate port for a private network, without a token. */
export function createMetricsApp(metrics: Metrics, log: Logger): Express {
  const app = createExpress();
  app.use(createRequestContext(log));
  app.all('/metrics', onlyMethods(['GET', 'HEAD']), createMetricsHandler(metrics));
  app.use(notFound());
  app.use(errorHandler);
  return app;
}
