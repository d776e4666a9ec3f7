import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { isUserAgent } from '../browser/identity.ts';
import { canonicalTimeZone, hasVariant, isLocale, isTimeZone } from '../browser/locale.ts';
import { AuthorityProblem, readAuthorities } from '../egress/certificates/authorities.ts';
import { SENSITIVE_FIELDS, type SensitiveField } from '../capture/request/sensitive-fields.ts';
import { type Nat64Prefix, parseNat64Prefix } from '../egress/address.ts';
import { type EgressProxy, parseProxies, parseProxy } from '../egress/proxy-setting.ts';
import { type EgressRule, parseEgressRules } from '../egress/rules.ts';
import { isJsonObject, parseJson } from '../ground/parse-json.ts';
import { parseRate, type Rate } from '../access/rate.ts';
import type { Accepted } from './setting.ts';

// RFC 1123 labels. Underscores occur in names of container networks.
const HOST_NAME = /^(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/i;

export function parseHost(text: string, context: z.RefinementCtx): string {
  const isHost = isIP(text) !== 0 || HOST_NAME.test(text);
  return isHost ? text : refuse(context, 'it is neither an IP address nor a host name');
}

/**
 * Refuses white space around a secret. It is usually the newline at the end of a secret file; clients sign without it,
 * so no signature would match.
 */
export function refuseWhiteSpaceAround(text: string, context: z.RefinementCtx): string {
  return text === text.trim() ? text : refuse(context, 'there is white space around it');
}

/** Must be a complete URL. With less, the client library connects to a Redis on this machine. */
export function parseRedisUrl(text: string, context: z.RefinementCtx): string {
  return isRedisUrl(text) ? text : refuse(context, 'it is not a complete Redis URL');
}

function isRedisUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^rediss?:$/.test(url.protocol)) return false;
  const isHost = HOST_NAME.test(url.hostname) || isIP(url.hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  return isHost && /^(\/\d*)?$/.test(url.pathname) && url.search === '' && url.hash === '';
}

export function readRate(text: string, context: z.RefinementCtx): Rate {
  try {
    return parseRate(text);
  } catch {
    // Omits the message of parseRate, because the report adds the accepted format.
    return refuse(context, 'it is not a rate');
  }
}

/** False, a number of proxies, or their addresses. All are safe values for Express's `trust proxy`. */
export function parseTrustProxy(text: string, context: z.RefinementCtx): false | number | string[] {
  if (/^(false|0)$/i.test(text)) return false;
  if (/^true$/i.test(text)) {
    return refuse(context, 'with true, every client could choose the address that its rate limit counts');
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
  // Node accepts a zone (fe80::1%eth0), Express does not.
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  // Zero bits would trust everyone, like `true`.
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Returns the canonical form: `de-ch` becomes `de-CH`. */
export function parseLocale(text: string, context: z.RefinementCtx): string {
  if (!isLocale(text)) return refuse(context, 'it is not a language tag');
  if (hasVariant(text)) return refuse(context, 'it has a variant');
  return new Intl.Locale(text).toString();
}

export function parseTimeZone(text: string, context: z.RefinementCtx): string {
  return isTimeZone(text) ? canonicalTimeZone(text) : refuse(context, 'no time zone has that name');
}

export function parseUserAgent(text: string, context: z.RefinementCtx): string {
  return isUserAgent(text) ? text : refuse(context, 'it has other characters, or too many');
}

export function parseSensitiveFields(text: string, context: z.RefinementCtx): SensitiveField[] {
  return splitList(text).map((name) => {
    const field = SENSITIVE_FIELDS.find((each) => each === name);
    return field ?? refuse(context, `${JSON.stringify(name)} is not an accepted name`);
  });
}

export function parseFieldObject(text: string, context: z.RefinementCtx): Readonly<Record<string, unknown>> {
  const fields = parseJson(text);
  return isJsonObject(fields) ? fields : refuse(context, 'it is not a JSON object');
}

export function parseRules(text: string, context: z.RefinementCtx): EgressRule[] {
  try {
    return parseEgressRules(text);
  } catch (error) {
    return refuse(context, error instanceof Error ? error.message : 'it is not a list of rules');
  }
}

export function readProxy(text: string, context: z.RefinementCtx): EgressProxy {
  return parseProxy(text) ?? refuse(context, 'it is not a complete proxy URL');
}

export function readProxies(text: string, context: z.RefinementCtx): Readonly<Record<string, EgressProxy>> {
  try {
    return Object.fromEntries(parseProxies(text));
  } catch (error) {
    return refuse(context, error instanceof Error ? error.message : 'it is not a list of proxies');
  }
}

export function parsePrefixes(text: string, context: z.RefinementCtx): Nat64Prefix[] {
  return splitList(text).map((prefix) => {
    try {
      return parseNat64Prefix(prefix);
    } catch {
      return refuse(context, `${JSON.stringify(prefix)} is not such a prefix`);
    }
  });
}

export function parseOrigins(text: string, context: z.RefinementCtx): string[] {
  const origins = splitList(text);
  const wrong = origins.find((origin) => exactOrigin(origin) !== origin);
  if (wrong === undefined) return origins;

  const meant = exactOrigin(wrong);
  return refuse(
    context,
    `${JSON.stringify(wrong)} is not an exact origin${meant === undefined ? '' : `; write ${meant}`}`,
  );
}

/** Returns host names in lower case. */
export function parseHostNames(text: string, context: z.RefinementCtx): string[] {
  const names = splitList(text.toLowerCase());
  const wrong = names.find((name) => !HOST_NAME.test(name));
  return wrong === undefined ? names : refuse(context, `${JSON.stringify(wrong)} is not a host name`);
}

export function parseAuthorities(text: string, context: z.RefinementCtx): readonly X509Certificate[] {
  try {
    return readAuthorities(resolve(text));
  } catch (error) {
    if (error instanceof AuthorityProblem) return refuse(context, error.message);
    throw error;
  }
}

/** Returns the origin as browsers send it: lower case, no default port, no path. */
export function exactOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname.includes('*')) return undefined;
  return url.origin;
}

export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

export function wholeNumber(min: number, max: number): Accepted<number> {
  return {
    form: `a whole number from ${min} to ${max}`,
    schema: z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(min).max(max)),
  };
}

/** Accepts `1` and `0` too, as in a request. */
export function toggle(): Accepted<boolean> {
  return { form: 'true or false', schema: z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] }) };
}

/** Accepts one word of a closed set, in any case. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words): Accepted<Words[number]> {
  const form = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return { form, schema: z.string().toLowerCase().pipe(z.enum(words)) };
}

/** Reports what is wrong with a setting. The message is shown to users and must not contain secrets. */
export function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}
