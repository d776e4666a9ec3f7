import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { USER_AGENT_FORM } from '../browser/identity.ts';
import { USUAL_LOCALE } from '../browser/locale.ts';
import { LONGEST_TTL_SECONDS } from '../capture/request/options.ts';
import { SENSITIVE_FIELDS } from '../capture/request/sensitive-fields.ts';
import { PROXIES_FORM, PROXY_FORM } from '../egress/proxy-setting.ts';
import { RULE_FORM } from '../egress/rules.ts';
import { RATE_FORM } from '../access/rate.ts';
import {
  oneOf,
  parseAuthorities,
  parseFieldObject,
  parseHost,
  parseHostNames,
  parseLocale,
  parseOrigins,
  parsePrefixes,
  parseRedisUrl,
  parseRules,
  parseSensitiveFields,
  parseTimeZone,
  parseUserAgent,
  parseTrustProxy,
  readProxies,
  readProxy,
  readRate,
  refuseWhiteSpaceAround,
  toggle,
  wholeNumber,
} from './parsers.ts';
import { type ConfigOf, describeSettings, setting, type SettingRows } from './setting.ts';

/**
 * Settings of a service that only captures, one row each: key in Config, variable, accepted values, description. Parts
 * have rows of their own. Config, error messages, the flags of `serve`, the tables in the documentation and
 * .env.example are generated from them.
 */
export const CORE_SETTINGS = {
  host: setting('HOST', {
    form: 'an IP address or a host name, without port and brackets',
    schema: z.string().transform(parseHost),
    default: '127.0.0.1',
    meaning: 'Listen address. The container image sets 0.0.0.0',
  }),
  port: setting('PORT', {
    ...wholeNumber(0, 65_535),
    default: '8080',
    meaning: 'Listen port. 0 picks a free port and logs it',
  }),
  // Node reads headers as Latin-1 and the header is split at spaces. Other characters could never match.
  authToken: setting('AUTH_TOKEN', {
    form: 'visible ASCII characters without spaces, for example 64 random hex digits',
    schema: z.string().regex(/^[\x21-\x7e]+$/),
    meaning:
      'Bearer token for all routes except health, documentation and links. Unset, and no KEYS_FILE: authentication is off',
    secret: true,
  }),
  urlSigningSecret: setting('URL_SIGNING_SECRET', {
    form: 'any text that neither starts nor ends with white space, for example 64 random hex digits',
    schema: z.string().transform(refuseWhiteSpaceAround),
    meaning: 'Secret key of signed URLs. Use another text than for AUTH_TOKEN. Unset: signed URLs are off',
    secret: true,
  }),
  keysFile: setting('KEYS_FILE', {
    form: 'the path of a JSON file with keys',
    schema: z.string().transform((path) => resolve(path)),
    meaning:
      'File with the API keys of clients: scopes, limits, quotas. Read again when it changes. Unset: AUTH_TOKEN alone',
  }),
  signedUrlAllow: setting('SIGNED_URL_ALLOW', {
    form: `a comma-separated list of ${SENSITIVE_FIELDS.join(', ')}`,
    schema: z.string().transform(parseSensitiveFields),
    default: '',
    meaning: 'Fields that are allowed in signed URLs although they contain secrets or code, or store a result',
  }),
  rateLimitEnabled: setting('RATE_LIMIT_ENABLED', {
    ...toggle(),
    default: 'true',
    meaning: 'Switches on the rate limits, which apply to each client address or key',
  }),
  rateLimitCapture: setting('RATE_LIMIT_CAPTURE', {
    form: RATE_FORM,
    schema: z.string().transform(readRate),
    default: '5 per second',
    meaning:
      'Rate limit for captures, comparisons, submitted jobs, links, usage and tool calls of /mcp, for each client address or key',
  }),
  rateLimitSigned: setting('RATE_LIMIT_SIGNED', {
    form: RATE_FORM,
    schema: z.string().transform(readRate),
    default: '10 per second',
    meaning: 'Rate limit for signed URLs',
  }),
  redisUrl: setting('REDIS_URL', {
    form: 'redis://[[user]:password@]host[:port][/database], or rediss:// for TLS',
    schema: z.string().transform(parseRedisUrl),
    meaning: 'Redis for rate limits, cache and jobs that several instances share. Unset: each instance has its own',
    secret: true,
  }),
  trustProxy: setting('TRUST_PROXY', {
    form: 'false, the number of proxies in front (1 to 32), or a comma-separated list of their IP addresses and CIDR ranges',
    schema: z.string().transform(parseTrustProxy),
    default: 'false',
    meaning:
      'Proxies whose X-Forwarded-For, -Host and -Proto (http or https) are trusted for the client address and for links',
  }),
  poolSize: setting('POOL_SIZE', {
    ...wholeNumber(1, 256),
    default: {
      words: '2 x cores, at least 2, at most 16',
      text: () => String(Math.min(16, Math.max(2, 2 * availableParallelism()))),
    },
    meaning: 'Concurrent captures. A new client may start one more while another client uses the whole pool',
  }),
  maxQueue: setting('MAX_QUEUE', {
    ...wholeNumber(0, 100_000),
    default: '64',
    meaning: 'Requests that may wait for a page. Further requests get 503. One client may use half of the queue',
  }),
  maxWaitMs: setting('MAX_WAIT_MS', {
    ...wholeNumber(1, 3_600_000),
    default: '60000',
    meaning: 'Maximum wait_for_timeout of a request, in milliseconds',
  }),
  captureTimeoutMs: setting('CAPTURE_TIMEOUT_MS', {
    ...wholeNumber(1, 3_600_000),
    default: '90000',
    meaning: 'Time limit of a whole request including the queue, in milliseconds',
  }),
  maxBodyBytes: setting('MAX_BODY_BYTES', {
    ...wholeNumber(1, 268_435_456),
    default: '10485760',
    meaning: 'Maximum size of a request body, in bytes',
  }),
  maxPixels: setting('MAX_PIXELS', {
    shapesCaptures: true,
    ...wholeNumber(1, 1_000_000_000),
    default: '100000000',
    meaning: 'Maximum size of a picture, in device pixels',
  }),
  maxResultBytes: setting('MAX_RESULT_BYTES', {
    shapesCaptures: true,
    ...wholeNumber(1, 1_073_741_824),
    default: '104857600',
    meaning: 'Maximum size of a result, in bytes',
  }),
  cacheTtl: setting('CACHE_TTL', {
    ...wholeNumber(0, LONGEST_TTL_SECONDS),
    default: '0',
    meaning: 'Default of cache_ttl: lifetime of cached answers, in seconds. 0: no caching',
  }),
  dataDir: setting('DATA_DIR', {
    form: 'the path of a folder, which is created if it is missing',
    schema: z.string().transform((path) => resolve(path)),
    meaning: 'Folder for stored results and, without REDIS_URL, for jobs. Unset: nothing is stored',
  }),
  browserExecutable: setting('BROWSER_EXECUTABLE', {
    form: 'the path of a Chrome or Chromium executable',
    schema: z.string(),
    unset: 'found automatically',
    meaning: 'The Chrome or Chromium to run',
  }),
  extraCaFile: setting('EXTRA_CA_FILE', {
    form: 'the path of a PEM file with certificates of authorities',
    schema: z.string().transform(parseAuthorities),
    meaning:
      'Certificate authorities that are trusted in addition, by pages, webhooks, S3, Redis and outgoing proxies. Read at start',
  }),
  browserSandbox: setting('BROWSER_SANDBOX', {
    form: 'auto, true or false',
    schema: z.union([z.string().toLowerCase().pipe(z.literal('auto')), toggle().schema]),
    default: 'auto',
    meaning:
      'Sandbox of the browser. auto: on if it can start on this machine, otherwise off with a warning. true: the service captures nothing without it',
  }),
  browserRecycleAfter: setting('BROWSER_RECYCLE_AFTER', {
    ...wholeNumber(1, 1_000_000_000),
    default: '1000',
    meaning: 'Captures after which the browser is replaced',
  }),
  defaultLocale: setting('DEFAULT_LOCALE', {
    shapesCaptures: true,
    form: 'a language tag (BCP 47) without variants, for example de-CH',
    schema: z.string().transform(parseLocale),
    default: USUAL_LOCALE,
    meaning: 'Language for requests without locale. LANG and LC_ALL have no effect',
  }),
  defaultTimezone: setting('DEFAULT_TIMEZONE', {
    shapesCaptures: true,
    form: 'a time zone of the IANA database, for example Europe/Zurich',
    schema: z.string().transform(parseTimeZone),
    unset: 'the time zone of the machine',
    meaning: 'Time zone for requests without timezone',
  }),
  defaultUserAgent: setting('DEFAULT_USER_AGENT', {
    shapesCaptures: true,
    form: USER_AGENT_FORM,
    schema: z.string().transform(parseUserAgent),
    unset: 'that of the installed Chrome with a window; `GET /health` shows it',
    meaning: 'User agent for requests without user_agent or device. Client hints are sent only without it',
  }),
  defaultFields: setting('DEFAULT_FIELDS', {
    shapesCaptures: true,
    form: 'a JSON object with fields of a capture, such as {"block_ads": true}',
    schema: z.string().transform(parseFieldObject),
    default: '{}',
    meaning: 'Values of fields that a request, its template and its tool leave out',
  }),
  egressAllow: setting('EGRESS_ALLOW', {
    shapesCaptures: true,
    form: RULE_FORM,
    schema: z.string().transform(parseRules),
    default: '',
    meaning: 'Private destinations that pages may reach',
  }),
  egressDeny: setting('EGRESS_DENY', {
    shapesCaptures: true,
    form: RULE_FORM,
    schema: z.string().transform(parseRules),
    default: '',
    meaning: 'Destinations that pages may never reach. Wins over EGRESS_ALLOW',
  }),
  egressOnly: setting('EGRESS_ONLY', {
    shapesCaptures: true,
    form: RULE_FORM,
    schema: z.string().transform(parseRules),
    unset: 'all that the other rules allow',
    meaning: 'The only destinations that pages and webhooks may reach, files of the pages included',
  }),
  egressProxy: setting('EGRESS_PROXY', {
    shapesCaptures: true,
    form: PROXY_FORM,
    schema: z.string().transform(readProxy),
    meaning: 'Outgoing proxy for connections that EGRESS_ALLOW and EGRESS_DENY allow. Unset: direct connections',
    secret: true,
  }),
  proxies: setting('PROXIES', {
    form: PROXIES_FORM,
    schema: z.string().transform(readProxies),
    default: '',
    meaning: 'Outgoing proxies that requests can choose by name with `proxy`. They replace EGRESS_PROXY',
    secret: true,
    shapesCaptures: true,
  }),
  // Unparsed: other programs read this variable, and it may contain entries without meaning here.
  noProxy: setting('NO_PROXY', {
    shapesCaptures: true,
    form: 'a comma-separated list of host names (including their subdomains), .suffix, IP addresses and CIDR ranges, or *',
    schema: z.string(),
    default: '',
    meaning: 'Destinations that bypass EGRESS_PROXY',
  }),
  egressNatPrefixes: setting('EGRESS_NAT_PREFIXES', {
    shapesCaptures: true,
    form: 'a comma-separated list of IPv6 prefixes of 32, 40, 48, 56, 64 or 96 bits such as 2001:db8:64::/96',
    schema: z.string().transform(parsePrefixes),
    default: '',
    meaning:
      'NAT64 prefixes of this network, in addition to 64:ff9b::/96. An address under a prefix is treated as its embedded IPv4 address',
  }),
  corsOrigins: setting('CORS_ORIGINS', {
    form: 'a comma-separated list of exact origins such as https://app.example.com, without path and without *',
    schema: z.string().transform(parseOrigins),
    default: '',
    meaning: 'Origins whose web pages may call the service',
  }),
  allowedHosts: setting('ALLOWED_HOSTS', {
    form: 'a comma-separated list of host names such as captures.example.com, without scheme and port',
    schema: z.string().transform(parseHostNames),
    default: '',
    meaning:
      'Host names that clients may use for the service, in addition to IP addresses, names without a dot and HOST. Unset: no other names without AUTH_TOKEN, all names with it',
  }),
  shutdownDelayMs: setting('SHUTDOWN_DELAY_MS', {
    ...wholeNumber(0, 3_600_000),
    default: '0',
    meaning:
      'Time after SIGTERM in which captures are still accepted while /health/ready answers 503, in milliseconds. Load balancers need this time to notice the shutdown',
  }),
  shutdownGraceMs: setting('SHUTDOWN_GRACE_MS', {
    ...wholeNumber(0, 3_600_000),
    default: '25000',
    meaning: 'Time for running captures to finish after SIGTERM and SHUTDOWN_DELAY_MS, in milliseconds',
  }),
  logLevel: setting('LOG_LEVEL', {
    ...oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    default: 'info',
    meaning: 'Minimum level of log messages',
  }),
  logFormat: setting('LOG_FORMAT', {
    ...oneOf(['pretty', 'json']),
    default: {
      words: 'pretty on a terminal, otherwise json',
      text: ({ isTerminal }) => (isTerminal ? 'pretty' : 'json'),
    },
    meaning: 'Format of log lines',
  }),
};

/** The parsed settings of the core. */
export interface Config extends ConfigOf<typeof CORE_SETTINGS> {}

/** Settings that parts add to those of the core. */
export interface AddedSettings<Rows extends SettingRows> {
  readonly rows: Rows;
  /** Returns conflicts between settings that are valid alone, one sentence each. */
  readonly contradictions?: (config: Config & ConfigOf<Rows>) => readonly string[];
}

/** Returns the settings that affect the result of captures. */
export function shapingSettings(
  config: Config,
  added: Pick<AddedSettings<SettingRows>, 'rows'>,
): Readonly<Record<string, unknown>> {
  const keys = new Set(allSettings(added).flatMap(({ key, shapesCaptures }) => (shapesCaptures ? [key] : [])));
  return Object.fromEntries(Object.entries(config).filter(([key]) => keys.has(key)));
}

/** Returns the descriptions of all settings of a service with these parts. */
export function allSettings({ rows }: Pick<AddedSettings<SettingRows>, 'rows'>): ReturnType<typeof describeSettings> {
  return describeSettings({ ...CORE_SETTINGS, ...rows });
}
