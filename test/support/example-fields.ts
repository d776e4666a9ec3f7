import { z } from 'zod';
import { type CaptureRequest, isCaptureRequest } from '../../src/programs/client/capture-request.ts';
import { plainPdf } from './plain-pdf.ts';
import { captureSchema } from '../../src/core/capture/request/options.ts';

interface ExampleField {
  readonly name: string;
  /** The example from the description, or the given address for `url`. */
  readonly value: unknown;
  /** Other fields that this field requires. */
  readonly beside: Readonly<Record<string, unknown>>;
}

const BESIDE: Readonly<Record<string, ExampleField['beside']>> = {
  file: { files: { 'report.pdf': plainPdf([{}]).toString('base64') } },
  resize_fit: { resize_width: 400, resize_height: 300 },
  include: { response_type: 'json', visible_text: true },
  extract: { response_type: 'json' },
  selector_all: { selector: 'body' },
  selector_each: { selector: 'body' },
  dither: { color: 'mono' },
  selector_padding: { selector: 'body' },
  pdf_width: { pdf_height: '200mm' },
  pdf_height: { pdf_width: '80mm' },
  paged_media: { format: 'pdf' },
  pdf_permissions: { pdf_owner_password: 'let me change it' },
  store_path: { store: true },
};

/** Fields that need TEMPLATES_DIR or PROXIES. templates.test.ts and egress-proxy.test.ts test them. */
export const NEED_SETTINGS: ReadonlySet<string> = new Set(['template', 'data', 'proxy']);

/** Returns every field of the schema with an example. A field without one has the value `undefined`. */
export function exampleFields(url: string): ExampleField[] {
  const { properties = {} } = z.toJSONSchema(captureSchema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties)
    .filter(([name]) => !NEED_SETTINGS.has(name))
    .map(([name, field]) => {
      const example = typeof field === 'object' ? field['example'] : undefined;
      return { name, value: name === 'url' ? url : example, beside: besideOf(name) };
    });
}

/** Returns a request with this field and what it needs: a page at the address, unless the field is one of markup. */
export function requestWith(
  name: string,
  value: unknown,
  url: string,
): Readonly<Record<string, unknown>> & CaptureRequest {
  const isSource = name === 'html_content' || name === 'markdown_content' || name === 'file';
  const isOfMarkup = name === 'base_url' || name === 'files';
  const source = isSource ? {} : isOfMarkup ? { html_content: '<h1>Hello</h1>' } : { url };
  const fields: Readonly<Record<string, unknown>> = { ...source, ...besideOf(name), [name]: value };
  if (isCaptureRequest(fields)) return fields;
  throw new Error(`There is nothing to capture with ${name}`);
}

/** Returns the fields that this field requires. */
function besideOf(name: string): ExampleField['beside'] {
  return BESIDE[name] ?? {};
}

/** Returns the command line flags for these fields. Lists and objects are split where the flags allow it. */
export function toFlags(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).flatMap(([field, value]) => {
    const name = field.replaceAll('_', '-');
    if (typeof value === 'boolean') return [`--${value ? '' : 'no-'}${name}`];
    if (Array.isArray(value)) return value.flatMap((item) => [`--${name}`, toText(item)]);
    if (field === 'custom_headers' && typeof value === 'object' && value !== null)
      return Object.entries(value).flatMap(([header, text]) => [`--${name}`, `${header}: ${String(text)}`]);
    return [`--${name}`, toText(value)];
  });
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
