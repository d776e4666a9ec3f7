import { validationError } from '../../errors.ts';
import { isJsonObject } from '../../parse-json.ts';
import { onOneLine } from '../../quoted.ts';
import { each, type Fields, ignored, near, type Option, type Options, refused, same } from '../convert-options.ts';
import { boolean, duration, number, readLength, readList, readObject, toCookie, whenTrue } from '../option-values.ts';

/** Holds `preferCssPageSize` until the routes decide on the paper size. It is no field of ours. */
export const PREFERS_PAGE = 'prefers_page';

/** Statuses that fail the conversion by default: 4xx and 5xx, in Gotenberg's way. */
const ERROR_STATUSES = [499, 599];
const FEATURES = new Map<string, (value: string) => Fields>([
  ['prefers-color-scheme', (value) => ({ dark_mode: value === 'dark' })],
  ['prefers-reduced-motion', (value) => ({ reduced_motion: value === 'reduce' })],
]);
const METADATA = ['Title', 'Author', 'Subject', 'Keywords'];

/** Options of all Chromium routes. */
const COMMON: Options = {
  url: same('url'),
  waitDelay: same('delay_capture', duration('delay_capture')),
  waitForExpression: same('wait_for_function'),
  waitForSelector: same('wait_for_selector'),
  emulatedMediaType: same('media_type'),
  emulatedMediaFeatures: near('dark_mode, reduced_motion', 'only these two features', readFeatures),
  cookies: same('cookies', (values, name) => ({ cookies: readList(values, name).map(toCookie) })),
  userAgent: same('user_agent'),
  extraHttpHeaders: near('custom_headers', 'for the origin of `url`, no scopes', readHeaders),
  failOnHttpStatusCodes: near('fail_on_http_error', 'only `[499,599]`, the default, and `[]`', statuses(true)),
  failOnResourceHttpStatusCodes: near('fail_on', 'only `[499,599]` and `[]`; the page counts, too', statuses(false)),
  failOnResourceLoadingFailed: same('fail_on', whenTrue({ fail_on: ['request_failed'] })),
  failOnConsoleExceptions: near('fail_on', 'and `console.error`', whenTrue({ fail_on: ['console_error'] })),
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
  preferCssPageSize: near('pdf_format', 'A4 if the page sets no size', boolean(PREFERS_PAGE)),
  printBackground: same('pdf_print_background', boolean('pdf_print_background')),
  nativePageRanges: same('pdf_page_ranges'),
  generateDocumentOutline: near('pdf_outline', 'also makes tags', boolean('pdf_outline')),
  generateTaggedPdf: same('pdf_tagged', boolean('pdf_tagged')),
  metadata: near('pdf_title', 'only Title, Author, Subject and Keywords', readMetadata),
  omitBackground: ignored(),
  ...each(
    refused(),
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
  clip: near('full_page', 'the opposite', boolean('full_page', { isNegated: true })),
  selector: same('selector'),
  format: same('format'),
  quality: same('image_quality', number('image_quality')),
  omitBackground: same('omit_background', boolean('omit_background')),
  optimizeForSpeed: ignored(),
};

function unless(fields: Fields): Option['convert'] {
  return (values, name) => (boolean('skipped')(values, name)['skipped'] === true ? {} : fields);
}

function length(field: string): Option['convert'] {
  return (values, name) => ({ [field]: readLength(values, name) });
}

function margin(side: string): Option['convert'] {
  return (values, name) => ({ pdf_margin: length(side)(values, name) });
}

function readFeatures(values: readonly string[], name: string): Fields {
  const all = readList(values, name).map((feature) => {
    const { name: key, value } = isJsonObject(feature) ? feature : {};
    const convert = FEATURES.get(String(key));
    if (convert !== undefined) return convert(String(value));
    throw validationError(`${name}: only ${[...FEATURES.keys()].join(' and ')} are supported`);
  });
  return Object.fromEntries(all.flatMap((fields) => Object.entries(fields)));
}

function readHeaders(values: readonly string[], name: string): Fields {
  const headers = readObject(values, name);
  if (Object.values(headers).some((text) => /;\s*scope=/i.test(String(text)))) {
    throw validationError(`${name}: scopes are not supported, headers are sent to the origin of url only`);
  }
  return { custom_headers: headers };
}

/** Converts the statuses that fail the conversion: `[499,599]` means all 4xx and 5xx, `[]` means none. */
function statuses(isOfPage: boolean): Option['convert'] {
  return (values, name) => {
    const given = readList(values, name);
    const fails = given.length === 2 && ERROR_STATUSES.every((status) => given.includes(status));
    if (!fails && given.length > 0) throw validationError(`${name}: only [499,599] and [] are supported`);
    if (isOfPage) return { fail_on_http_error: fails };
    return fails ? { fail_on: ['http_error'] } : {};
  };
}

function readMetadata(values: readonly string[], name: string): Fields {
  const entries = Object.entries(readObject(values, name)).map(([key, fact]) => {
    if (METADATA.includes(key)) {
      return [`pdf_${key.toLowerCase()}`, Array.isArray(fact) ? fact.join(', ') : fact];
    }
    throw validationError(`${name}: ${onOneLine(key.slice(0, 50))} is not supported, only ${METADATA.join(', ')}`);
  });
  return Object.fromEntries(entries);
}
