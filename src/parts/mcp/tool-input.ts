import { FIELD_NAMES, type RequestOptions } from '../../core/capture/request/options.ts';
import type { ParseLimits } from '../../core/capture/request/parse-options.ts';
import { validationError } from '../../core/ground/errors.ts';
import { fieldSchemas } from '../../core/http/routes/capture-operations.ts';
import type { ToolFields } from '../../core/capture/request/request-parser.ts';
import type { JsonSchema } from '../../core/http/routes/operation.ts';
import type { OwnValues } from './finished-call.ts';
import type { CaptureTool, CompareTool, ReadTool, Tool } from './tools.ts';

type Given = Readonly<Record<string, unknown>>;

/**
 * Keywords that models don't need: they cost tokens in every conversation, and some providers refuse unknown keywords.
 */
const LEFT_OUT = /^(?:x-|examples$|\$)/;

/**
 * Returns the JSON schema of a tool: its texts, such as the addresses of one that compares, and capture fields with
 * their descriptions.
 * "Exactly one of `url` and `html_content`" is in the description, because model providers refuse alternatives at the
 * top level.
 */
export function toolSchema(tool: Tool, limits: ParseLimits): JsonSchema {
  const schemas = fieldSchemas(limits);
  const properties = tool.fields.map((field): [string, JsonSchema] => {
    const schema = Object.entries(schemas[field] ?? {}).filter(([keyword]) => !LEFT_OUT.test(keyword));
    const ownDefault = tool.defaults[field];
    return [
      field,
      {
        ...Object.fromEntries(schema),
        ...(field === 'format' && { enum: tool.formats }),
        ...(ownDefault !== undefined && { default: ownDefault }),
      },
    ];
  });
  const texts = 'addresses' in tool ? tool.addresses : 'texts' in tool ? tool.texts : {};
  const own = Object.entries(texts).map(([name, description]): [string, JsonSchema] => [
    name,
    { type: 'string', description },
  ]);
  const ownFields = Object.entries(tool.own ?? {}).map(([name, { description, min, max, default: usual }]) => {
    const schema: JsonSchema = { type: 'integer', minimum: min, maximum: max, default: usual, description };
    return [name, schema] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries([...own, ...properties, ...ownFields]),
    required: [...own.map(([name]) => name), ...tool.required],
    additionalProperties: false,
  };
}

/** Capture fields of a tool call: those of the arguments, and those that the tool sets. */
export interface CallFields extends Required<ToolFields> {
  readonly given: Given;
}

/**
 * Reads the arguments of a tool call.
 * @throws ServiceError ValidationError for capture fields that the tool does not accept
 */
export function captureFields(tool: Tool, given: Given): CallFields {
  const others = Object.keys(given).filter(
    (name) => FIELD_NAMES.includes(name) && !tool.fields.some((field) => field === name),
  );
  if (others.length > 0) {
    const refused = others.map((name) => `${name}: is not a field of ${tool.name}`).join('; ');
    throw validationError(`${refused}; it takes ${tool.fields.join(', ')}`);
  }
  const { format } = given;
  if (format !== undefined && tool.formats?.every((name) => name !== format)) {
    throw validationError(`format: must be one of ${tool.formats.join(', ')}`);
  }
  return { given, defaults: defaultsFor(tool, given), fixed: tool.fixed };
}

/**
 * Takes the arguments that are the tool's own out of those of a call.
 * @throws ServiceError ValidationError
 */
export function takeOwn({ own = {} }: Tool, given: Given): { readonly rest: Given; readonly own: OwnValues } {
  const values = Object.entries(own).map(([name, { min, max, default: usual }]) => {
    const value = given[name] ?? usual;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max)
      return [name, value] as const;
    throw validationError(`${name}: must be a whole number from ${min} to ${max}`);
  });
  const rest = Object.entries(given).filter(([name]) => !Object.hasOwn(own, name));
  return { rest: Object.fromEntries(rest), own: Object.fromEntries(values) };
}

/**
 * Reads the arguments of a tool that compares.
 * @throws ServiceError ValidationError
 */
export function compareFields(tool: CompareTool, { before, after, ...shared }: Given): Given {
  const { defaults } = captureFields(tool, shared);
  const sideOf = (name: string, url: unknown) => {
    if (typeof url !== 'string') throw validationError(`${name}: must be an address (http or https)`);
    return { capture: { ...defaults, ...shared, url } };
  };
  return { before: sideOf('before', before), after: sideOf('after', after), format: 'webp' };
}

/**
 * Reads the arguments of a tool that reads.
 * @throws ServiceError ValidationError
 */
export function readTexts({ name, texts }: ReadTool, given: Given): Readonly<Record<string, string>> {
  const unknown = Object.keys(given).filter((each) => !Object.hasOwn(texts, each));
  if (unknown.length > 0) throw validationError(unknown.map((each) => `${each}: is not a field of ${name}`).join('; '));
  const entries = Object.keys(texts).map((each) => {
    const value = given[each];
    if (typeof value === 'string' && value !== '') return [each, value] as const;
    throw validationError(`${each}: must be a text`);
  });
  return Object.fromEntries(entries);
}

/**
 * Refuses a template that sets a format or a response type which the tool can't return. Only a locked template can: for
 * others, the tool decides.
 * @throws ServiceError ValidationError
 */
export function refuseFormat(
  tool: CaptureTool,
  { capture: { format }, delivery: { response_type: type } }: RequestOptions,
): void {
  const ownType = tool.fixed['response_type'] === 'json' ? 'json' : 'file';
  if (type !== ownType) {
    throw validationError(`template: has response_type ${type}, but ${tool.name} needs ${ownType}`);
  }
  const accepted = tool.formats ?? [tool.fixed['format']];
  if (accepted.some((name) => name === format)) return;
  throw validationError(`template: makes ${format}, but ${tool.name} returns ${accepted.join(', ')}`);
}

function defaultsFor({ defaults, together = [] }: Tool, given: Given): Given {
  if (!together.some((field) => given[field] !== undefined)) return defaults;
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => !together.some((field) => field === name)));
}
