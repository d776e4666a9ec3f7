import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parse as parseDotenv } from 'dotenv';
import express from 'express';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';

import { misspeltSettings, readEnvironment } from '../../../src/core/config/environment.ts';
import { ConfigError } from '../../../src/core/config/load.ts';
import { loadConfig, SETTINGS } from '../../support/settings.ts';
import { type Config } from '../../../src/core/config/settings.ts';

describe('loadConfig', () => {
  it('returns every default if nothing is set', () => {
    expect(loadConfig({}, { isTerminal: false })).toEqual({
      host: '127.0.0.1',
      port: 8080,
      authToken: undefined,
      urlSigningSecret: undefined,
      keysFile: undefined,
      templatesDir: undefined,
      compat: [],
      metricsPerKey: false,
      signedUrlAllow: [],
      rateLimitEnabled: true,
      rateLimitCapture: { limit: 5, periodMs: 1_000 },
      rateLimitSigned: { limit: 10, periodMs: 1_000 },
      redisUrl: undefined,
      trustProxy: false,
      playground: true,
      mcp: false,
      poolSize: expect.any(Number),
      maxQueue: 64,
      maxWaitMs: 60_000,
      captureTimeoutMs: 90_000,
      maxBodyBytes: 10_485_760,
      maxPixels: 100_000_000,
      maxResultBytes: 104_857_600,
      cacheTtl: 0,
      cacheMaxBytes: 104_857_600,
      dataDir: undefined,
      storage: undefined,
      storageEndpoint: undefined,
      storageRegion: 'us-east-1',
      storageAccessKeyId: undefined,
      storageSecretAccessKey: undefined,
      storageLinkTtl: 3_600,
      webhookSecret: [],
      webhookUrls: false,
      browserExecutable: undefined,
      extraCaFile: undefined,
      browserSandbox: 'auto',
      browserRecycleAfter: 1_000,
      jobRetention: 86_400,
      jobRetentionBytes: 107_374_182_400,
      jobConcurrency: undefined,
      jobMaxQueued: 10_000,
      jobMaxQueuedBytes: 268_435_456,
      watchMax: 1_000,
      watchMinInterval: 60_000,
      browserNext: undefined,
      browserNextShare: 0.1,
      defaultLocale: 'en-US',
      defaultTimezone: undefined,
      egressNatPrefixes: [],
      corsOrigins: [],
      allowedHosts: [],
      blockLists: [],
      defaultFields: {},
      egressAllow: [],
      egressDeny: [],
      egressOnly: undefined,
      egressProxy: undefined,
      noProxy: '',
      proxies: {},
      metricsPort: undefined,
      shutdownDelayMs: 0,
      shutdownGraceMs: 25_000,
      logLevel: 'info',
      logFormat: 'json',
    });
  });

  it('treats a blank variable as unset', () => {
    const blank = Object.fromEntries(SETTINGS.map(({ name }) => [name, '  ']));

    expect(loadConfig(blank, { isTerminal: false })).toEqual(loadConfig({}, { isTerminal: false }));
  });

  it('logs in readable form on a terminal by default', () => {
    expect(loadConfig({}, { isTerminal: true }).logFormat).toBe('pretty');
    expect(loadConfig({ LOG_FORMAT: 'json' }, { isTerminal: true }).logFormat).toBe('json');
  });

  it('sizes the pool by the number of cores, at least 2 and at most 16', () => {
    const { poolSize } = loadConfig({});

    expect(poolSize).toBeGreaterThanOrEqual(2);
    expect(poolSize).toBeLessThanOrEqual(16);
    expect(poolSize % 2).toBe(0);
  });

  it.each<[string, string, Partial<Config>]>([
    ['HOST', '::', { host: '::' }],
    ['HOST', 'capture.internal', { host: 'capture.internal' }],
    ['PORT', '0', { port: 0 }],
    ['PORT', ' 9000 ', { port: 9_000 }],
    ['AUTH_TOKEN', 'a!~b', { authToken: 'a!~b' }],
    ['URL_SIGNING_SECRET', 'ключ secret 鍵', { urlSigningSecret: 'ключ secret 鍵' }],
    ['SIGNED_URL_ALLOW', 'cookies, custom_js', { signedUrlAllow: ['cookies', 'custom_js'] }],
    ['RATE_LIMIT_ENABLED', 'FALSE', { rateLimitEnabled: false }],
    ['RATE_LIMIT_ENABLED', '0', { rateLimitEnabled: false }],
    ['RATE_LIMIT_CAPTURE', '100 per 15 minutes', { rateLimitCapture: { limit: 100, periodMs: 900_000 } }],
    ['RATE_LIMIT_SIGNED', '2/s', { rateLimitSigned: { limit: 2, periodMs: 1_000 } }],
    ['REDIS_URL', 'redis://127.0.0.1', { redisUrl: 'redis://127.0.0.1' }],
    ['REDIS_URL', 'rediss://a:b%40@[::1]:7000/3', { redisUrl: 'rediss://a:b%40@[::1]:7000/3' }],
    ['TRUST_PROXY', 'False', { trustProxy: false }],
    ['TRUST_PROXY', '0', { trustProxy: false }],
    ['TRUST_PROXY', '2', { trustProxy: 2 }],
    ['TRUST_PROXY', '10.0.0.0/8, ::1,fd00::/8', { trustProxy: ['10.0.0.0/8', '::1', 'fd00::/8'] }],
    ['BROWSER_EXECUTABLE', '/opt/chrome/chrome', { browserExecutable: '/opt/chrome/chrome' }],
    ['BROWSER_SANDBOX', 'Auto', { browserSandbox: 'auto' }],
    ['BROWSER_SANDBOX', 'false', { browserSandbox: false }],
    ['BROWSER_SANDBOX', '1', { browserSandbox: true }],
    ['DEFAULT_LOCALE', 'de-ch', { defaultLocale: 'de-CH' }],
    ['DEFAULT_LOCALE', 'zh-Hant-TW', { defaultLocale: 'zh-Hant-TW' }],
    ['DEFAULT_LOCALE', 'en-US-u-hc-h23', { defaultLocale: 'en-US-u-hc-h23' }],
    ['DEFAULT_TIMEZONE', 'europe/zurich', { defaultTimezone: 'Europe/Zurich' }],
    ['DEFAULT_TIMEZONE', 'Etc/GMT+5', { defaultTimezone: 'Etc/GMT+5' }],
    ['DEFAULT_USER_AGENT', 'ExampleBot/1.0 (a b)', { defaultUserAgent: 'ExampleBot/1.0 (a b)' }],
    [
      'EGRESS_PROXY',
      'http://user:p%40ss@proxy.test:3128',
      {
        egressProxy: {
          protocol: 'http',
          host: 'proxy.test',
          port: 3128,
          login: { username: 'user', password: 'p@ss' },
        },
      },
    ],
    ['NO_PROXY', 'localhost,<local>', { noProxy: 'localhost,<local>' }],
    ['CORS_ORIGINS', 'https://a.test, http://b.test:81', { corsOrigins: ['https://a.test', 'http://b.test:81'] }],
    ['ALLOWED_HOSTS', 'Captures.example, internal', { allowedHosts: ['captures.example', 'internal'] }],
    ['LOG_LEVEL', 'DEBUG', { logLevel: 'debug' }],
    ['LOG_FORMAT', 'pretty', { logFormat: 'pretty' }],
  ])('parses %s=%s', (name, value, expected) => {
    expect(loadConfig({ [name]: value }, { isTerminal: false })).toMatchObject(expected);
  });

  it.each([
    ['HOST', '[::1]', /Set it to an IP address or a host name/],
    ['HOST', 'localhost:8080', /without port/],
    ['PORT', '80a', /a whole number from 0 to 65535, or remove it to get the default \(8080\)/],
    [
      'SIGNED_URL_ALLOW',
      'cookies,url',
      /"url" is not an accepted name\. Set it to a comma-separated list of custom_headers/,
    ],
    ['RATE_LIMIT_ENABLED', 'yes', /true or false/],
    ['RATE_LIMIT_CAPTURE', 'lots', /"N per second"/],
    ['TRUST_PROXY', 'true', /every client could choose the address/],
    ['TRUST_PROXY', 'loopback', /"loopback" is neither an IP address nor a CIDR range/],
    ['TRUST_PROXY', '10.0.0.0/0', /neither/],
    ['TRUST_PROXY', '10.0.0.0/33', /neither/],
    ['TRUST_PROXY', '10.0.0.0/8/8', /neither/],
    ['TRUST_PROXY', 'fe80::1%eth0', /neither/],
    ['TRUST_PROXY', '33', /the number of proxies in front \(1 to 32\)/],
    ['TRUST_PROXY', '-1', /neither/],
    ['BROWSER_SANDBOX', 'off', /auto, true or false/],
    ['DEFAULT_LOCALE', 'de_CH.UTF-8', /it is not a language tag\. Set it to a language tag \(BCP 47\)/],
    ['DEFAULT_LOCALE', 'C', /for example de-CH, or remove it to get the default \(en-US\)/],
    ['DEFAULT_LOCALE', 'de-CH-1996', /it has a variant/],
    ['DEFAULT_TIMEZONE', 'Zurich', /no time zone has that name\. Set it to a time zone of the IANA database/],
    ['DEFAULT_TIMEZONE', '+01:00', /no time zone has that name/],
    ['DEFAULT_USER_AGENT', 'Bröwser', /Set it to 1 to 1024 visible ASCII characters and spaces/],
    ['DEFAULT_USER_AGENT', 'a'.repeat(1_025), /it has other characters, or too many/],
    ['EGRESS_NAT_PREFIXES', '2001:db8::/96, 10.0.0.0/8', /"10\.0\.0\.0\/8" is not such a prefix\. Set it to/],
    ['EGRESS_NAT_PREFIXES', '2001:db8::/95', /is not such a prefix/],
    ['ALLOWED_HOSTS', 'https://a.test', /"https:\/\/a\.test" is not a host name\. Set it to/],
    ['CORS_ORIGINS', '*', /"\*" is not an exact origin\. Set it to/],
    ['CORS_ORIGINS', 'https://*.a.test', /not an exact origin\. Set/],
    ['CORS_ORIGINS', 'https://a.test/app', /write https:\/\/a\.test\./],
    ['CORS_ORIGINS', 'https://b.test,https://A.test:443', /"https:\/\/A\.test:443".*write https:\/\/a\.test\./],
    ['CORS_ORIGINS', 'ftp://a.test', /not an exact origin\. Set/],
    ['CORS_ORIGINS', 'a.test', /not an exact origin\. Set/],
    ['CORS_ORIGINS', 'null', /not an exact origin\. Set/],
    ['LOG_LEVEL', 'loud', /fatal, error, warn/],
    ['LOG_FORMAT', 'xml', /pretty or json/],
  ])('refuses %s=%s', (name, value, expected) => {
    const lines = problemsOf({ [name]: value });

    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`${name}: ${JSON.stringify(value)} is not accepted`);
    expect(lines[0]).toMatch(/ is not accepted(: (?!Invalid input).+)?\. Set it to /);
    expect(lines[0]).toMatch(expected);
  });

  it.each([
    ['AUTH_TOKEN', 'two words'],
    ['AUTH_TOKEN', 'schlüssel'],
    ['AUTH_TOKEN', 'newline-at-the-end\n'],
    ['URL_SIGNING_SECRET', 'newline-at-the-end\n'],
    ['URL_SIGNING_SECRET', ' space-before'],
    ['REDIS_URL', 'http://user:hidden@redis'],
    ['EGRESS_PROXY', 'http://user:hidden@proxy/path'],
    ['EGRESS_PROXY', 'user:hidden@proxy:3128'],
    ['PROXIES', 'office=http://user:hidden@proxy/path'],
    ['REDIS_URL', 'redis:hidden'],
    ['REDIS_URL', 'redis://:hidden@'],
    ['REDIS_URL', 'redis://:hidden@*'],
    ['REDIS_URL', 'redis://:hidden@redis/first'],
    ['REDIS_URL', 'redis://:hid?den@redis'],
  ])('refuses an invalid %s without revealing it', (name, value) => {
    const message = problemsOf({ [name]: value }).join('\n');

    expect(message).toContain(`${name}: the value given (not shown) is not accepted`);
    expect(message).toContain('or remove it.');
    expect(message).not.toContain(value.trim());
    expect(message).not.toContain('Invalid input');
  });

  it('reports all problems together, one per line, in the order of the settings', () => {
    const lines = problemsOf({ LOG_LEVEL: 'loud', PORT: 'a\nb', MAX_QUEUE: '-1', HOST: '127.0.0.1' });

    expect(lines.map((line) => line.split(':')[0])).toEqual(['PORT', 'MAX_QUEUE', 'LOG_LEVEL']);
  });

  it('accepts only proxy ranges that Express understands', () => {
    const { trustProxy } = loadConfig({
      TRUST_PROXY: '10.0.0.0/8,192.0.2.1,::1,fd00::/8,::ffff:10.0.0.0/104,1::/128',
    });

    expect(() => express().set('trust proxy', trustProxy)).not.toThrow();
  });
});

describe('SETTINGS', () => {
  it('has one row for each setting of the configuration', () => {
    const keys = SETTINGS.map(({ name }) => name.toLowerCase().replace(/_(\w)/g, (_, letter) => letter.toUpperCase()));

    expect(keys.sort()).toEqual(Object.keys(loadConfig({})).sort());
  });

  it.each(SETTINGS.filter(({ form }) => form.startsWith('a whole number')))('$name accepts $form', ({ name, form }) => {
    const [min = Number.NaN, max = Number.NaN] = form.match(/\d+/g)?.map(Number) ?? [];

    expect(problemsOf({ [name]: String(min) })).toEqual([]);
    expect(problemsOf({ [name]: String(max) })).toEqual([]);
    expect(problemsOf({ [name]: String(min - 1) })).toHaveLength(1);
    expect(problemsOf({ [name]: String(max + 1) })).toHaveLength(1);
    expect(problemsOf({ [name]: `${min}.5` })).toHaveLength(1);
  });
});

describe('.env.example', () => {
  it('shows every setting, commented out, with its meaning and its default, and nothing else', async () => {
    const expected = SETTINGS.map(({ name, meaning, defaultText, defaultIsProse }) => {
      const prose = defaultIsProse && defaultText !== 'unset' ? ` Default: ${defaultText}.` : '';
      return `# ${meaning}.${prose}\n# ${name}=${defaultIsProse ? '' : defaultText}`;
    });

    const [, ...blocks] = (await readExample()).trim().split('\n\n');

    expect(blocks).toEqual(expected);
  });

  it('is equal to the defaults when every line is uncommented', async () => {
    const uncommented = (await readExample()).replace(/^# (?=[A-Z_]+=)/gm, '');

    expect(Object.keys(parseDotenv(uncommented))).toHaveLength(SETTINGS.length);
    expect(loadConfig(parseDotenv(uncommented))).toEqual(loadConfig({}));
  });
});

describe('readEnvironment', () => {
  const directory = mkdtempSync(join(tmpdir(), 'config-test-'));

  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    rmSync(directory, { recursive: true, force: true });
  });

  it('prefers the process environment over .env, logs nothing, and does not export .env', () => {
    writeFileSync(join(directory, '.env'), 'PORT=1111\nAUTH_TOKEN="from file"\n');
    vi.spyOn(process, 'cwd').mockReturnValue(directory);
    vi.stubEnv('PORT', '2222');
    vi.stubEnv('AUTH_TOKEN', undefined);
    const consoleCalls = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')];

    const environment = readEnvironment();

    expect(environment).toMatchObject({ PORT: '2222', AUTH_TOKEN: 'from file' });
    expect(process.env['AUTH_TOKEN']).toBeUndefined();
    for (const calls of consoleCalls) expect(calls).not.toHaveBeenCalled();
  });
});

/** Returns the lines of the ConfigError for an environment; none if it is valid. */
function problemsOf(environment: Record<string, string>): string[] {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
}

function readExample(): Promise<string> {
  return readFile(new URL('../../../.env.example', import.meta.url), 'utf8');
}

describe('secrets in files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'secret-files-test-'));
  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are read without the line break at their end, for every secret setting', () => {
    const config = loadConfig({
      AUTH_TOKEN_FILE: file('token', 'a-token\n'),
      EGRESS_PROXY_FILE: file('proxy', 'http://user:secret@proxy.example:3128\r\n'),
    });

    expect(config.authToken).toBe('a-token');
    expect(config.egressProxy).toMatchObject({ host: 'proxy.example' });
    expect(SETTINGS.filter(({ secret }) => secret).map(({ name }) => `${name}_FILE`)).not.toContain('KEYS_FILE');
  });

  it.each([
    [{ AUTH_TOKEN_FILE: join(folder, 'none') }, "AUTH_TOKEN_FILE: the file can't be read: ENOENT."],
    [{ AUTH_TOKEN_FILE: folder }, "AUTH_TOKEN_FILE: the file can't be read: EISDIR."],
    [{ AUTH_TOKEN_FILE: file('empty', '\n') }, 'AUTH_TOKEN_FILE: the file is empty.'],
    [
      { WEBHOOK_SECRET_FILE: file('large', 'x'.repeat(70_000)) },
      'WEBHOOK_SECRET_FILE: the file has more than 65536 bytes.',
    ],
    [
      { AUTH_TOKEN: 'b', AUTH_TOKEN_FILE: file('both', 'a') },
      'AUTH_TOKEN_FILE: AUTH_TOKEN is set, too. Remove one of them.',
    ],
  ])('end the start if they are wrong: %j', (environment, message) => {
    expect(() => loadConfig(environment)).toThrow(new ConfigError([message]));
  });

  it('are checked like other values, and never shown', () => {
    expect(() => loadConfig({ AUTH_TOKEN_FILE: file('spaces', 'two words') })).toThrow(
      /^AUTH_TOKEN: the value given \(not shown\) is not accepted/,
    );
  });
});

describe('misspeltSettings', () => {
  it('finds variables that are nearly a setting', () => {
    const environment = {
      AUTH_TOKN: 'a',
      KEY_FILE: 'b',
      POOLSIZE: '2',
      POOL_SIZE: '2',
      STORAGE: 'c',
      AUTH_TOKEN_FIL: 'd',
    };

    expect(misspeltSettings(environment, SETTINGS)).toEqual([
      { name: 'AUTH_TOKN', setting: 'AUTH_TOKEN' },
      { name: 'KEY_FILE', setting: 'KEYS_FILE' },
      { name: 'POOLSIZE', setting: 'POOL_SIZE' },
      { name: 'AUTH_TOKEN_FIL', setting: 'AUTH_TOKEN_FILE' },
    ]);
  });

  it.each([
    'HOME',
    'LOGNAME',
    'HOSTNAME',
    'HTTPS_PROXY',
    'https_proxy',
    'no_proxy',
    'NODE_ENV',
    'SHELL',
    'CAPTURE_TOKEN',
  ])('knows that %s is for other programs', (name) => {
    expect(misspeltSettings({ [name]: 'x' }, SETTINGS)).toEqual([]);
  });
});
