import type { Express } from 'express';
import type { Config } from '../config/settings.ts';
import type { Logger } from '../log.ts';
import type { MetricsState } from '../metrics/metrics.ts';
import { errorHandler, notFound, onlyMethods } from './answers/error-handler.ts';
import { createExpress } from './app.ts';
import { createHostCheck } from './guards/cross-site.ts';
import { createRequestContext } from './request/request-context.ts';
import { createMetricsHandler } from './routes/metrics-route.ts';

interface MetricsAppOptions extends MetricsState, Pick<Config, 'host' | 'allowedHosts'> {
  readonly log: Logger;
}

/** Serves the metrics on a separate port for a private network, without a token. */
export function createMetricsApp({ metrics, log, ...hosts }: MetricsAppOptions): Express {
  const app = createExpress();
  app.use(createRequestContext(log));
  const refuseUnknownHost = createHostCheck(hosts);
  app.use((request, _response, next) => {
    refuseUnknownHost(request);
    next();
  });
  app.all('/metrics', onlyMethods(['GET', 'HEAD']), createMetricsHandler(metrics));
  app.use(notFound());
  app.use(errorHandler);
  return app;
}
