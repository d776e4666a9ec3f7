import { setFlagsFromString } from 'node:v8';
import { browserEnvironment } from './core/browser/find/browser-environment.ts';
import { misspeltSettings } from './core/config/environment.ts';
import { loadConfig } from './core/config/load.ts';
import { allSettings, type Config } from './core/config/settings.ts';
import { createLog } from './core/ground/log.ts';
import { LIST } from './list.ts';
import { PART_SETTINGS } from './part-settings.ts';
import { createService } from './core/service/create-service.ts';
import { packageVersion } from './core/service/package-version.ts';
import { onStopSignals } from './core/service/stop-signals.ts';

/** A reader of one signed link can try secrets without a request. */
const MIN_SECRET_LENGTH = 32;
const ADVICE = 'make one with `openssl rand -hex 32`';
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/**
 * Lets the heap grow to four times its live size. The live heap has 25 MB and pictures of several MB pass through it,
 * so V8 would run a full collection for every third picture, which cost 8 % of the processor time of a capture
 * (2026-11-21). V8 reads the flag at each collection, so it can be set here.
 */
const V8_FLAGS = '--heap-growing-percent=300';

/**
 * Reads the settings, starts the service, and closes it on a signal. Resolves when it listens.
 * @throws ConfigError; Error with a message for the operator if there is no browser
 */
export async function serve(environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  setFlagsFromString(V8_FLAGS);
  const config = loadConfig(environment, PART_SETTINGS);
  const log = createLog({ level: config.logLevel, format: config.logFormat });
  if (config.authToken === undefined && config.keysFile === undefined && !LOOPBACK.has(config.host)) {
    log.warn({ host: config.host }, 'AUTH_TOKEN is not set: anyone who can reach this address can capture');
  }

  for (const name of shortSecrets(config)) {
    log.warn({ setting: name }, `a secret of fewer than ${MIN_SECRET_LENGTH} characters can be guessed: ${ADVICE}`);
  }

  for (const { name, setting } of misspeltSettings(environment, allSettings(PART_SETTINGS))) {
    log.warn({ variable: name, setting }, 'a variable is no setting: it has no effect');
  }

  const home = { locale: config.defaultLocale, timezone: config.defaultTimezone };
  const tracer = await LIST.openTracer(environment, { version: packageVersion(), log });
  const service = await createService(config, browserEnvironment(environment, home), log, { list: LIST, tracer });
  onStopSignals({
    stop: (signal) => {
      log.info({ signal }, 'shutting down: running captures may finish');
      void service.close().then(() => {
        log.info('closed');
        log.flush();
        process.exitCode = 0;
        setTimeout(() => process.exit(), 500).unref(); // exits even if a handle keeps the event loop alive
      });
    },
    stopNow: () => process.exit(1),
  });

  const { address, port } = await service.start();
  log.info({ address, url: `http://${openHost(address)}:${port}` }, 'listening');
}

/** Returns the settings whose secret is too short. */
function shortSecrets({ authToken, urlSigningSecret }: Config): readonly string[] {
  const secrets = { AUTH_TOKEN: authToken, URL_SIGNING_SECRET: urlSigningSecret };
  return Object.entries(secrets).flatMap(([name, secret = 'x'.repeat(MIN_SECRET_LENGTH)]) =>
    secret.length < MIN_SECRET_LENGTH ? [name] : [],
  );
}

/**
 * Returns a host under which this machine reaches the address. Without a token, 0.0.0.0 and [::] are refused as hosts.
 */
function openHost(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return address.includes(':') ? `[${address}]` : address;
}
