import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { browserEnvironment } from '../../core/browser/find/browser-environment.ts';
import { loadConfig } from '../../core/config/load.ts';
import { PART_SETTINGS } from '../../part-settings.ts';
import type { Config } from '../../core/config/settings.ts';
import { isPublicAddress, parseAddress } from '../../core/egress/address.ts';
import { parseEgressRules } from '../../core/egress/rules.ts';
import { createLog } from '../../core/ground/log.ts';

/** A short grace, because the captures of this service end with the command. */
const GRACE_MS = 2_000;

type Environment = Readonly<Record<string, string | undefined>>;
type Rules = Config['egressAllow'];

/** A service for one command. The caller closes it; otherwise its browser keeps running. */
export interface OwnService {
  readonly url: string;
  readonly token: string;
  /** Time limit of a capture in milliseconds. */
  readonly captureTimeoutMs: number;
  /** Process groups of its browsers. */
  readonly browserGroups: () => readonly number[];
  readonly close: () => Promise<void>;
}

/**
 * Starts a service in this process on a free loopback port. It has a random token, because every user of the machine
 * can reach the port. Logs warnings and errors only, to standard error.
 * @param typed URL that the user has typed: allowed even if it is private, because the network is the user's own
 * @throws ConfigError; Error with a message for the user if there is no browser
 */
export async function startOwnService(environment: Environment, typed?: string): Promise<OwnService> {
  const token = randomBytes(32).toString('hex');
  const settings = loadConfig(environment, PART_SETTINGS);
  const config = {
    ...settings,
    egressAllow: [...settings.egressAllow, ...(await rulesForTyped(typed))],
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
  // As in serve-command.ts: most commands need no service.
  const [{ createService }, { LIST }] = await Promise.all([
    import('../../core/service/create-service.ts'),
    import('../../list.ts'),
  ]);
  const service = await createService(config, browserEnvironment(environment, home), log, { list: LIST });
  const { address, port } = await service.start();
  return {
    url: `http://${address}:${port}`,
    token,
    captureTimeoutMs: config.captureTimeoutMs,
    browserGroups: service.browserGroups,
    close: service.close,
  };
}

/**
 * Returns a rule for the host and port of a private URL. Public names get none, so that no page can lead its own name
 * to this machine later. Names that do not exist are reported by the capture.
 */
async function rulesForTyped(typed: string | undefined): Promise<Rules> {
  const url = typed === undefined ? null : URL.parse(typed);
  if (url === null || !/^https?:$/.test(url.protocol)) return [];
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = await lookup(host, { all: true }).catch(() => []);
  const isPrivate = addresses.some(({ address }) => {
    const parsed = parseAddress(address);
    return parsed !== undefined && !isPublicAddress(parsed);
  });
  return isPrivate ? parseEgressRules(host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`) : [];
}
