import { Router } from 'express';
import type { BrowserState } from '../browser/host/browser-host.ts';
import type { PoolState } from '../browser/pool/page-pool.ts';

/** What the health routes look at. */
export interface HealthSource {
  readonly version: string;
  readonly browser: () => BrowserState;
  /** Undefined until the first browser has started. */
  readonly isSandboxed: () => boolean | undefined;
  /** A cheap call to the browser, bounded in time. */
  readonly isResponsive: () => Promise<boolean>;
  readonly pool: () => PoolState;
  readonly isQueueFull: () => boolean;
  readonly isShuttingDown: () => boolean;
}

type NotReady = 'browser_starting' | 'browser_unresponsive' | 'queue_full' | 'shutting_down';

/** The three health routes (decisions.md 7): no authentication, no limit. */
export function createHealthRoute(source: HealthSource): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router.get('/live', (_request, response) => {
    response.json({ status: 'alive' });
  });

  router.get('/ready', async (_request, response) => {
    const reason = await whyNotReady(source);
    if (reason === undefined) response.json({ status: 'ready' });
    else response.status(503).json({ status: 'not_ready', reason });
  });

  router.get('/', async (_request, response) => {
    const isHealthy = (await whyNotReady(source)) === undefined;
    const { state, version, captures, restarts } = source.browser();
    response.status(isHealthy ? 200 : 503).json({
      status: isHealthy ? 'healthy' : 'unhealthy',
      version: source.version,
      timestamp: new Date().toISOString(),
      uptime_seconds: Math.floor(process.uptime()),
      browser: {
        connected: state === 'running',
        version: version ?? null,
        sandbox: source.isSandboxed() ?? null,
        captures,
        restarts,
      },
      pool: source.pool(),
      memory: { rss_bytes: process.memoryUsage.rss() },
    });
  });

  return router;
}

async function whyNotReady(source: HealthSource): Promise<NotReady | undefined> {
  if (source.isShuttingDown()) return 'shutting_down';
  if (source.browser().state !== 'running') return 'browser_starting';
  if (!(await source.isResponsive())) return 'browser_unresponsive';
  if (source.isQueueFull()) return 'queue_full';
  return undefined;
}
