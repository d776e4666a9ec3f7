import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserEnvironment } from './browser/find/browser-environment.ts';
import { createBrowserHost } from './browser/host/browser-host.ts';
import { findBrowser } from './browser/find/executable.ts';
import { launchBrowser } from './browser/process/launch.ts';
import { localeByCalls } from './browser/locale.ts';
import { findMemoryLimit } from './browser/process/available-memory.ts';
import { createPagePool } from './browser/pool/page-pool.ts';
import { sweepProfileFolders } from './browser/process/profile-folder.ts';
import { showsProcesses } from './browser/process/process-table.ts';
import { createSandboxedLaunch } from './browser/process/sandbox.ts';
import { createSocketOwner } from './browser/process/socket-owner.ts';
import { watchBrowser } from './browser/process/watchdog.ts';
import { createGarbageCollector } from './cache/collect-garbage.ts';
import { createCache } from './cache/create-cache.ts';
import { withCache } from './cache/with-cache.ts';
import { createCapture } from './capture/capture.ts';
import { createPictureTurns } from './capture/formats/pictures/picture-turns.ts';
import { refuseWhen } from './capture/refuse-when.ts';
import { countRunning } from './capture/running-captures.ts';
import { DEFAULT_WINDOW } from './steps/viewport.ts';
import { checkFutureDestinations } from './capture/check-destination.ts';
import { warnOfMissingScripts } from './capture/font-check.ts';
import { type Config, settingsOfCaptures } from './config/settings.ts';
import { createDestinationPolicy } from './egress/destination.ts';
import { createFilterLists } from './blocklists/filter-lists.ts';
import { dial } from './egress/gate/dial.ts';
import { dialByProxy } from './egress/gate/dial-by-proxy.ts';
import { createGate } from './egress/gate/gate.ts';
import { proxyRules, redisRules } from './egress/own-services.ts';
import { parseNoProxy } from './egress/proxy-setting.ts';
import { createPeerCheck } from './egress/peers/peer-check.ts';
import { createResolver, type Resolve } from './egress/resolver.ts';
import { createApp } from './http/app.ts';
import { createLimits } from './http/guards/route-limits.ts';
import { createMetricsApp } from './http/metrics-app.ts';
import { createHttpServer } from './http/server.ts';
import { createJobsOf } from './jobs/create-jobs.ts';
import { createLifecycle } from './lifecycle.ts';
import type { Logger } from './log.ts';
import { createMemoryBudget, planMemory } from './memory-budget.ts';
import { createMetrics } from './metrics/metrics.ts';
import { withMetrics } from './metrics/with-metrics.ts';
import { createStorage } from './storage/create-storage.ts';
import { packageVersion } from './package-version.ts';

export interface Service {
  /** Resolves once it listens; the browser starts meanwhile, and /health/ready tells when it is there. */
  readonly start: () => Promise<AddressInfo>;
  /** Not ready any more; after the delay refuses new captures, lets running ones finish within the grace, then closes everything. Does not throw. */
  readonly close: () => Promise<void>;
}

/** Puts the service together: one straight line from the settings to the routes. The caller closes it. */
export async function createService(
  config: Config,
  environment: BrowserEnvironment,
  log: Logger,
  resolve: Resolve = createResolver(),
): Promise<Service> {
  const lifecycle = createLifecycle(log);
  const executable = await findBrowser({ ...environment.search, executable: config.browserExecutable });
  const memory = findMemoryLimit();
  const plan = planMemory(memory.limitBytes, config);
  const budgets = {
    bodies: createMemoryBudget(plan.bodies),
    answers: createMemoryBudget(plan.answers, createGarbageCollector()),
  };
  const room = { ...budgets.answers, maxBytes: config.maxResultBytes };
  const { launch, isSandboxed } = createSandboxedLaunch({
    setting: config.browserSandbox,
    launch: (sandbox) =>
      launchBrowser({
        executable,
        sandbox,
        environment: environment.variables,
        locale: environment.locale,
        room,
        log,
      }),
    log,
  });
  if (!showsProcesses()) {
    log.warn('this system has no /proc: pages are not watched for memory and processor time');
  }
  const swept = await sweepProfileFolders();
  if (swept > 0) log.info({ folders: swept }, 'removed profile folders of earlier runs');

  const host = createBrowserHost({
    launch,
    window: DEFAULT_WINDOW,
    recycleAfter: config.browserRecycleAfter,
    watch: (browser, pages, onUnresponsive) => {
      watchBrowser({ browser, pages, onUnresponsive, memory, log });
    },
    log,
  });
  lifecycle.onClose({ name: 'browser', timeoutMs: 10_000, close: host.close });
  const proxy = config.egressProxy;
  const goesAround = parseNoProxy(config.noProxy);
  const reach = proxy === undefined ? dial : dialByProxy({ proxy, goesAround, log });
  const isOurs = await createPeerCheck(createSocketOwner(host.groups), log);
  const [spareGate, ...gates] = await Promise.all([
    createGate(log, { reach, isOurs }),
    ...Array.from({ length: config.poolSize }, () => createGate(log, { reach, isOurs })),
  ]);
  const allGates = [spareGate, ...gates];
  lifecycle.onClose({
    name: 'gates',
    timeoutMs: 1_000,
    close: async () => void (await Promise.all(allGates.map((gate) => gate.close()))),
  });
  const pool = createPagePool({
    host,
    gates,
    spareGate,
    maxQueue: config.maxQueue,
    makesAhead: true,
    log,
  });
  const ownPorts = new Set(allGates.flatMap(({ port, webSocketPort }) => [port, webSocketPort]));
  const egress = {
    allow: config.egressAllow,
    deny: [...config.egressDeny, ...redisRules(config.redisUrl), ...proxyRules(proxy)],
    nat64: config.egressNatPrefixes,
    isOwnPort: (port: number) => ownPorts.has(port),
    proxyResolves: (name: string, port: number) => proxy !== undefined && !goesAround(name, [], port),
  };
  const openDestinations = createDestinationPolicy({ ...egress, resolve });
  // Where a signed link leads is looked up when it is followed: here only what the address itself says counts.
  const addressesOnly = createDestinationPolicy({ ...egress, resolve: async () => [] });

  const lists = createFilterLists({ paths: config.blockLists, log });
  lifecycle.onClose({ name: 'filter lists', timeoutMs: 2_000, close: lists.close });

  const cache = await createCache({ ...config, log });
  lifecycle.onClose({ name: 'cache', timeoutMs: 1_000, close: cache.close });

  let [shuttingDown, refusing] = [false, false];
  const version = packageVersion();
  const metrics = createMetrics({ pool: pool.state, browser: host.state, cache: cache.usage, budgets });
  const results = await createStorage({ ...config, log, record: metrics.recordStorage });
  lifecycle.onClose({
    name: 'storage',
    timeoutMs: 100,
    close: async () => results?.storage[Symbol.asyncDispose](),
  });
  const locale = localeByCalls(executable.kind, environment.locale);
  const pictureTurns = createPictureTurns(availableParallelism());
  const running = countRunning(
    createCapture({ pool, openDestinations, locale, lists: lists.engine, pictureTurns, ...config }),
  );
  const captureNow = withMetrics(running.capture, metrics);
  const capture = withCache(
    refuseWhen(() => refusing, captureNow),
    { cache, scope: JSON.stringify({ version, ...settingsOfCaptures(config) }) },
  );
  const parts = { host, pool, storage: results?.storage, openDestinations, reach, capture, metrics, log };
  const jobs = await createJobsOf(config, parts);
  lifecycle.onClose({ name: 'store of jobs', timeoutMs: 2_000, close: jobs.close });
  const limits = await createLimits({ ...config, log });
  const health = {
    version,
    browser: host.state,
    isSandboxed,
    isResponsive: host.isResponsive,
    pool: pool.state,
    isQueueFull: pool.isFull,
    isShuttingDown: () => shuttingDown,
    areJobsTaken: jobs.isAvailable,
  };
  const server = createHttpServer(
    createApp({
      ...config,
      capture,
      budgets,
      refuseWhenFull: pool.refuseWhenFull,
      health,
      metrics,
      limits,
      resultStorage: results?.storage,
      checkStoredLink: results?.checkLink,
      jobs,
      checkAddresses: (asked) => checkFutureDestinations(addressesOnly(), asked),
      version,
      log,
      now: () => Date.now() / 1000,
    }),
  );
  lifecycle.onClose({ name: 'limits', timeoutMs: 100, close: async () => limits.close() });
  lifecycle.onClose({ name: 'server', timeoutMs: 5_000, close: server.close });
  const metricsServer = createHttpServer(createMetricsApp(metrics, log));
  lifecycle.onClose({ name: 'metrics server', timeoutMs: 5_000, close: metricsServer.close });
  // Until the captures have finished the server listens on, so that /health/ready can tell load balancers to go elsewhere.
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
      refusing = true;
    },
  });

  const startBrowser = async (): Promise<void> => {
    await host.start();
    const { state, version } = host.state();
    const { source, kind } = executable;
    log.info({ browser: version, source, kind, sandbox: isSandboxed(), state }, 'ready to capture');
    await warnOfMissingScripts(pool, log);
  };

  return {
    start: async () => {
      const address = await server.listen(config.host, config.port);
      ownPorts.add(address.port);
      if (config.metricsPort !== undefined) {
        const { port } = await metricsServer.listen(config.host, config.metricsPort);
        ownPorts.add(port);
        log.info({ port }, 'metrics listening');
      }
      lists.start();
      jobs.start();
      startBrowser().catch((error: unknown) => {
        if (!shuttingDown) log.error({ err: error }, 'the first browser did not start cleanly');
      });
      return address;
    },
    close: () => {
      shuttingDown = true;
      server.leave();
      return lifecycle.close();
    },
  };
}
