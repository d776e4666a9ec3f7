import type { Fields, ToolFields } from '../../core/capture/request/request-parser.ts';
import { SOURCES } from '../../core/capture/request/source-fields.ts';
import { MAX_DATA_BYTES, templateFields } from '../../features/template/template-fields.ts';
import { DEVICE_FIELDS } from '../../core/steps/device.ts';
import { ServiceError, validationError } from '../../core/ground/errors.ts';
import { fieldPath } from '../../core/ground/field-path.ts';
import { isPreset, type Template } from './template.ts';

/**
 * Fields that are sent to the origin of `url`. Those of a template are the operator's, so no other origin gets them.
 */
export const CREDENTIALS: readonly string[] = [
  'cookies',
  'http_auth',
  'custom_headers',
  'storage_state',
  'init_script',
];

/**
 * Reads `template` and `data` of a request.
 * @returns the data as JSON
 * @throws ServiceError ValidationError
 */
export function readTemplateFields(fields: Fields): { readonly name: string; readonly data: string } {
  const { success, data: read, error } = templateFields.safeParse(fields);
  if (!success) {
    const problems = error.issues.map(({ path, message }) => `${fieldPath(path)}: ${message}`);
    throw validationError(problems.join('; '), error);
  }
  const { template: name = '', data = {} } = read;
  const json = JSON.stringify(data);
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_DATA_BYTES) {
    throw validationError(`data: has ${bytes} bytes as JSON, of at most ${MAX_DATA_BYTES}`);
  }
  return { name, data: json };
}

/**
 * Refuses fields that the template does not allow in a request.
 * @throws ServiceError FieldNotAllowedError if the template is locked, or has credentials for another origin;
 * ValidationError for another page than that of the template
 */
export function checkRequestFields(template: Template, fields: Fields): void {
  const { name, isLocked } = template;
  const page = SOURCES.find((field) => fields[field] !== undefined);
  if (isLocked) {
    // A preset that sets the address locks it, too.
    const hasSource = !isPreset(template) || SOURCES.some((field) => Object.hasOwn(template.fields, field));
    const accepted = ['template', 'data', ...(hasSource ? [] : SOURCES)];
    const refused = Object.keys(fields).find((field) => !accepted.includes(field));
    if (refused === undefined) return;
    throw new ServiceError('FieldNotAllowedError', 'The template does not allow this field', {
      details: `${refused}: the template ${name} is locked, it accepts only ${accepted.join(', ')}`,
    });
  }
  const own = [page, ...(fields['files'] === undefined ? [] : ['files'])].find((field) => field !== undefined);
  if (own !== undefined && !isPreset(template)) {
    throw validationError(`${own}: the template ${name} has its own page and files`);
  }
  const credential = CREDENTIALS.find((field) => Object.hasOwn(template.fields, field));
  const origin = originOf(template.fields['url']);
  if (page !== undefined && credential !== undefined && originOf(fields['url']) !== origin) {
    throw new ServiceError('FieldNotAllowedError', 'The template does not allow this field', {
      details: `${page}: the template ${name} has ${credential} for ${origin} only`,
    });
  }
  const { include } = fields;
  if (credential !== undefined && JSON.stringify(include ?? null).includes('storage_state')) {
    throw new ServiceError('FieldNotAllowedError', 'The template does not allow this field', {
      details: `include: the template ${name} has ${credential}, which storage_state would show`,
    });
  }
}

/** Returns the fields of a request with those of the template. A locked template ignores the fields of tools. */
export function withTemplate(
  template: Template,
  { template: _name, data: _data, ...fields }: Fields,
  { defaults, fixed }: ToolFields,
): Fields {
  if (template.isLocked) return { ...template.fields, ...fields };
  const hasSource = SOURCES.some((field) => fields[field] !== undefined);
  const dropped = [
    ...(hasSource ? SOURCES : []),
    ...(fields['url'] === undefined ? [] : ['base_url', 'files']), // they are for markup
    // the device of a request goes before the window of a template
    ...(fields['device'] === undefined ? [] : DEVICE_FIELDS),
  ];
  const own = Object.entries(template.fields).filter(([field]) => !dropped.includes(field));
  return { ...defaults, ...Object.fromEntries(own), ...fields, ...fixed };
}

function originOf(url: unknown): string | undefined {
  return typeof url === 'string' ? URL.parse(url)?.origin : undefined;
}
