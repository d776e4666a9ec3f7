import { ServiceError, validationError } from '../../ground/errors.ts';
import { fieldPath } from '../../ground/field-path.ts';
import type { OwnSite } from '../../egress/gate/own-site.ts';
import type { Key } from '../../access/key.ts';
import { isJsonObject } from '../../ground/parse-json.ts';
import { DEVICE_FIELDS } from '../../steps/device.ts';
import { features, type RequestOptions } from './options.ts';
import { type ParseLimits, parseOptions } from './parse-options.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Rules of a key for the fields of its requests. */
export type FieldRules = Pick<Key, 'templates' | 'templatesOnly' | 'deniedFields'> & Partial<Pick<Key, 'id'>>;

/** Fields that the program of the client sets, for example a tool. */
export interface ToolFields {
  /** Apply to fields that neither the request nor the template sets. */
  readonly defaults?: Fields;
  /** Replace all others. */
  readonly fixed?: Fields;
}

interface RequestRules extends ToolFields {
  /** Rules of the key of the request. Undefined: all fields and templates are allowed. */
  readonly key?: FieldRules | undefined;
  /** True: the capture runs later, so the data is checked, and the page is not rendered. */
  readonly checksOnly?: boolean;
}

/**
 * Replaces `template` and `data` of a request by the fields and the page of the template.
 * @throws ServiceError FieldNotAllowedError, TemplateNotFoundError, TemplateError
 */
export type ExpandTemplate = (
  fields: Fields,
  rules: RequestRules,
) => Promise<{ readonly fields: Fields; readonly ownSite?: OwnSite | undefined }>;

/**
 * Parses the fields of a request, whichever way they came.
 * @throws ServiceError like `parseOptions`; FieldNotAllowedError, and the errors of `ExpandTemplate`
 */
export type ParseFields = (fields: unknown, rules?: RequestRules) => Promise<RequestOptions>;

/** Fields that every page has of its own, so that there is no default of them. */
const OF_ONE_PAGE = ['url', 'html_content', 'markdown_content', 'files', 'base_url', 'template', 'data', 'store_path'];

/**
 * Creates the parser of all requests: of captures, links, jobs, tools, and of other services' clients.
 * @param serviceDefaults values of fields that a request leaves out
 * @throws Error that names the setting, for values that no request may have
 */
export function createParseFields(
  expandTemplate: ExpandTemplate,
  limits: ParseLimits,
  serviceDefaults: Fields = {},
): ParseFields {
  checkDefaults(serviceDefaults, limits);
  return async (fields, given = {}) => {
    if (!isJsonObject(fields)) return parseOptions(fields, limits);
    refuseReservedNames(fields);
    if (given.key !== undefined) checkKeyFields(fields, given.key);
    const isOfTemplate = fields['template'] !== undefined;
    const expanded = isOfTemplate ? await expandTemplate(fields, given) : { fields: withoutTemplate(fields, given) };
    const { capture, delivery } = parseWithDefaults(expanded.fields, serviceDefaults, limits);
    const { ownSite = capture.ownSite } = expanded;
    const options = { ...capture, ownSite };
    for (const { check } of features) check?.(options);
    return { capture: options, delivery };
  };
}

/** Deeper values are data of a template, which has its own schema. */
const MAX_DEPTH = 32;

/** Refuses `__proto__` inside of fields: the schema would leave it out without an error. */
function refuseReservedNames(value: unknown, path: readonly PropertyKey[] = []): void {
  if (typeof value !== 'object' || value === null || path.length > MAX_DEPTH) return;
  const isList = Array.isArray(value);
  for (const [name, inner] of Object.entries(value)) {
    const at = [...path, isList ? Number(name) : name];
    if (name === '__proto__' && path.length > 0) throw validationError(`${fieldPath(at)}: is no allowed name`);
    refuseReservedNames(inner, at);
  }
}

function checkDefaults(defaults: Fields, limits: ParseLimits): void {
  const unfit = OF_ONE_PAGE.find((name) => defaults[name] !== undefined);
  if (unfit !== undefined) throw new Error(`DEFAULT_FIELDS: ${unfit}: has no default, because each page has its own`);
  try {
    parseOptions({ url: 'https://example.com/', ...defaults }, limits);
  } catch (error) {
    throw new Error(`DEFAULT_FIELDS: ${error instanceof ServiceError ? error.details : String(error)}`, {
      cause: error,
    });
  }
}

/**
 * Parses the fields of a request with the defaults of the service. Defaults that the request overrides or contradicts
 * are left out: a client can't resolve a conflict with a field that it has not sent.
 */
function parseWithDefaults(fields: Fields, defaults: Fields, limits: ParseLimits): RequestOptions {
  const left = new Map(Object.entries(defaults).filter(([name]) => fields[name] === undefined));
  if (fields['device'] !== undefined) for (const name of DEVICE_FIELDS) left.delete(name);
  for (;;) {
    try {
      return parseOptions({ ...fields, ...Object.fromEntries(left) }, limits);
    } catch (error) {
      const details = error instanceof ServiceError ? (error.details ?? '') : '';
      const contradicted = [...left.keys()].filter((name) => details.split(/\W+/).includes(name));
      if (contradicted.length === 0) throw error;
      for (const name of contradicted) left.delete(name);
    }
  }
}

/** Returns the fields of a request without a template. */
export function withoutTemplate(fields: Fields, { defaults, fixed }: ToolFields): Fields {
  return { ...defaults, ...fields, ...fixed };
}

/**
 * Checks the fields of a request by the rules of its key. The fields of a template are the operator's, so they are not
 * checked.
 * @throws ServiceError FieldNotAllowedError that names the field
 */
export function checkKeyFields(fields: Fields, rules: FieldRules): void {
  checkDeniedFields(fields, rules);
  const { templates, templatesOnly } = rules;
  const { template } = fields;
  if (template === undefined ? !templatesOnly : isAllowed(templates, template)) return;
  const accepted = templates === undefined ? 'the name of a template' : `one of ${templates.join(', ')}`;
  throw notAllowed(`template: this key needs ${templates?.length === 0 ? 'a template, but may use none' : accepted}`);
}

/**
 * Refuses fields that the key may not use.
 * @throws ServiceError FieldNotAllowedError that names the field
 */
export function checkDeniedFields(fields: Fields, { deniedFields }: Pick<FieldRules, 'deniedFields'>): void {
  const denied = Object.keys(fields).find((field) => deniedFields.has(field));
  if (denied !== undefined) throw notAllowed(`${denied}: is in deny_fields of this key`);
}

/** True if the key may use the template. */
export function isAllowed(templates: readonly string[] | undefined, name: unknown): boolean {
  return templates === undefined || templates.some((allowed) => allowed === name);
}

function notAllowed(details: string): ServiceError {
  return new ServiceError('FieldNotAllowedError', undefined, { details });
}
