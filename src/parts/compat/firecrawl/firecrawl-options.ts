import { validationError } from '../../../core/ground/errors.ts';
import { isJsonObject, parseJson } from '../../../core/ground/parse-json.ts';
import {
  convertOptions,
  each,
  type Fields,
  type Given,
  ignored,
  near,
  type Options,
  refused,
  same,
} from '../convert-options.ts';
import { boolean, list, number, readBoolean, readObject } from '../option-values.ts';

/** Objects of the body whose members are options. */
export const GROUPS = new Set(['location']);

/** Members of a document that a client can ask for, each with its letter in the id of a batch. */
const DOCUMENT_PARTS = { markdown: 'm', html: 'h', rawHtml: 'r', links: 'l', screenshot: 's' } as const;
type DocumentPart = keyof typeof DOCUMENT_PARTS;
export type DocumentParts = ReadonlySet<DocumentPart>;
const NAMES = Object.keys(DOCUMENT_PARTS).filter(isDocumentPart);

/** An address that begins with its host. */
const HOST = /^(?:[a-z\d-]+\.)+[a-z\d-]+(?::\d+)?(?:[/?#]|$)/i;
/** Hidden elements are still in the markup. */
const REMOVE = '((hidden) => document.querySelectorAll(hidden.join()).forEach((element) => element.remove()))';

/** Defaults of Firecrawl. */
const DEFAULTS: Fields = { block_ads: true, block_trackers: true, block_cookie_banners: true };
const WINDOW: Fields = { window_width: 1280, window_height: 800 };
const PHONE: Fields = { device: 'iPhone 15' };

/** Options of `/scrape`. */
export const SCRAPE_OPTIONS: Options = {
  url: near('url', '`https` unless it names its scheme', ([value = '']) => ({ url: withScheme(value) })),
  formats: near('include', '`markdown`, `html`, `rawHtml` (the same), `links`, `screenshot`', readFormats),
  onlyMainContent: same('main_content', boolean('main_content')),
  includeTags: near('selector', 'all matches; a screenshot shows them, too', (values) => ({
    selector: values.join(', '),
    selector_all: true,
  })),
  excludeTags: near('hide_selectors', 'also in `rawHtml` and screenshots', list('hide_selectors')),
  headers: near('custom_headers', 'sent to the origin of `url` only', (values, name) => ({
    custom_headers: readObject(values, name),
  })),
  waitFor: same('delay_capture', number('delay_capture')),
  timeout: near('wait_for_timeout', 'limits each wait', number('wait_for_timeout')),
  mobile: near('device', 'an iPhone 15', (values, name) => (readBoolean(values, name) ? PHONE : {})),
  actions: near('actions', '`wait`, `click`, `write`, `press`, `scroll`', (values, name) => ({
    actions: values.map((value, index) => toAction(readObject([value], `${name}[${index}]`), `${name}[${index}]`)),
  })),
  'location.languages': near('locale', 'the first one', ([value = '']) => ({ locale: value })),
  blockAds: near('block_ads', 'and trackers, and cookie banners, which are rejected', (values, name) => {
    const isOn = readBoolean(values, name);
    return { block_ads: isOn, block_trackers: isOn, block_cookie_banners: isOn };
  }),
  skipTlsVerification: near('ignore_https_errors', 'off by default', boolean('ignore_https_errors')),
  maxAge: near('cache_ttl', 'off by default', (values, name) => {
    const { milliseconds } = number('milliseconds')(values, name);
    return { cache_ttl: Math.ceil(Number(milliseconds) / 1_000) };
  }),
  proxy: near('proxy', '`basic` and `auto` have no effect, others are refused', ([value = ''], name) => {
    if (value === 'basic' || value === 'auto') return {};
    throw validationError(`${name}: must be basic or auto`);
  }),
  ...each(
    ignored(),
    'parsers removeBase64Images fastMode storeInCache zeroDataRetention maxConcurrency origin ' +
      'integration auditMetadata toolDetail',
  ),
  ignoreInvalidURLs: near('captures', 'of a batch: true by default', () => ({})),
  ...each(refused('POST /jobs/batch has webhook_url'), 'webhook'),
  ...each(
    refused(),
    'location.country minAge appendToId useMock lockdown profile redactPII threatProtection domainTools jsonOptions ' +
      'extract agent changeTrackingOptions',
  ),
};

/**
 * Returns our fields, and the requested parts. The file of the capture is the screenshot, or else the HTML.
 * @throws ServiceError ValidationError in Firecrawl's words
 */
export function fieldsOf(given: Given): { readonly fields: Fields; readonly parts: DocumentParts } {
  const { parts, ...fields } = convertOptions(given, SCRAPE_OPTIONS, DEFAULTS);
  const all = new Set(Array.isArray(parts) ? NAMES.filter((name) => parts.includes(name)) : ['markdown' as const]);
  const include = ['metadata', ...(all.has('markdown') ? ['markdown'] : []), ...(all.has('links') ? ['links'] : [])];
  const hasHtml = all.has('html') || all.has('rawHtml');
  if (hasHtml) include.push('html');
  const { hide_selectors: hidden } = fields;
  return {
    fields: {
      ...(fields['device'] === undefined && WINDOW),
      ...fields,
      ...(hasHtml && Array.isArray(hidden) && { custom_js: `${REMOVE}(${JSON.stringify(hidden)})` }),
      format: all.has('screenshot') ? (fields['format'] ?? 'png') : 'html',
      response_type: 'json',
      include,
    },
    parts: all,
  };
}

/** Adds the scheme to an address that has none. Other values stay for the check of the field. */
export function withScheme(address: unknown): unknown {
  return typeof address === 'string' && HOST.test(address) ? `https://${address}` : address;
}

/** Returns the requested parts of a document as letters, for the id of a batch. */
export function lettersOf(parts: DocumentParts): string {
  return [...parts].map((name) => DOCUMENT_PARTS[name]).join('');
}

export function partsOf(letters: string): DocumentParts {
  return new Set(NAMES.filter((name) => letters.includes(DOCUMENT_PARTS[name])));
}

function isDocumentPart(name: string): name is DocumentPart {
  return Object.hasOwn(DOCUMENT_PARTS, name);
}

/** Reads formats: names, or objects with a `type`. */
function readFormats(values: readonly string[], name: string): Fields {
  const formats = values.map((value) => {
    const parsed = value.startsWith('{') ? parseJson(value) : { type: value };
    const { type, ...options } = isJsonObject(parsed) ? parsed : {};
    if (type === 'screenshot@fullPage') return { type: 'screenshot', fullPage: true }; // version 1
    if (typeof type === 'string' && isDocumentPart(type)) return { ...options, type };
    const known = `only ${NAMES.join(', ')} are supported`;
    throw validationError(
      `${name}: ${typeof type === 'string' ? type.slice(0, 50) : 'a format without type'}: ${known}`,
    );
  });
  const { fullPage, quality, viewport }: Fields = formats.find(({ type }) => type === 'screenshot') ?? {};
  const { width, height } = isJsonObject(viewport) ? viewport : {};
  return {
    parts: formats.map(({ type }) => type),
    ...(fullPage !== undefined && { full_page: fullPage }),
    ...(quality !== undefined && { format: 'jpeg', image_quality: quality }),
    ...(viewport !== undefined && { window_width: width, window_height: height }),
  };
}

function toAction({ type, ...action }: Fields, name: string): Fields {
  const { milliseconds, selector, text, key, direction } = action;
  switch (type) {
    case 'wait':
      return { type, ...(milliseconds !== undefined && { milliseconds }), ...(selector !== undefined && { selector }) };
    case 'click':
      return { type, selector };
    case 'write':
      return { type: 'type', text };
    case 'press':
      return { type, key };
    case 'scroll':
      if (selector !== undefined) throw validationError(`${name}: scrolling inside an element is not supported`);
      return { type, to: direction === 'up' ? 'top' : 'bottom' };
    default:
      throw validationError(`${name}: must be one of wait, click, write, press, scroll`);
  }
}
