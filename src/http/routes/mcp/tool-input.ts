import { FIELD_NAMES } from '../../../capture/request/options.ts';
import type { ParseLimits } from '../../../capture/request/parse-options.ts';
import { validationError } from '../../../errors.ts';
import { fieldSchemas } from '../capture-operations.ts';
import type { JsonSchema } from '../operation.ts';
import type { Tool } from './tools.ts';

type Given = Readonly<Record<string, unknown>>;

/** What a model has no use for: it costs tokens in every conversation, and some providers refuse keywords that they don't know. */
const LEFT_OUT = /^(?:x-|examples$|\$)/;

/**
 * What a tool takes, as JSON schema: the fields of the capture, with their own descriptions. That there is exactly one of `url` and
 * `html_content` is said in words, as providers of models refuse choices at the top of a schema.
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
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: tool.required,
    additionalProperties: false,
  };
}

/**
 * The fields of the capture that a call of a tool stands for.
 * @throws ServiceError ValidationError for fields of a capture that are none of the tool's.
 */
export function captureFields(tool: Tool, given: Given): Given {
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
  return { ...defaultsFor(tool, given), ...given, ...tool.fixed };
}

function defaultsFor({ defaults, together = [] }: Tool, given: Given): Given {
  if (!together.some((field) => given[field] !== undefined)) return defaults;
  return Object.fromEntries(
    Object.entries(defaults).filter(([name]) => !together.some((field) => field === name)),
  );
}
