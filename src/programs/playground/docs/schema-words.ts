import type { FieldSchema } from '../reference.ts';
import { type DocumentSchema, nameOfSchema } from './open-api.ts';

/** Most values of an enumeration that are listed. */
const MAX_VALUES = 12;

/** Describes which values a schema accepts: `integer, 1 to 100`, `` `png` or `pdf` ``. Backticks mark code. */
export function typeInWords(schema: DocumentSchema): string {
  const named = nameOfSchema(schema);
  if (named !== undefined) return named;
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum !== undefined) return listOfValues(schema.enum);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return [...new Set(choices.map(typeInWords))].join(' or ');
  return [typeOf(schema), ...limitsOf(schema)].join(', ');
}

function typeOf(schema: FieldSchema): string {
  const { type, items, contentEncoding, format } = schema;
  if (type === 'array') return items === undefined ? 'list' : `list of: ${typeInWords(items)}`;
  if (contentEncoding !== undefined) return `${contentEncoding} text`;
  if (format === 'uri') return 'address';
  return type === undefined ? 'any value' : [type].flat().join(' or ');
}

function limitsOf({ minimum, maximum, maxLength }: FieldSchema): readonly string[] {
  const range =
    minimum !== undefined && maximum !== undefined
      ? `${minimum} to ${maximum}`
      : minimum !== undefined
        ? `at least ${minimum}`
        : maximum !== undefined
          ? `at most ${maximum}`
          : undefined;
  const length = maxLength === undefined ? undefined : `at most ${maxLength.toLocaleString('en')} characters`;
  return [range, length].filter((limit) => limit !== undefined);
}

function listOfValues(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_VALUES).map((value) => `\`${String(value)}\``);
  return values.length > MAX_VALUES ? `${shown.join(', ')} and ${values.length - MAX_VALUES} more` : shown.join(', ');
}
