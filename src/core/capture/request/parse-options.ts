import { z } from 'zod';
import { ServiceError, validationError } from '../../ground/errors.ts';
import { fieldPath } from '../../ground/field-path.ts';
import { nearestName } from '../../ground/nearest.ts';
import { isJsonObject, parseJson } from '../../ground/parse-json.ts';
import { withDevice } from '../../steps/device.ts';
import { FORMATS } from './formats.ts';
import { findConflict } from './conflicts.ts';
import { deliveryFields } from './delivery.ts';
import { ownSiteOf } from '../../egress/gate/own-site.ts';
import { MAX_FILES_BYTES } from './source-fields.ts';
import { captureSchema, FIELD_NAMES, type RequestFields, type RequestOptions } from './options.ts';

/** Names of other services and libraries, without signs and capitals, for fields that have another name here. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    window_width: 'width viewportwidth vw',
    window_height: 'height viewportheight vh',
    image_quality: 'quality jpegquality imgquality',
    delay_capture: 'delay waitfor waitfortimeout renderdelay',
    wait_for_network: 'waituntil waituntilnetworkidle goto',
    wait_for_timeout: 'timeout navigationtimeout',
    pixel_density: 'devicescalefactor dpr retina scalefactor',
    html_content: 'html content source',
    markdown_content: 'markdown md',
    full_page: 'fullpage full capturefullpage',
    custom_js: 'script scripts js javascript',
    custom_css: 'styles stylesheet css',
    custom_headers: 'headers extrahttpheaders',
    http_auth: 'authenticate basicauth credentials',
    format: 'type filetype output encoding',
    pdf_format: 'papersize paper',
    pdf_landscape: 'landscape orientation',
    pdf_margin: 'margin margins',
    pdf_print_background: 'printbackground',
    locale: 'language lang acceptlanguage',
  }).flatMap(([field, names]) => names.split(' ').map((name) => [name, field] as const)),
);

/** Unsets the fields of the delivery in a copy. Deleting them would make the copy slow to read. */
const NO_DELIVERY = Object.fromEntries(Object.keys(deliveryFields.shape).map((name) => [name, undefined]));

export interface ParseLimits {
  /** Maximum `wait_for_timeout` in milliseconds. */
  readonly maxWaitMs: number;
  /** Default `cache_ttl` in seconds. */
  readonly cacheTtl?: number;
  /** Time limit of a whole request in milliseconds. Undefined: unknown here. */
  readonly captureTimeoutMs?: number;
  /** Maximum picture size in device pixels. Undefined: unknown here. */
  readonly maxPixels?: number;
  /** True if results can be stored. Undefined: unknown here. */
  readonly canStore?: boolean;
  /** The proxies of PROXIES. Undefined: unknown here. */
  readonly proxies?: object;
}

/**
 * Parses and validates a JSON value. All checks that need no page are here, so that `POST /sign` accepts exactly what a
 * capture would.
 * @throws ServiceError ValidationError that names each bad field and what is accepted; ResultTooLargeError if the size
 * is too large by the request alone
 */
export function parseOptions(input: unknown, limits: ParseLimits): RequestOptions {
  const { captureTimeoutMs = Infinity, maxPixels = Infinity } = limits;
  const options = readOptions(input, limits);
  if (options.delay_capture >= captureTimeoutMs) {
    throw validationError(`delay_capture: must be below ${captureTimeoutMs}, the time limit of a whole request`);
  }
  const delaysMs = (options.actions ?? []).map((each) => (each.type === 'wait' ? (each.milliseconds ?? 0) : 0));
  const delayMs = delaysMs.reduce((sum, ms) => sum + ms, options.delay_capture);
  if (delayMs >= captureTimeoutMs) {
    throw validationError(
      `actions: all their waits and delay_capture together must stay below ${captureTimeoutMs}, the time limit of a whole request`,
    );
  }
  if (options.store && limits.canStore === false) {
    throw validationError('store: needs the setting STORAGE or DATA_DIR');
  }
  checkFiles(options);
  checkProxy(options, limits);
  FORMATS[options.format].check(options, { maxPixels });
  return split(options);
}

function checkFiles({ files }: RequestFields): void {
  const bytes = Object.values(files ?? {}).reduce((sum, text) => sum + Buffer.byteLength(text, 'base64'), 0);
  if (bytes > MAX_FILES_BYTES) throw filesTooLarge();
}

/** Error for files that are too large in total. */
export function filesTooLarge(): ServiceError {
  const details = `files: may have at most ${MAX_FILES_BYTES} bytes in total`;
  return new ServiceError('PayloadTooLargeError', undefined, { details });
}

function checkProxy({ proxy }: RequestFields, { proxies }: ParseLimits): void {
  if (proxy === undefined || proxies === undefined || Object.hasOwn(proxies, proxy)) return;
  const names = Object.keys(proxies);
  throw validationError(
    names.length === 0 ? 'proxy: needs the setting PROXIES' : `proxy: must be a name in PROXIES: ${names.join(', ')}`,
  );
}

/** Splits the fields into what decides the result, and how it is delivered. */
function split(fields: RequestFields): RequestOptions {
  const delivery = deliveryFields.parse(fields);
  const { include: named = delivery.response_type === 'json' ? [] : undefined, extract } = fields;
  const include = extract === undefined ? named : [...new Set([...(named ?? []), 'extract' as const])];
  const { files = {}, ...others } = fields;
  const contents = Object.entries(files).map(([name, text]) => [name, Buffer.from(text, 'base64')] as const);
  const ownSite = contents.length === 0 ? undefined : ownSiteOf(new Map(contents));
  return { capture: { ...others, ...NO_DELIVERY, include, ownSite }, delivery };
}

function readOptions(input: unknown, { maxWaitMs, cacheTtl = 0 }: ParseLimits): RequestFields {
  const { success, data, error } = captureSchema.safeParse(input);
  if (!success)
    throw validationError(
      [...error.issues.slice(0, 10).map(describeIssue), ...hintsOf(error, input)].join('; '),
      error,
    );
  const isNamed = (field: string): boolean => typeof input === 'object' && input !== null && field in input;
  const type = data.selector_each && !isNamed('response_type') ? { response_type: 'json' as const } : {};
  const options = withDevice({ ...data, ...type, cache_ttl: data.cache_ttl ?? cacheTtl }, isNamed);
  const conflict = findConflict(options, isNamed);
  if (conflict !== undefined) throw validationError(conflict);
  if (options.wait_for_timeout <= maxWaitMs) return options;
  if (!isNamed('wait_for_timeout')) return { ...options, wait_for_timeout: maxWaitMs };
  throw validationError(`wait_for_timeout: must be a whole number from 1 to ${maxWaitMs}`);
}

/**
 * Returns the JSON values of query text, using the types of the schema: `true false 1 0` for booleans, decimals for
 * numbers, JSON for lists and objects. Text that does not fit its type is returned as it is, and the schema refuses it.
 */
export function readTextFields(fields: ReadonlyMap<string, string>): Readonly<Record<string, unknown>> {
  const shape: Readonly<Record<string, z.core.$ZodType>> = captureSchema.shape;
  const values = [...fields].map(([name, text]) => {
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return [name, schema === undefined ? text : fromText(schema, text)];
  });
  return Object.fromEntries(values);
}

const MAX_SHOWN_NAME = 64;
const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false, 1: true, 0: false };
const STRUCTURED: ReadonlySet<string> = new Set(['array', 'object', 'record']);
const PLAIN_DECIMAL = /^-?\d{1,15}(\.\d{1,17})?$/; // 1.3333333730697632 is the density of some phones

/**
 * Returns the JSON value of a field's text. If the text does not fit the type, returns the text itself, which the
 * schema refuses.
 */
function fromText(schema: z.core.$ZodType, text: string): unknown {
  const { def } = schema._zod; // documented by zod for library authors: zod.dev/library-authors
  if (def.type === 'boolean') return Object.hasOwn(BOOLEANS, text) ? BOOLEANS[text] : text;
  if (def.type === 'number') return PLAIN_DECIMAL.test(text) ? Number(text) : text;
  if (STRUCTURED.has(def.type)) {
    const value = parseJson(text);
    return value === undefined ? text : value;
  }
  if ('options' in def && Array.isArray(def.options)) return fromChoices(def.options, text);
  // Wrappers of a schema: optional, default, transform.
  const inner = 'innerType' in def ? def.innerType : 'in' in def ? def.in : undefined;
  return inner instanceof z.core.$ZodType ? fromText(inner, text) : text;
}

/** For a union, uses the first type that the text fits, and text last. */
function fromChoices(choices: readonly unknown[], text: string): unknown {
  for (const choice of choices) {
    const value = choice instanceof z.core.$ZodType ? fromText(choice, text) : text;
    if (value !== text) return value;
  }
  return text;
}

/** In a query, an unescaped `&` ends the address, and the rest of its query looks like fields. */
function hintsOf({ issues }: z.core.$ZodError, input: unknown): readonly string[] {
  const url = isJsonObject(input) ? input['url'] : undefined;
  const isUnknown = issues.some(({ code, path }) => code === 'unrecognized_keys' && path.length === 0);
  if (!isUnknown || typeof url !== 'string' || !url.includes('?')) return [];
  return ['url: percent-encode it, if its own query was cut off at &'];
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.map((part) => (typeof part === 'string' ? part.slice(0, MAX_SHOWN_NAME) : part));
  if (issue.code === 'unrecognized_keys') {
    const unknown = issue.keys.slice(0, 10);
    if (path.length === 0) return unknown.map(describeUnknown).join('; ');
    return unknown
      .map((name) => `${fieldPath([...path, name.slice(0, MAX_SHOWN_NAME)])}: is not a known field`)
      .join('; ');
  }
  if (path.length === 0) return 'The request must be a JSON object';
  return `${fieldPath(path)}: ${issue.message}`;
}

function describeUnknown(name: string): string {
  const shown = name.slice(0, MAX_SHOWN_NAME);
  const meant = ELSEWHERE.get(shown.toLowerCase().replaceAll(/[_-]/g, ''));
  const nearest = meant ?? nearestName(shown, FIELD_NAMES);
  return `${shown}: is not a known field${nearest !== undefined ? `, did you mean ${nearest}?` : ''}`;
}
