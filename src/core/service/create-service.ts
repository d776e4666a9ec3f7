import type { AddressInfo } from 'node:net';
import type { BrowserEnvironment } from '../browser/find/browser-environment.ts';
import { warnOfMissingScripts } from '../capture/font-check.ts';
import { trustAuthorities } from '../egress/certificates/authorities.ts';
import { type Config, shapingSettings } from '../config/settings.ts';
import { createResolver, type Resolve } from '../egress/resolver.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import type { Logger } from '../ground/log.ts';
import { packageVersion } from './package-version.ts';
import { createBrowser, type ServiceBrowser } from './create-browser.ts';
import { createCaptures } from './create-captures.ts';
import { createPool, type ServicePool } from './create-pool.ts';
import { createServer, now } from './create-server.ts';
import type { ConfigState, PartList } from '../part.ts';
import type { Route } from '../http/routes/route.ts';
import type { Tracer } from '../ground/tracer.ts';
import { FIELD_NAMES } from '../capture/request/options.ts';
import { ConfigError } from '../config/load.ts';
import { createKeyRing, type KeyRing } from '../access/key-ring.ts';

export interface Service {
  /**
   * Resolves when the HTTP server listens. The browser starts in the background; /health/ready reports when it runs.
   */
  readonly start: () => Promise<AddressInfo>;
  /** Process groups of the running browsers. */
  readonly browserGroups: () => readonly number[];
  /**
   * Reports not ready. After `SHUTDOWN_DELAY_MS` refuses new captures, lets running ones finish within the grace, then
   * closes everything. Does not throw.
   */
  readonly close: () => Promise<void>;
}

/** What a service can do. */
interface ServiceList<State extends ConfigState> {
  readonly parts: PartList<State>;
  /** All routes, in the order of the API's description. */
  readonly routes: readonly Route<State>[];
}

interface Surroundings<State extends ConfigState> {
  readonly list: ServiceList<State>;
  /** Replaces the resolver of the machine. */
  readonly resolve?: Resolve;
  readonly tracer?: Tracer | undefined;
}

/** Creates and connects the core and the parts of the list, from the browser to the routes. The caller closes it. */
export async function createService<State extends ConfigState>(
  config: State['config'],
  environment: BrowserEnvironment,
  log: Logger,
  { list, resolve = createResolver(), tracer }: Surroundings<State>,
): Promise<Service> {
  if (config.extraCaFile !== undefined) trustAuthorities(config.extraCaFile);
  const lifecycle = createLifecycle(log);
  // The last to close, because all other parts end spans.
  if (tracer !== undefined) lifecycle.onClose({ name: 'tracing', timeoutMs: 1_000, close: tracer.close });
  const shutdown = { isShuttingDown: false, isRefusing: false };
  const keys = openKeys(config, log, lifecycle);
  const shaping = shapingSettings(config, list.parts.settings);
  const context = { config, shaping, keys, lifecycle, log, now, version: packageVersion(), shutdown, tracer };
  const browser = await createBrowser(context, environment);
  const pool = await createPool(context, browser.host, resolve);
  const openBrowser = async (executable: string): Promise<{ browser: ServiceBrowser; pool: ServicePool }> => {
    const own = {
      ...context,
      config: { ...context.config, browserExecutable: executable, poolSize: 1 },
      log: context.log.child({ executable }),
    };
    const other = await createBrowser(own, environment, browser.budgets);
    return { browser: other, pool: await createPool(own, other.host, resolve, pool) };
  };
  const { locale } = environment;
  const captures = await createCaptures(context, browser, pool, { list: list.parts, locale, openBrowser });
  const server = createServer(context, { ...browser, ...pool, ...captures }, list.routes);

  const startBrowser = async (): Promise<void> => {
    await browser.host.start();
    const { state, version } = browser.host.state();
    const { source, kind } = browser.executable;
    log.info({ browser: version, source, kind, sandbox: browser.isSandboxed(), state }, 'ready to capture');
    await warnOfMissingScripts(pool.pool, log);
  };

  return {
    browserGroups: browser.host.groups,
    start: async () => {
      const address = await server.listen();
      for (const { start } of captures.parts) await start?.();
      startBrowser().catch((error: unknown) => {
        if (!shutdown.isShuttingDown) log.error({ err: error }, 'the first browser did not start cleanly');
      });
      return address;
    },
    close: () => {
      shutdown.isShuttingDown = true;
      server.leave();
      return lifecycle.close();
    },
  };
}

/**
 * Reads the keys of the service. Reads KEYS_FILE again when it changes, and on SIGHUP.
 * @throws ConfigError if the file is invalid
 */
function openKeys(config: Config, log: Logger, lifecycle: Lifecycle): KeyRing {
  const keys = readKeys(config, log);
  if (config.keysFile !== undefined) process.on('SIGHUP', keys.reload);
  lifecycle.onClose({
    name: 'keys',
    timeoutMs: 100,
    close: async () => {
      process.off('SIGHUP', keys.reload);
      keys.close();
    },
  });
  return keys;
}

function readKeys(config: Config, log: Logger): KeyRing {
  try {
    return createKeyRing({ ...config, fieldNames: new Set(FIELD_NAMES), now: Date.now, log });
  } catch (error) {
    throw new ConfigError([error instanceof Error ? error.message : String(error)]);
  }
}
