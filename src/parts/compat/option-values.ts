import { isUtf8 } from 'node:buffer';
import { validationError } from '../../core/ground/errors.ts';
import { isJsonObject, parseJson } from '../../core/ground/parse-json.ts';
import type { Convert, Fields } from './convert-options.ts';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };
/** Resource types of Puppeteer for which our API has no separate name. */
const OTHER_RESOURCES = new Set([
  'texttrack',
  'eventsource',
  'manifest',
  'ping',
  'prefetch',
  'preflight',
  'signedexchange',
  'cspviolationreport',
  'fedcm',
]);
/** Puppeteer's names of waits, with ours. */
const NETWORK_WAITS = new Map<string, Fields>([
  ['load', {}],
  ['domcontentloaded', {}],
  ['networkidle2', { wait_for_network: 'mostly_idle' }],
  ['networkidle0', { wait_for_network: 'idle' }],
]);

export function number(field: string, factor = 1): Convert {
  return (values, name) => ({ [field]: readNumber(values, name) * factor });
}

/** Converts a number in this unit of time to whole milliseconds. */
export function seconds(field: string): Convert {
  return (values, name) => ({ [field]: Math.round(readNumber(values, name) * 1_000) });
}

/** A duration such as `1m30s` or `500ms`, in milliseconds. */
export function duration(field: string): Convert {
  return ([value = ''], name) => {
    const parts = [...value.trim().matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|s|m)/g)];
    if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== value.trim()) {
      throw validationError(`${name}: must be a duration such as 3s or 500ms`);
    }
    const ms = parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNIT_MS[unit] ?? 0), 0);
    return { [field]: Math.round(ms) };
  };
}

/** A boolean. `isNegated`: our field means the opposite. */
export function boolean(field: string, { isNegated = false } = {}): Convert {
  return (values, name) => ({ [field]: readBoolean(values, name) !== isNegated });
}

/** Sets these fields if the value is true. */
export function whenTrue(fields: Fields): Convert {
  return (values, name) => (readBoolean(values, name) ? fields : {});
}

/** All values as a list. */
export function list(field: string): Convert {
  return (values) => ({ [field]: values.filter((value) => value !== '') });
}

function readNumber(values: readonly string[], name: string): number {
  const given = values.at(-1)?.trim() ?? '';
  if (/^-?\d{1,15}(?:\.\d{0,20})?$/.test(given)) return Number(given);
  throw validationError(`${name}: must be a number`);
}

/** A length in inches, or with a unit. A pica has 16 CSS pixels. */
export function readLength([value = '']: readonly string[], name: string): string {
  const [, amount, unit = 'in'] = /^(\d{1,6}(?:\.\d{1,6})?)\s*(pt|px|in|mm|cm|pc)?$/.exec(value.trim()) ?? [];
  if (amount === undefined) throw validationError(`${name}: must be a length such as 8.5, 8.5in or 210mm`);
  return unit === 'pc' ? `${Number(amount) * 16}px` : `${amount}${unit}`;
}

export function readList(values: readonly string[], name: string): readonly unknown[] {
  const parsed = parseJson(values.at(-1) ?? '');
  if (Array.isArray(parsed)) return parsed;
  throw validationError(`${name}: must be a JSON list`);
}

export function readObject(values: readonly string[], name: string): Fields {
  const parsed = parseJson(values.at(-1) ?? '');
  if (isJsonObject(parsed)) return parsed;
  throw validationError(`${name}: must be a JSON object`);
}

export function readBoolean(values: readonly string[], name: string): boolean {
  const given = (values.at(-1) ?? '').trim().toLowerCase();
  if (given === 'true' || given === '1') return true;
  if (given === 'false' || given === '0' || given === '') return false;
  throw validationError(`${name}: must be true or false`);
}

/** Converts names of Puppeteer's waits. The longest wait counts. */
export const networkWait: Convert = (values, name) => {
  const unknown = values.find((value) => !NETWORK_WAITS.has(value));
  if (unknown === undefined) return [...NETWORK_WAITS].findLast(([wait]) => values.includes(wait))?.[1] ?? {};
  throw validationError(`${name}: must be one of ${[...NETWORK_WAITS.keys()].join(', ')}`);
};

/** Converts resource types to block. */
export const blockedResources: Convert = (values, name) => {
  if (values.includes('document')) throw validationError(`${name}: document is not supported, iframe blocks frames`);
  return { block_resources: values.map((value) => (OTHER_RESOURCES.has(value) ? 'other' : value)) };
};

/** Converts a cookie with Puppeteer's member names. */
export function toCookie(cookie: unknown): unknown {
  if (!isJsonObject(cookie)) return cookie;
  const { httpOnly, sameSite, ...others } = cookie;
  return {
    ...others,
    ...(httpOnly !== undefined && { http_only: httpOnly }),
    ...(typeof sameSite === 'string' && { same_site: sameSite.toLowerCase() }),
  };
}

/** Returns a header that its client has sent in UTF-8, as curl, Go and PHP do. Node reads Latin-1. */
export function textOfHeader(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
