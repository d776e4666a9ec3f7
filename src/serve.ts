import { setFlagsFromString } from 'node:v8';
import { browserEnvironment } from './browser/find/browser-environment.ts';
import { loadConfig } from './config/load.ts';
import { createLog } from './log.ts';
import { createService } from './service.ts';
import { onStopSignals } from './stop-signals.ts';

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/**
 * A live heap of some 25 MB, through which pictures of several MB pass: V8 would collect it all, marking everything, for every
 * third of them, and that held up all that crosses the gate meanwhile (8 % of the processor time of a capture, 2026-11-21). Now it
 * lets the heap grow to four times what is alive. V8 reads the flag at each collection, so that it can be set here, whoever starts us.
 */
const V8_FLAGS = '--heap-growing-percent=300';

/**
 * Reads the settings, starts the service, and closes it on a signal. Resolves once it listens.
 * @throws ConfigError; Error with a sentence when there is no browser
 */
export async function serve(environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  setFlagsFromString(V8_FLAGS);
  const config = loadConfig(environment);
  const log = createLog({ level: config.logLevel, format: config.logFormat });
  if (config.authToken === undefined && !LOOPBACK.has(config.host)) {
    log.warn({ host: config.host }, 'AUTH_TOKEN is not set: anyone who reaches this address can capture');
  }

  const home = { locale: config.defaultLocale, timezone: config.defaultTimezone };
  const service = await createService(config, browserEnvironment(environment, home), log);
  onStopSignals({
    stop: (signal) => {
      log.info({ signal }, 'shutting down: running captures may finish');
      void service.close().then(() => {
        log.info('closed');
        log.flush();
        process.exitCode = 0;
        setTimeout(() => process.exit(), 500).unref(); // whatever still holds the event loop
      });
    },
    stopNow: () => process.exit(1),
  });

  const { address, port } = await service.start();
  const host = address.includes(':') ? `[${address}]` : address;
  log.info({ url: `http://${host}:${port}` }, 'listening');
}
