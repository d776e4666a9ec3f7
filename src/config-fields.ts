import { isIP } from 'node:net';

import { z } from 'zod';

import { canonicalTimeZone, hasVariant, isLocale, isTimeZone } from './browser/locale.ts';
import { LONGEST_TTL_SECONDS } from './capture/request/cache-fields.ts';
import { SENSITIVE_FIELDS, type SensitiveField } from './capture/request/sensitive-fields.ts';
import type { SettingName } from './config-settings.ts';
import { type Nat64Prefix, parseNat64Prefix } from './egress/address.ts';
import { type EgressProxy, parseProxy } from './egress/proxy-setting.ts';
import { type EgressRule, parseEgressRules } from './egress/rules.ts';
import { parseRate } from './rate-limit/rate.ts';

// RFC 1123 labels; underscores occur in the names of container networks.
const HOST_NAME = /^(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/i;

/**
 * Text to value, for each setting. Blank values and defaults are settled before (see config.ts). The message of a custom
 * issue is shown and never holds a secret; every other issue is told by the form in SETTINGS alone.
 */
export const settingsSchema = z.object({
  HOST: z
    .string()
    .refine(
      (text) => isIP(text) !== 0 || HOST_NAME.test(text),
      'it is neither an IP address nor a host name',
    ),
  PORT: wholeNumber(0, 65_535),
  // Node reads headers as Latin-1 and the header is split at spaces: any other character could never be matched.
  AUTH_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/)
    .optional(),
  // Most often the newline at the end of a secret file: the client's key has none, and no signature would fit.
  URL_SIGNING_SECRET: z
    .string()
    .refine((text) => text === text.trim(), 'there is white space around it')
    .optional(),
  SIGNED_URL_ALLOW: z.string().transform(parseSensitiveFields).optional(),
  RATE_LIMIT_ENABLED: toggle(),
  RATE_LIMIT_CAPTURE: rate(),
  RATE_LIMIT_SIGNED: rate(),
  REDIS_URL: z.string().refine(isRedisUrl, 'it is no complete address of a Redis').optional(),
  TRUST_PROXY: z.string().transform(parseTrustProxy),
  POOL_SIZE: wholeNumber(1, 256),
  MAX_QUEUE: wholeNumber(0, 100_000),
  MAX_WAIT_MS: wholeNumber(1, 3_600_000),
  CAPTURE_TIMEOUT_MS: wholeNumber(1, 3_600_000),
  MAX_BODY_BYTES: wholeNumber(1, 268_435_456),
  MAX_PIXELS: wholeNumber(1, 1_000_000_000),
  MAX_RESULT_BYTES: wholeNumber(1, 1_073_741_824),
  CACHE_TTL: wholeNumber(0, LONGEST_TTL_SECONDS),
  CACHE_MAX_BYTES: wholeNumber(0, 1_099_511_627_776),
  BROWSER_EXECUTABLE: z.string().optional(),
  BROWSER_SANDBOX: z.union([z.string().toLowerCase().pipe(z.literal('auto')), toggle()]),
  BROWSER_RECYCLE_AFTER: wholeNumber(1, 1_000_000_000),
  DEFAULT_LOCALE: z.string().transform(parseLocale),
  DEFAULT_TIMEZONE: z
    .string()
    .refine(isTimeZone, 'no time zone has that name')
    .transform(canonicalTimeZone)
    .optional(),
  EGRESS_ALLOW: z.string().transform(parseRules).optional(),
  EGRESS_DENY: z.string().transform(parseRules).optional(),
  EGRESS_PROXY: z.string().transform(readProxy).optional(),
  NO_PROXY: z.string().optional(),
  EGRESS_NAT_PREFIXES: z.string().transform(parsePrefixes).optional(),
  CORS_ORIGINS: z.string().transform(parseOrigins).optional(),
  ALLOWED_HOSTS: z.string().transform(parseHostNames).optional(),
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  SHUTDOWN_DELAY_MS: wholeNumber(0, 3_600_000),
  PLAYGROUND: toggle(),
  SHUTDOWN_GRACE_MS: wholeNumber(0, 3_600_000),
  LOG_LEVEL: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])),
  LOG_FORMAT: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['pretty', 'json'])),
} satisfies Record<SettingName, z.ZodType>);

function wholeNumber(min: number, max: number) {
  return z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(min).max(max));
}

/** `1` and `0` too, as in a request. */
function toggle() {
  return z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] });
}

/** Written out in full: a client given less goes to a Redis on this machine. */
function isRedisUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^rediss?:$/.test(url.protocol)) return false;
  const isHost = HOST_NAME.test(url.hostname) || isIP(url.hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  return isHost && /^(\/\d*)?$/.test(url.pathname) && url.search === '' && url.hash === '';
}

function rate() {
  return z.string().transform((text, context) => {
    try {
      return parseRate(text);
    } catch {
      // Not the message of parseRate: that is the accepted form, which the report has anyway.
      return refuse(context, 'it is not a rate');
    }
  });
}

/** False, a count of proxies, or their addresses; all of them safe to hand to Express's `trust proxy`. */
function parseTrustProxy(text: string, context: z.RefinementCtx): false | number | string[] {
  if (/^(false|0)$/i.test(text)) return false;
  if (/^true$/i.test(text)) {
    return refuse(context, 'with plain true every client could choose the address it is counted by');
  }
  if (/^\d+$/.test(text)) return Number(text) <= 32 ? Number(text) : refuse(context, 'more than 32 proxies');

  const ranges = splitList(text);
  const wrong = ranges.find((range) => !isAddressRange(range));
  return wrong === undefined
    ? ranges
    : refuse(context, `${JSON.stringify(wrong)} is neither an IP address nor a CIDR range`);
}

function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  // A zone (fe80::1%eth0) is valid for Node but not for Express.
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  // Zero bits would trust everybody, as plain true does.
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** In canonical form: `de-ch` is `de-CH`. */
function parseLocale(text: string, context: z.RefinementCtx): string {
  if (!isLocale(text)) return refuse(context, 'it is no language tag');
  if (hasVariant(text)) return refuse(context, 'it has a variant');
  return new Intl.Locale(text).toString();
}

function parseSensitiveFields(text: string, context: z.RefinementCtx): SensitiveField[] {
  return splitList(text).map((name) => {
    const field = SENSITIVE_FIELDS.find((each) => each === name);
    return field ?? refuse(context, `${JSON.stringify(name)} is none of them`);
  });
}

function parseRules(text: string, context: z.RefinementCtx): EgressRule[] {
  try {
    return parseEgressRules(text);
  } catch (error) {
    return refuse(context, error instanceof Error ? error.message : 'it is no list of rules');
  }
}

function readProxy(text: string, context: z.RefinementCtx): EgressProxy {
  return parseProxy(text) ?? refuse(context, 'it is no complete address of a proxy');
}

function parsePrefixes(text: string, context: z.RefinementCtx): Nat64Prefix[] {
  return splitList(text).map((prefix) => {
    try {
      return parseNat64Prefix(prefix);
    } catch {
      return refuse(context, `${JSON.stringify(prefix)} is no such prefix`);
    }
  });
}

function parseOrigins(text: string, context: z.RefinementCtx): string[] {
  const origins = splitList(text);
  const wrong = origins.find((origin) => exactOrigin(origin) !== origin);
  if (wrong === undefined) return origins;

  const meant = exactOrigin(wrong);
  return refuse(
    context,
    `${JSON.stringify(wrong)} is no exact origin${meant === undefined ? '' : `; write ${meant}`}`,
  );
}

function parseHostNames(text: string, context: z.RefinementCtx): string[] {
  const names = splitList(text.toLowerCase());
  const wrong = names.find((name) => !HOST_NAME.test(name));
  return wrong === undefined ? names : refuse(context, `${JSON.stringify(wrong)} is no host name`);
}

/** The origin as a browser sends it: lower case, no default port, no path. */
function exactOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname.includes('*')) return undefined;
  return url.origin;
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}
