import type { Express } from 'express';
import type { Config } from '../../core/config/settings.ts';
import type { Logger } from '../../core/ground/log.ts';
import type { MetricsState } from './metrics.ts';
import { errorHandler, notFound, onlyMethods } from '../../core/http/answers/error-handler.ts';
import { createExpress } from '../../core/http/app.ts';
import { createHostCheck } from '../../core/http/guards/cross-site.ts';
import { createRequestContext } from '../../core/http/request/request-context.ts';
import { createMetricsHandler } from './metrics-route.ts';

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
