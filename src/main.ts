import { browserEnvironment } from './browser/browser-environment.ts';
import { ConfigError, loadConfig, readEnvironment } from './config.ts';
import { createLog } from './log.ts';
import { createService } from './service.ts';

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Reads the settings, starts the service, and closes it on a signal. */
async function main(): Promise<void> {
  const environment = readEnvironment();
  const config = loadConfig(environment);
  const log = createLog({ level: config.logLevel, format: config.logFormat });
  if (config.authToken === undefined && !LOOPBACK.has(config.host)) {
    log.warn({ host: config.host }, 'AUTH_TOKEN is not set: anyone who reaches this address can capture');
  }

  const service = await createService(config, browserEnvironment(environment), log);
  let closing = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (closing) process.exit(1); // asked twice: now
    closing = true;
    log.info({ signal }, 'shutting down: running captures may finish');
    void service.close().then(() => {
      log.info('closed');
      log.flush();
      process.exitCode = 0;
      setTimeout(() => process.exit(), 500).unref(); // whatever still holds the event loop
    });
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);

  const { address, port } = await service.start();
  const host = address.includes(':') ? `[${address}]` : address;
  log.info({ url: `http://${host}:${port}` }, 'listening');
}

/** Standard error, not the log: the settings that say how to log may be what is wrong. */
function fail(error: unknown): void {
  const message = error instanceof ConfigError ? `Settings problem:\n${error.message}` : String(error);
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

process.on('unhandledRejection', (error) => {
  process.stderr.write(
    `Unexpected failure: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exit(1);
});

await main().catch(fail);
