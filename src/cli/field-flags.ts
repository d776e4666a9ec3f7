import { z } from 'zod';
import { captureSchema } from '../capture/request/options.ts';

/** Conversion of a flag's text to the value of its field. */
type FlagKind = 'boolean' | 'number' | 'text' | 'list' | 'object' | 'record' | 'either';

/** A request field as a flag. */
export interface FieldFlag {
  /** Name of the flag: `full-page` for `full_page`. */
  readonly name: string;
  readonly field: string;
  readonly kind: FlagKind;
  /** Placeholder of the value in the help. */
  readonly placeholder: string;
  readonly description: string;
  /** Default value as text. Undefined if there is none. */
  readonly defaultText: string | undefined;
}

type FlagValues = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

const PLAIN_DECIMAL = /^\d{1,15}(\.\d{1,17})?$/;

/** A flag for each field of the schema. */
export const FIELD_FLAGS: readonly FieldFlag[] = Object.entries(
  z.toJSONSchema(captureSchema, { io: 'input', unrepresentable: 'any' }).properties ?? {},
).map(([field, schema]) => toFlag(field, typeof schema === 'object' ? schema : {}));

/**
 * Converts flags to fields. Repeated flags become a list or an object. Text that does not fit the type of the field is passed on
 * unchanged, so that the schema refuses it with its own message.
 */
export function toFields(values: FlagValues): Record<string, unknown> {
  const given = FIELD_FLAGS.filter(({ name }) => values[name] !== undefined);
  return Object.fromEntries(given.map((flag) => [flag.field, toValue(flag, values[flag.name])]));
}

function toFlag(field: string, schema: z.core.JSONSchema.BaseSchema): FieldFlag {
  const kind = kindOf(schema);
  return {
    name: field.replaceAll('_', '-'),
    field,
    kind,
    placeholder: placeholderOf(kind, schema),
    description: (schema.description ?? '').replaceAll('`', ''),
    defaultText: schema.default === undefined ? undefined : toText(schema.default),
  };
}

function kindOf(schema: z.core.JSONSchema.BaseSchema): FlagKind {
  if (schema.type === 'boolean') return 'boolean';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'array') return 'list';
  if (schema.anyOf?.some(isObject) === true) return 'either';
  if (schema.type === 'object') return schema.properties === undefined ? 'record' : 'object';
  return 'text';
}

function isObject(schema: z.core.JSONSchema._JSONSchema): boolean {
  return typeof schema === 'object' && schema.type === 'object';
}

function placeholderOf(kind: FlagKind, { enum: choices }: z.core.JSONSchema.BaseSchema): string {
  if (choices !== undefined) return choices.join('|');
  const placeholders = {
    boolean: '',
    number: 'N',
    text: 'TEXT',
    list: 'TEXT|JSON',
    object: 'JSON',
    either: 'TEXT|JSON',
  };
  return kind === 'record' ? "'NAME: TEXT'|JSON" : placeholders[kind];
}

function toValue({ kind }: FieldFlag, given: FlagValues[string]): unknown {
  if (kind === 'boolean' || kind === 'text') return given;
  if (kind === 'number') return PLAIN_DECIMAL.test(String(given)) ? Number(given) : given;
  const texts = [given].flat().map(String);
  if (kind === 'list') return texts.flatMap(parseJson);
  return kind === 'record' ? Object.assign({}, ...texts.map(toRecord)) : parseJson(texts[0] ?? '');
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Parses an object as JSON, or one member in the form `Name: text`. */
function toRecord(text: string): object {
  const value = parseJson(text);
  if (typeof value === 'object' && value !== null) return value;
  const [, name = text, content = ''] = /^([^:]+):\s*(.*)$/s.exec(text) ?? [];
  return { [name]: content };
}

/** Parses JSON lists and objects only: `1` stays text, and so does the selector `[href]`. */
function parseJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
