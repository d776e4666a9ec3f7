import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { checkFutureDestinations } from '../capture/check-destination.ts';
import { createApp } from '../http/app.ts';
import { createLimits } from '../http/guards/route-limits.ts';
import { type Core, type Route, withState } from '../http/routes/route.ts';
import { createHttpServer } from '../http/server.ts';
import type { ServiceBrowser } from './create-browser.ts';
import type { ServiceCaptures } from './create-captures.ts';
import type { ServicePool } from './create-pool.ts';
import type { ServiceContext } from './service-context.ts';

/** The HTTP server. */
export interface ServiceServer {
  /** Returns the address of the server. */
  readonly listen: () => Promise<AddressInfo>;
  /** Closes idle connections, and each other connection after its request. */
  readonly leave: () => void;
}

/** Returns Unix seconds. */
export const now = (): number => Date.now() / 1_000;

interface Created<State> extends ServiceBrowser, ServicePool, ServiceCaptures<State> {}

/** Creates the HTTP server, and registers the steps of the shutdown that come before it closes. */
export function createServer<State>(
  context: ServiceContext,
  created: Created<State>,
  routes: readonly Route<State>[],
): ServiceServer {
  const { config, lifecycle } = context;
  const limits = createLimits({ ...config, ...created.ports });
  const app = createApp(coreOf(context, created, limits), withState(routes, created.state));
  const server = createHttpServer(app);
  lifecycle.onClose({ name: 'limits', timeoutMs: 100, close: async () => limits.close() });
  lifecycle.onClose({ name: 'server', timeoutMs: 5_000, close: server.close });
  drainBeforeClose(context, created);

  return {
    listen: async () => {
      const address = await server.listen(config.host, config.port);
      created.ownPorts.add(address.port);
      return address;
    },
    leave: server.leave,
  };
}

function coreOf(context: ServiceContext, created: Created<unknown>, limits: Core['limits']): Core {
  const { version, shutdown } = context;
  const { budgets, capture, host, isSandboxed, openDestinationsByAddress, parseFields, pool, ports, running } = created;
  return {
    ...context,
    budgets,
    capture,
    limits,
    parseFields,
    ports,
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
      areJobsTaken: ports.areJobsTaken,
    },
    checkAddresses: (requested, key) => checkFutureDestinations(openDestinationsByAddress(key?.egressAllow), requested),
  };
}

/**
 * Registers the first steps of the shutdown. They run in this order: delay for load balancers, captures of parts, all
 * captures. The server listens until all have finished, so that /health/ready can report not ready.
 */
function drainBeforeClose(
  { config, lifecycle, shutdown }: ServiceContext,
  { running, pool, parts }: Created<unknown>,
): void {
  lifecycle.onClose({
    name: 'captures',
    timeoutMs: config.shutdownGraceMs,
    close: async () => {
      await running.idle();
      await pool.idle();
    },
  });
  lifecycle.onClose({
    name: 'jobs',
    timeoutMs: 10_000,
    close: async () => void (await Promise.all(parts.map(async ({ stop }) => await stop?.()))),
  });
  lifecycle.onClose({
    name: 'load balancers',
    timeoutMs: config.shutdownDelayMs + 1_000,
    close: async () => {
      if (config.shutdownDelayMs > 0) await delay(config.shutdownDelayMs);
      shutdown.isRefusing = true;
    },
  });
}
