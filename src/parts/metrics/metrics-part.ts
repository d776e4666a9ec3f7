import type { MetricsSettings } from './metrics-setting.ts';
import type { CacheState } from '../cache/memory-cache.ts';
import { createMetricsApp } from './metrics-app.ts';
import { createHttpServer } from '../../core/http/server.ts';
import { createMetrics, type MetricsState } from './metrics.ts';
import { withMetrics } from './with-metrics.ts';
import type { Part } from '../../core/part.ts';

/** Figures for Prometheus. */
export const METRICS: Part<CacheState & { readonly config: MetricsSettings }, MetricsState> = {
  open: ({ budgets, cacheUsage: cache, config, host, pool }) => {
    const metrics = createMetrics({ pool: pool.state, browser: host.state, cache, budgets }, config);
    return {
      state: { metrics },
      ports: { recordRequest: metrics.recordRequest },
      around: { inside: withMetrics(metrics) },
    };
  },
};

/** The server of METRICS_PORT, which answers until all other parts have ended. */
export const METRICS_SERVER: Part<MetricsState & { readonly config: MetricsSettings }, object> = {
  open: ({ config, lifecycle, log, metrics, ownPorts }) => {
    const { host, metricsPort } = config;
    if (metricsPort === undefined) return { state: {} };
    const server = createHttpServer(createMetricsApp({ ...config, metrics, log }));
    lifecycle.onClose({ name: 'metrics server', timeoutMs: 5_000, close: server.close });
    const start = async (): Promise<void> => {
      const { port } = await server.listen(host, metricsPort);
      ownPorts.add(port);
      log.info({ port }, 'metrics listening');
    };
    return { state: {}, start };
  },
};
