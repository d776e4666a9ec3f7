import { availableParallelism } from 'node:os';

import { config as loadDotenv } from 'dotenv';
import type { z } from 'zod';

import type { SensitiveField } from './capture/request/sensitive-fields.ts';
import { settingsSchema } from './config-fields.ts';
import { SETTINGS, type Setting } from './config-settings.ts';
import type { Nat64Prefix } from './egress/address.ts';
import type { EgressProxy } from './egress/proxy-setting.ts';
import type { EgressRule } from './egress/rules.ts';
import type { Rate } from './rate-limit/rate.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Every setting, parsed. */
export interface Config {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Undefined: no authentication. */
  readonly authToken: string | undefined;
  /** Undefined: signed URLs are off. */
  readonly urlSigningSecret: string | undefined;
  /** Accepted in a signed URL although they carry secrets or code. */
  readonly signedUrlAllow: readonly SensitiveField[];
  readonly rateLimitEnabled: boolean;
  readonly rateLimitCapture: Rate;
  readonly rateLimitSigned: Rate;
  /** Undefined: nothing is shared. With a password, perhaps. */
  readonly redisUrl: string | undefined;
  readonly trustProxy: false | number | string[];
  readonly poolSize: number;
  readonly maxQueue: number;
  readonly maxWaitMs: number;
  readonly captureTimeoutMs: number;
  readonly maxBodyBytes: number;
  readonly maxPixels: number;
  readonly maxResultBytes: number;
  /** The `cache_ttl` of a request that has none, in seconds; 0 is off. */
  readonly cacheTtl: number;
  readonly cacheMaxBytes: number;
  /** Undefined: find one. */
  readonly browserExecutable: string | undefined;
  readonly browserSandbox: 'auto' | boolean;
  readonly browserRecycleAfter: number;
  /** What pages learn of their visitor when a request says nothing; in canonical form. */
  readonly defaultLocale: string;
  /** Undefined: the machine's. */
  readonly defaultTimezone: string | undefined;
  /** Reachable although private. */
  readonly egressAllow: readonly EgressRule[];
  /** Never reachable; wins over `egressAllow`. */
  readonly egressDeny: readonly EgressRule[];
  /** Undefined: pages connect directly. With a password, perhaps. */
  readonly egressProxy: EgressProxy | undefined;
  /** As it was given: other programs read it, too, and it may hold what means nothing here. */
  readonly noProxy: string;
  readonly egressNatPrefixes: readonly Nat64Prefix[];
  readonly corsOrigins: readonly string[];
  /** Lower case. */
  readonly allowedHosts: readonly string[];
  /** Undefined: /metrics is on `port`; 0 picks a free one. */
  readonly metricsPort: number | undefined;
  /** Between the signal and the first refusal. */
  readonly shutdownDelayMs: number;
  readonly playground: boolean;
  readonly shutdownGraceMs: number;
  readonly logLevel: z.output<typeof settingsSchema>['LOG_LEVEL'];
  readonly logFormat: 'pretty' | 'json';
}

/** Everything that is wrong with the settings: one line of the message for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/**
 * The settings that an environment means. A blank variable counts as unset.
 * @throws ConfigError with every problem, not only the first.
 */
export function loadConfig(
  environment: Environment,
  { isTerminal = process.stdout.isTTY }: { readonly isTerminal?: boolean } = {},
): Config {
  const parsed = settingsSchema.safeParse(withDefaults(environment, isTerminal));
  if (!parsed.success) throw new ConfigError(describeProblems(parsed.error.issues, environment));

  const settings = parsed.data;
  return {
    host: settings.HOST,
    port: settings.PORT,
    authToken: settings.AUTH_TOKEN,
    urlSigningSecret: settings.URL_SIGNING_SECRET,
    signedUrlAllow: settings.SIGNED_URL_ALLOW ?? [],
    rateLimitEnabled: settings.RATE_LIMIT_ENABLED,
    rateLimitCapture: settings.RATE_LIMIT_CAPTURE,
    rateLimitSigned: settings.RATE_LIMIT_SIGNED,
    redisUrl: settings.REDIS_URL,
    trustProxy: settings.TRUST_PROXY,
    poolSize: settings.POOL_SIZE,
    maxQueue: settings.MAX_QUEUE,
    maxWaitMs: settings.MAX_WAIT_MS,
    captureTimeoutMs: settings.CAPTURE_TIMEOUT_MS,
    maxBodyBytes: settings.MAX_BODY_BYTES,
    maxPixels: settings.MAX_PIXELS,
    maxResultBytes: settings.MAX_RESULT_BYTES,
    cacheTtl: settings.CACHE_TTL,
    cacheMaxBytes: settings.CACHE_MAX_BYTES,
    browserExecutable: settings.BROWSER_EXECUTABLE,
    browserSandbox: settings.BROWSER_SANDBOX,
    browserRecycleAfter: settings.BROWSER_RECYCLE_AFTER,
    defaultLocale: settings.DEFAULT_LOCALE,
    defaultTimezone: settings.DEFAULT_TIMEZONE,
    egressAllow: settings.EGRESS_ALLOW ?? [],
    egressDeny: settings.EGRESS_DENY ?? [],
    egressProxy: settings.EGRESS_PROXY,
    noProxy: settings.NO_PROXY ?? '',
    egressNatPrefixes: settings.EGRESS_NAT_PREFIXES ?? [],
    corsOrigins: settings.CORS_ORIGINS ?? [],
    allowedHosts: settings.ALLOWED_HOSTS ?? [],
    metricsPort: settings.METRICS_PORT,
    shutdownDelayMs: settings.SHUTDOWN_DELAY_MS,
    playground: settings.PLAYGROUND,
    shutdownGraceMs: settings.SHUTDOWN_GRACE_MS,
    logLevel: settings.LOG_LEVEL,
    logFormat: settings.LOG_FORMAT,
  };
}

/**
 * The environment of this process with `.env` of the working directory beneath it. A copy: what `.env` holds, secrets
 * above all, is not handed on to the browser's process.
 */
export function readEnvironment(): Record<string, string | undefined> {
  const fromFile: Record<string, string> = {};
  loadDotenv({ processEnv: fromFile, quiet: true });
  return { ...fromFile, ...process.env };
}

/** The text of each setting, ready for the schema: trimmed, blank ones replaced by their default. */
function withDefaults(environment: Environment, isTerminal: boolean): Environment {
  const computed: Environment = {
    POOL_SIZE: String(Math.min(16, Math.max(2, 2 * availableParallelism()))),
    LOG_FORMAT: isTerminal ? 'pretty' : 'json',
  };
  return Object.fromEntries(
    SETTINGS.map((setting) => {
      const given = environment[setting.name];
      if (given === undefined || given.trim() === '') {
        return [setting.name, setting.defaultIsProse ? computed[setting.name] : setting.defaultText];
      }
      // A secret is never changed silently: with white space around it, it is refused.
      return [setting.name, setting.secret ? given : given.trim()];
    }),
  );
}

function describeProblems(issues: readonly z.core.$ZodIssue[], environment: Environment): string[] {
  return SETTINGS.flatMap((setting) => {
    const issue = issues.find(({ path }) => path[0] === setting.name);
    return issue === undefined ? [] : [describeProblem(setting, issue, environment[setting.name])];
  });
}

function describeProblem(setting: Setting, issue: z.core.$ZodIssue, given: string | undefined): string {
  // JSON keeps a value with line breaks on one line.
  const value = setting.secret ? 'the value given (not shown)' : JSON.stringify(given);
  const reason = issue.code === 'custom' ? `: ${issue.message}` : '';
  const otherwise =
    setting.defaultText === 'unset'
      ? 'or remove it'
      : `or remove it to get the default (${setting.defaultText})`;
  return `${setting.name}: ${value} is not accepted${reason}. Set it to ${setting.form}, ${otherwise}.`;
}
