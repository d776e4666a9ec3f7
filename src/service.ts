import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { BrowserEnvironment } from './browser/browser-environment.ts';
import { createBrowserHost } from './browser/browser-host.ts';
import { findBrowser } from './browser/executable.ts';
import { launchBrowser } from './browser/launch.ts';
import { memoryLimitBytes } from './browser/memory-limit.ts';
import { createPagePool } from './browser/page-pool.ts';
import { sweepProfileFolders } from './browser/profile-folder.ts';
import { watchBrowser } from './browser/watchdog.ts';
import { type Capture, createCapture } from './capture/capture.ts';
import { findMissingScripts } from './capture/font-check.ts';
import type { Config } from './config.ts';
import { createDestinationPolicy } from './egress/destination.ts';
import { createGate, type Gate } from './egress/gate.ts';
import { createResolver, type Resolve } from './egress/resolver.ts';
import { ServiceError } from './errors.ts';
import { createApp } from './http/app.ts';
import { createHealthRoute } from './http/health-route.ts';
import { createLimit } from './http/limit.ts';
import { createHttpServer } from './http/server.ts';
import { createLifecycle } from './lifecycle.ts';
import type { Logger } from './log.ts';

const FONT_CHECK_MS = 10_000;

export interface Service {
  /** Resolves once it listens; the browser starts meanwhile, and /health/ready tells when it is there. */
  readonly start: () => Promise<AddressInfo>;
  /** Refuses new captures, lets running ones finish within the grace, then closes everything. Does not throw. */
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
  const isRoot = process.getuid?.() === 0;
  const sandbox = config.browserSandbox === 'auto' ? !isRoot : config.browserSandbox;
  if (!sandbox) {
    const fix = isRoot ? 'run the service as a user that is not root' : 'set BROWSER_SANDBOX=auto';
    log.warn(`the browser runs without its sandbox: ${fix}`);
  }
  const swept = await sweepProfileFolders();
  if (swept > 0) log.info({ folders: swept }, 'removed profile folders of earlier runs');

  const host = createBrowserHost({
    launch: () => launchBrowser({ executable, sandbox, environment: environment.variables, log }),
    recycleAfter: config.browserRecycleAfter,
    watch: (browser, pages) => {
      watchBrowser({ browser, pages, memoryLimitBytes: memoryLimitBytes(), log });
    },
    log,
  });
  lifecycle.onClose({ name: 'browser', timeoutMs: 10_000, close: host.close });
  const gates = await Promise.all(Array.from({ length: config.poolSize }, () => createGate(log)));
  lifecycle.onClose({ name: 'gates', timeoutMs: 1_000, close: () => closeAll(gates) });
  const pool = createPagePool({
    host,
    gates,
    maxQueue: config.maxQueue,
    prepare: async () => undefined,
    log,
  });
  const ownPorts = new Set(gates.map(({ port }) => port));
  const openDestinations = createDestinationPolicy({
    allow: config.egressAllow,
    deny: config.egressDeny,
    resolve,
    isOwnPort: (port) => ownPorts.has(port),
  });

  let shuttingDown = false;
  const capture = refuseWhen(() => shuttingDown, createCapture({ pool, openDestinations, ...config }));
  const limits = {
    capture: createLimit(config.rateLimitCapture, { enabled: config.rateLimitEnabled }),
    signed: createLimit(config.rateLimitSigned, { enabled: config.rateLimitEnabled }),
  };
  const version = packageVersion();
  const health = createHealthRoute({
    version,
    browser: host.state,
    isResponsive: host.isResponsive,
    pool: pool.state,
    isQueueFull: pool.isFull,
    isShuttingDown: () => shuttingDown,
  });
  const server = createHttpServer(
    createApp({
      ...config,
      capture,
      health,
      version,
      limits: { capture: limits.capture.middleware, signed: limits.signed.middleware },
      log,
      now: () => Date.now() / 1000,
    }),
  );
  lifecycle.onClose({
    name: 'limits',
    timeoutMs: 100,
    close: async () => [limits.capture, limits.signed].forEach((limit) => limit.close()),
  });
  lifecycle.onClose({ name: 'server', timeoutMs: 5_000, close: server.close });
  // Until the captures have finished the server listens on, so that /health/ready can tell load balancers to go elsewhere.
  lifecycle.onClose({ name: 'captures', timeoutMs: config.shutdownGraceMs, close: pool.idle });

  const startBrowser = async (): Promise<void> => {
    await host.start();
    const { state, version } = host.state();
    log.info(
      { browser: version, source: executable.source, kind: executable.kind, sandbox, state },
      'ready to capture',
    );
    const missing = await findMissingScripts(pool, AbortSignal.timeout(FONT_CHECK_MS));
    if (missing.length > 0) {
      log.warn(
        { scripts: missing },
        `no font on this machine for ${missing.join(', ')}: such text will not be readable`,
      );
    }
  };

  return {
    start: async () => {
      const address = await server.listen(config.host, config.port);
      ownPorts.add(address.port);
      startBrowser().catch((error: unknown) => {
        if (!shuttingDown) log.error({ err: error }, 'the first browser did not start cleanly');
      });
      return address;
    },
    close: () => {
      shuttingDown = true;
      return lifecycle.close();
    },
  };
}

async function closeAll(gates: readonly Gate[]): Promise<void> {
  await Promise.all(gates.map((gate) => gate.close()));
}

/** Refuses captures while the condition holds. */
function refuseWhen(isClosed: () => boolean, capture: Capture): Capture {
  return (options, context) => {
    if (!isClosed()) return capture(options, context);
    throw new ServiceError('OverloadedError', 'The service is shutting down', { retryAfterSeconds: 5 });
  };
}

function packageVersion(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  );
  return version;
}
