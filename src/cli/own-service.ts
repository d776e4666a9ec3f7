import { randomBytes } from 'node:crypto';
import { browserEnvironment } from '../browser/find/browser-environment.ts';
import { loadConfig } from '../config/load.ts';
import { createLog } from '../log.ts';
import { createService } from '../service.ts';

/** Captures of this service end with the command, so little time is needed. */
const GRACE_MS = 2_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** A service for one command. The caller closes it; otherwise its browser keeps running. */
export interface OwnService {
  readonly url: string;
  readonly token: string;
  /** Time limit of a capture in milliseconds. */
  readonly captureTimeoutMs: number;
  readonly close: () => Promise<void>;
}

/**
 * Starts a service in this process on a free loopback port. It has a random token, because every user of the machine can reach the port.
 * Logs warnings and errors only, to standard error.
 * @throws ConfigError; Error with a message for the user if there is no browser
 */
export async function startOwnService(environment: Environment): Promise<OwnService> {
  const token = randomBytes(32).toString('hex');
  const config = {
    ...loadConfig(environment),
    host: '127.0.0.1',
    port: 0,
    authToken: token,
    urlSigningSecret: undefined,
    keysFile: undefined,
    rateLimitEnabled: false,
    metricsPort: undefined,
    redisUrl: undefined,
    shutdownDelayMs: 0,
    shutdownGraceMs: GRACE_MS,
  };
  const log = createLog({
    level: environment['LOG_LEVEL'] ? config.logLevel : 'error',
    format: 'json',
    toStandardError: true,
  });
  const home = { locale: config.defaultLocale, timezone: config.defaultTimezone };
  const service = await createService(config, browserEnvironment(environment, home), log);
  const { address, port } = await service.start();
  return {
    url: `http://${address}:${port}`,
    token,
    captureTimeoutMs: config.captureTimeoutMs,
    close: service.close,
  };
}
