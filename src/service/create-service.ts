import type { AddressInfo } from 'node:net';
import type { BrowserEnvironment } from '../browser/find/browser-environment.ts';
import { warnOfMissingScripts } from '../capture/font-check.ts';
import { trustAuthorities } from '../certificates/authorities.ts';
import type { Config } from '../config/settings.ts';
import { createResolver, type Resolve } from '../egress/resolver.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import type { Logger } from '../log.ts';
import { packageVersion } from '../package-version.ts';
import { createBrowser } from './create-browser.ts';
import { createCaptures } from './create-captures.ts';
import { createPool } from './create-pool.ts';
import { createServers } from './create-servers.ts';
import type { Tracer } from '../tracer.ts';
import { NO_TEMPLATES, openTemplates } from '../templates/templates.ts';
import { FIELD_NAMES } from '../capture/request/options.ts';
import { ConfigError } from '../config/load.ts';
import { createKeyRing, type KeyRing } from '../keys/key-ring.ts';

export interface Service {
  /**
   * Resolves when the HTTP server listens. The browser starts in the background; /health/ready reports when it runs.
   */
  readonly start: () => Promise<AddressInfo>;
  /**
   * Reports not ready. After `SHUTDOWN_DELAY_MS` refuses new captures, lets running ones finish within the grace, then
   * closes everything. Does not throw.
   */
  readonly close: () => Promise<void>;
}

interface Surroundings {
  /** Replaces the resolver of the machine. */
  readonly resolve?: Resolve;
  readonly tracer?: Tracer | undefined;
}

/** Creates and connects all parts of the service, from the browser to the routes. The caller closes it. */
export async function createService(
  config: Config,
  environment: BrowserEnvironment,
  log: Logger,
  { resolve = createResolver(), tracer }: Surroundings = {},
): Promise<Service> {
  if (config.extraCaFile !== undefined) trustAuthorities(config.extraCaFile);
  const lifecycle = createLifecycle(log);
  // The last to close, because all other parts end spans.
  if (tracer !== undefined) lifecycle.onClose({ name: 'tracing', timeoutMs: 1_000, close: tracer.close });
  const shutdown = { isShuttingDown: false, isRefusing: false };
  const keys = openKeys(config, log, lifecycle);
  const { templatesDir: folder } = config;
  const templates = folder === undefined ? NO_TEMPLATES : await openTemplates({ folder, limits: config, log });
  lifecycle.onClose({ name: 'templates', timeoutMs: 2_000, close: templates.close });
  const context = { config, keys, lifecycle, log, version: packageVersion(), shutdown, templates, tracer };
  const browser = await createBrowser(context, environment);
  const pool = await createPool(context, browser.host, resolve);
  const captures = await createCaptures(context, browser, pool, environment.locale);
  const servers = await createServers(context, { ...browser, ...pool, ...captures });

  const startBrowser = async (): Promise<void> => {
    await browser.host.start();
    const { state, version } = browser.host.state();
    const { source, kind } = browser.executable;
    log.info({ browser: version, source, kind, sandbox: browser.isSandboxed(), state }, 'ready to capture');
    await warnOfMissingScripts(pool.pool, log);
  };

  return {
    start: async () => {
      const address = await servers.listen();
      captures.lists.start();
      captures.jobs.start();
      startBrowser().catch((error: unknown) => {
        if (!shutdown.isShuttingDown) log.error({ err: error }, 'the first browser did not start cleanly');
      });
      return address;
    },
    close: () => {
      shutdown.isShuttingDown = true;
      servers.leave();
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
