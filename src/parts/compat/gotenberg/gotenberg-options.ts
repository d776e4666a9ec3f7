import { DATA_ONLY, nameFor } from '../../../features/documents/standards/factur-x.ts';
import { validationError } from '../../../core/ground/errors.ts';
import { isJsonObject } from '../../../core/ground/parse-json.ts';
import { readFactsOption } from './document-facts-options.ts';
import { FINISHING_OPTIONS } from './finishing-options.ts';
import { each, type Fields, ignored, near, type Option, type Options, refused, same } from '../convert-options.ts';
import { boolean, duration, number, readLength, readList, readObject, toCookie, whenTrue } from '../option-values.ts';

/** Holds `preferCssPageSize` until the routes decide on the paper size. It is no field of ours. */
export const PREFERS_PAGE = 'prefers_page';

/** Holds `embedsMetadata` until the routes add it to the attachments. It is no field of ours. */
export const ATTACHED_AS = 'attached_as';

const FEATURES = new Map<string, (value: string) => Fields>([
  ['prefers-color-scheme', (value) => ({ dark_mode: value === 'dark' })],
  ['prefers-reduced-motion', (value) => ({ reduced_motion: value === 'reduce' })],
]);
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
  failOnHttpStatusCodes: same('fail_on_status', statuses('fail_on_status')),
  failOnResourceHttpStatusCodes: same('fail_on_resource_status', statuses('fail_on_resource_status')),
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
  ...FINISHING_OPTIONS,
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
  metadata: same('pdf_title, metadata', readMetadata),
  merge: ignored(),
  userPassword: same('pdf_password'),
  ownerPassword: same('pdf_owner_password'),
  pdfa: near('pdf_standard', 'only PDF/A-2b and PDF/A-3b', readStandard),
  pdfua: same('pdf_standard', whenTrue({ pdf_standard: ['PDF/UA-1'], pdf_tagged: true })),
  embeds: same('pdf_attachments', (names) => ({ pdf_attachments: names.map((name) => ({ name, file: name })) })),
  embedsMetadata: near('pdf_attachments', 'only mimeType and relationship', readAttachedAs),
  facturxXml: near('pdf_attachments, pdf_standard', 'PDF/A-3b', readInvoice),
  facturxConformanceLevel: near('pdf_attachments', 'the profile is the one that the XML names', readLevel),
  watermarkSource: near('pdf_watermark', 'only text', readWatermarkSource),
  watermarkExpression: same('pdf_watermark'),
  omitBackground: ignored(),
  ...each(
    refused(),
    'watermark watermarkOptions watermarkPages stamp stampSource stampExpression stampOptions stampPages rotateAngle ' +
      'rotatePages facturxDocumentType facturxVersion',
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

/** Converts the statuses that fail the conversion. `499` means 400 to 499, and `[]` means none. */
function statuses(field: string): Option['convert'] {
  return (values, name) => {
    const given = readList(values, name);
    if (!given.every((status) => Number.isInteger(status) && Number(status) >= 100 && Number(status) < 600)) {
      throw validationError(`${name}: must be a list of statuses from 100 to 599, such as [499,599]`);
    }
    const listed = given.map((status) => String(status).replace(/99$/, 'xx'));
    if (listed.length > 0) return { [field]: listed };
    return field === 'fail_on_status' ? { fail_on_status: undefined } : {}; // instead of the default
  };
}

export function readStandard(values: readonly string[]): Fields {
  const name = values.at(-1) ?? '';
  return name === '' ? {} : { pdf_standard: [name] };
}

/** Name of the data of an e-invoice, until its profile is known. */
const INVOICE = nameFor('');

/** The value is the name of the file in the form. */
export function readInvoice(values: readonly string[]): Fields {
  const file = values.at(-1) ?? '';
  const invoice = { name: INVOICE, file, media_type: 'text/xml', relationship: 'alternative' };
  return { pdf_attachments: [invoice], pdf_standard: ['PDF/A-3b'] };
}

/** Profiles that are no invoice are data of the document. The German one has another file name. */
export function readLevel(values: readonly string[]): Fields {
  const level = values.at(-1) ?? '';
  const about = { name: nameFor(level), ...(DATA_ONLY.has(level) && { relationship: 'data' }) };
  return { [ATTACHED_AS]: { [INVOICE]: about } };
}

export function readAttachedAs(values: readonly string[], name: string): Fields {
  const entries = Object.entries(readObject(values, name)).map(([file, about]) => {
    const { mimeType, relationship, ...others } = isJsonObject(about) ? about : { about };
    if (Object.keys(others).length > 0) throw validationError(`${name}: takes mimeType and relationship of each file`);
    return [
      file,
      {
        ...(mimeType !== undefined && { media_type: mimeType }),
        ...(typeof relationship === 'string' && { relationship: relationship.toLowerCase() }),
      },
    ];
  });
  return { [ATTACHED_AS]: Object.fromEntries(entries) };
}

export function readWatermarkSource(values: readonly string[], name: string): Fields {
  if (values.at(-1) === 'text') return {};
  throw validationError(`${name}: must be text, other watermarks are not supported`);
}

/** What the browser prints is named by fields; the rest is written afterwards. */
function readMetadata(values: readonly string[], name: string): Fields {
  const {
    Title: pdf_title,
    Author: pdf_author,
    Subject: pdf_subject,
    Keywords: pdf_keywords,
    ...facts
  } = readFactsOption(values, name);
  return {
    ...(pdf_title !== undefined && { pdf_title }),
    ...(pdf_author !== undefined && { pdf_author }),
    ...(pdf_subject !== undefined && { pdf_subject }),
    ...(pdf_keywords !== undefined && { pdf_keywords }),
    ...(Object.keys(facts).length > 0 && { facts }),
  };
}
