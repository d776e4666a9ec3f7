import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { checkFutureDestinations } from '../capture/check-destination.ts';
import { type Compare, createCompare } from '../compare/compare.ts';
import { createApp } from '../http/app.ts';
import { createLimits, type Limits } from '../http/guards/route-limits.ts';
import { createMetricsApp } from '../http/metrics-app.ts';
import { createHttpServer } from '../http/server.ts';
import { type PartsState, portsOf } from '../list.ts';
import type { ServiceBrowser } from './create-browser.ts';
import type { ServiceCaptures } from './create-captures.ts';
import type { ServicePool } from './create-pool.ts';
import type { ServiceContext } from './service-context.ts';

/** The HTTP server, and the metrics server if it has its own port. */
export interface ServiceServers {
  /** Returns the address of the HTTP server. */
  readonly listen: () => Promise<AddressInfo>;
  /** Closes idle connections, and each other connection after its request. */
  readonly leave: () => void;
}

/** Returns Unix seconds. */
const now = (): number => Date.now() / 1_000;

interface Parts extends ServiceBrowser, ServicePool, ServiceCaptures {}

/** Creates the HTTP servers, and registers the steps of the shutdown that come before they close. */
export async function createServers(context: ServiceContext, parts: Parts): Promise<ServiceServers> {
  const { config, lifecycle, log } = context;
  const limits = await createLimits({ ...config, log });
  const compare = createCompare({ ...parts.metrics, budget: parts.budgets.answers });
  lifecycle.onClose({ name: 'comparisons', timeoutMs: 1_000, close: compare.close });
  const server = createHttpServer(createServiceApp(context, parts, { limits, compare }));
  lifecycle.onClose({ name: 'limits', timeoutMs: 100, close: async () => limits.close() });
  lifecycle.onClose({ name: 'server', timeoutMs: 5_000, close: server.close });
  const metricsServer = createHttpServer(createMetricsApp({ ...config, metrics: parts.metrics, log }));
  lifecycle.onClose({ name: 'metrics server', timeoutMs: 5_000, close: metricsServer.close });
  drainBeforeClose(context, parts);

  return {
    listen: async () => {
      const address = await server.listen(config.host, config.port);
      parts.ownPorts.add(address.port);
      if (config.metricsPort !== undefined) {
        const { port } = await metricsServer.listen(config.host, config.metricsPort);
        parts.ownPorts.add(port);
        log.info({ port }, 'metrics listening');
      }
      return address;
    },
    leave: server.leave,
  };
}

function createServiceApp(
  context: ServiceContext,
  parts: Parts,
  { limits, compare }: { readonly limits: Limits; readonly compare: Compare },
): ReturnType<typeof createApp> {
  const { config, version, shutdown } = context;
  const { budgets, capture, host, isSandboxed, jobs, openDestinationsByAddress } = parts;
  const { parseFields, pool, results, running, usage } = parts;
  const state: PartsState = {
    jobs,
    usage,
    compare,
    resultStorage: results?.storage,
    checkStoredLink: results?.checkLink,
    deliver: parts.deliver,
    templates: context.templates,
    metrics: parts.metrics,
  };
  return createApp({
    ...config,
    ...portsOf(state, { now, budgets }),
    budgets,
    capture,
    keys: context.keys,
    limits,
    log: context.log,
    parseFields,
    tracer: context.tracer,
    version,
    countAsRunning: running.count,
    refuseWhenFull: pool.refuseWhenFull,
    health: {
      version,
      browser: host.state,
      isSandboxed,
      isResponsive: host.isResponsive,
      pool: pool.state,
      isQueueFull: pool.isFull,
      isShuttingDown: () => shutdown.isShuttingDown,
      areJobsTaken: jobs.isAvailable,
    },
    checkAddresses: (requested, key) => checkFutureDestinations(openDestinationsByAddress(key?.egressAllow), requested),
    now,
  });
}

/**
 * Registers the first steps of the shutdown. They run in this order: delay for load balancers, jobs, captures. The
 * server listens until all have finished, so that /health/ready can report not ready.
 */
function drainBeforeClose({ config, lifecycle, shutdown }: ServiceContext, { running, pool, jobs }: Parts): void {
  lifecycle.onClose({
    name: 'captures',
    timeoutMs: config.shutdownGraceMs,
    close: async () => {
      await running.idle();
      await pool.idle();
    },
  });
  lifecycle.onClose({ name: 'jobs', timeoutMs: 10_000, close: jobs.stop });
  lifecycle.onClose({
    name: 'load balancers',
    timeoutMs: config.shutdownDelayMs + 1_000,
    close: async () => {
      if (config.shutdownDelayMs > 0) await delay(config.shutdownDelayMs);
      shutdown.isRefusing = true;
    },
  });
}
