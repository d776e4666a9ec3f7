import { validationError } from '../../../errors.ts';
import { isJsonObject, parseJson } from '../../../parse-json.ts';
import {
  boolean,
  type Fields,
  ignored,
  near,
  number,
  type Option,
  type Options,
  refused,
  same,
  whenTrue,
} from '../front.ts';

/** Stands for `preferCssPageSize` until the paper is known. */
export const PREFERS_PAGE = 'prefers_page';

/** Statuses that fail the conversion by default: 4xx and 5xx, in Gotenberg's way. */
const ERROR_STATUSES = [499, 599];
const FEATURES: Readonly<Record<string, (value: string) => Fields | undefined>> = {
  'prefers-color-scheme': (value) => ({ dark_mode: value === 'dark' }),
  'prefers-reduced-motion': (value) => ({ reduced_motion: value === 'reduce' }),
};
const METADATA: Readonly<Record<string, string>> = {
  Title: 'pdf_title',
  Author: 'pdf_author',
  Subject: 'pdf_subject',
  Keywords: 'pdf_keywords',
};
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** Options of all Chromium routes. */
const COMMON: Options = {
  url: same('url'),
  waitDelay: same('delay_capture', ([value = ''], name) => ({ delay_capture: readDuration(value, name) })),
  waitForExpression: same('wait_for_function'),
  waitForSelector: same('wait_for_selector'),
  emulatedMediaType: same('media_type'),
  emulatedMediaFeatures: near('dark_mode, reduced_motion', 'these two features', ([value = ''], name) =>
    Object.assign({}, ...readList(value, name).map((feature) => readFeature(feature, name))),
  ),
  cookies: same('cookies', ([value = ''], name) => ({ cookies: readList(value, name).map(toCookie) })),
  userAgent: same('user_agent'),
  extraHttpHeaders: near(
    'custom_headers',
    'sent to the origin of `url` only, without scopes',
    ([value = ''], name) => ({ custom_headers: readHeaders(value, name) }),
  ),
  failOnHttpStatusCodes: near(
    'fail_on_http_error',
    'only `[499,599]`, the default, and `[]`',
    (values, name) => ({
      fail_on_http_error: readStatuses(values, name),
    }),
  ),
  failOnResourceHttpStatusCodes: near(
    'fail_on',
    'only `[499,599]` and `[]`; the page counts, too',
    (values, name) => (readStatuses(values, name) ? { fail_on: ['http_error'] } : {}),
  ),
  failOnResourceLoadingFailed: near(
    'fail_on',
    'the page counts, too',
    whenTrue({ fail_on: ['request_failed'] }),
  ),
  failOnConsoleExceptions: near(
    'fail_on',
    '`console.error` counts, too',
    whenTrue({ fail_on: ['console_error'] }),
  ),
  skipNetworkIdleEvent: same('wait_for_network', unless({ wait_for_network: 'idle' })),
  skipNetworkAlmostIdleEvent: same('wait_for_network', unless({ wait_for_network: 'mostly_idle' })),
  ignoreResourceHttpStatusDomains: refused(),
  downloadFrom: refused('send the files in the form'),
};

/** Options of `/forms/chromium/convert/*`. */
export const CONVERT_OPTIONS: Options = {
  ...COMMON,
  paperWidth: same('pdf_width', length('pdf_width')),
  paperHeight: same('pdf_height', length('pdf_height')),
  marginTop: same('pdf_margin', margin('top')),
  marginRight: same('pdf_margin', margin('right')),
  marginBottom: same('pdf_margin', margin('bottom')),
  marginLeft: same('pdf_margin', margin('left')),
  landscape: near('pdf_landscape', 'the longer side is horizontal', boolean('pdf_landscape')),
  scale: same('pdf_scale', number('pdf_scale')),
  singlePage: same('pdf_single_page', boolean('pdf_single_page')),
  preferCssPageSize: near('pdf_format', 'without a size of the page: A4', boolean(PREFERS_PAGE)),
  printBackground: same('pdf_print_background', boolean('pdf_print_background')),
  nativePageRanges: same('pdf_page_ranges', ([value = '']) =>
    value === '' ? {} : { pdf_page_ranges: value },
  ),
  generateDocumentOutline: near('pdf_outline', 'also makes tags', boolean('pdf_outline')),
  generateTaggedPdf: same('pdf_tagged', boolean('pdf_tagged')),
  metadata: near('pdf_title', 'only Title, Author, Subject and Keywords', ([value = ''], name) =>
    readMetadata(value, name),
  ),
  omitBackground: ignored('a PDF has no background of its own'),
  ...refuse(
    'pdfa pdfua splitMode splitSpan splitUnify userPassword ownerPassword flatten embeds embedsMetadata watermark ' +
      'watermarkSource watermarkExpression watermarkOptions watermarkPages stamp stampSource stampExpression stampOptions ' +
      'stampPages rotateAngle rotatePages facturxXml facturxConformanceLevel merge',
  ),
};

/** Options of `/forms/chromium/screenshot/*`. */
export const SCREENSHOT_OPTIONS: Options = {
  ...COMMON,
  width: same('window_width', number('window_width')),
  height: same('window_height', number('window_height')),
  deviceScaleFactor: same('pixel_density', number('pixel_density')),
  clip: same('full_page', boolean('full_page', { isNegated: true })),
  format: same('format'),
  quality: same('image_quality', number('image_quality')),
  omitBackground: same('omit_background', boolean('omit_background')),
  optimizeForSpeed: ignored('the encoder is chosen here'),
};

function refuse(names: string): Options {
  return Object.fromEntries(names.split(' ').map((name): [string, Option] => [name, refused()]));
}

function unless(fields: Fields): Option['convert'] {
  return (values, name) => (boolean('skipped')(values, name)['skipped'] === true ? {} : fields);
}

function length(field: string): Option['convert'] {
  return ([value = ''], name) => ({ [field]: readLength(value, name) });
}

function margin(side: string): Option['convert'] {
  return ([value = ''], name) => ({ pdf_margin: { [side]: readLength(value, name) } });
}

/** A length in inches, or with a unit. A pica has 16 CSS pixels. */
function readLength(value: string, name: string): string {
  const [, amount, unit = 'in'] = /^\s*(\d{1,6}(?:\.\d{1,6})?)\s*(pt|px|in|mm|cm|pc)?\s*$/.exec(value) ?? [];
  if (amount === undefined) throw validationError(`${name}: must be a length such as 8.5, 8.5in or 210mm`);
  return unit === 'pc' ? `${Number(amount) * 16}px` : `${amount}${unit}`;
}

/** A duration such as `1m30s` or `500ms`. Returns milliseconds. */
function readDuration(value: string, name: string): number {
  const parts = [...value.trim().matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|s|m)/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== value.trim()) {
    throw validationError(`${name}: must be a duration such as 3s or 500ms`);
  }
  return Math.round(
    parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNIT_MS[unit] ?? 0), 0),
  );
}

function readList(value: string, name: string): readonly unknown[] {
  const parsed = parseJson(value);
  if (Array.isArray(parsed)) return parsed;
  throw validationError(`${name}: must be a JSON list`);
}

function readObject(value: string, name: string): Readonly<Record<string, unknown>> {
  const parsed = parseJson(value);
  if (isJsonObject(parsed)) return parsed;
  throw validationError(`${name}: must be a JSON object`);
}

function readFeature(feature: unknown, name: string): Fields {
  const { name: key, value } = isJsonObject(feature) ? feature : {};
  const fields = Object.hasOwn(FEATURES, String(key)) ? FEATURES[String(key)]?.(String(value)) : undefined;
  if (fields !== undefined) return fields;
  throw validationError(`${name}: only ${Object.keys(FEATURES).join(' and ')} are supported`);
}

function toCookie(cookie: unknown): unknown {
  if (!isJsonObject(cookie)) return cookie;
  const { httpOnly, sameSite, ...others } = cookie;
  return {
    ...others,
    ...(httpOnly !== undefined && { http_only: httpOnly }),
    ...(typeof sameSite === 'string' && { same_site: sameSite.toLowerCase() }),
  };
}

function readHeaders(value: string, name: string): Fields {
  const headers = readObject(value, name);
  if (Object.values(headers).some((text) => /;\s*scope=/i.test(String(text)))) {
    throw validationError(`${name}: scopes are not supported, headers are sent to the origin of url only`);
  }
  return headers;
}

/** True for 4xx and 5xx, false for an empty list. */
function readStatuses([value = '[]']: readonly string[], name: string): boolean {
  const statuses = readList(value, name);
  if (statuses.length === 0) return false;
  if (statuses.length === 2 && ERROR_STATUSES.every((status) => statuses.includes(status))) return true;
  throw validationError(`${name}: only [499,599] and [] are supported`);
}

function readMetadata(value: string, name: string): Fields {
  const entries = Object.entries(readObject(value, name)).map(([key, fact]) => {
    const field = Object.hasOwn(METADATA, key) ? METADATA[key] : undefined;
    if (field === undefined)
      throw validationError(`${name}: ${key} is not supported, only ${Object.keys(METADATA).join(', ')}`);
    return [field, Array.isArray(fact) ? fact.join(', ') : fact];
  });
  return Object.fromEntries(entries);
}
