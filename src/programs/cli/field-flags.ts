import { z } from 'zod';
import { captureSchema } from '../../core/capture/request/options.ts';
import { FIELD_GROUPS } from '../../core/steps/common/fields.ts';
import { UsageError } from './exit.ts';
import { readInput } from './target.ts';

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
  /** Title of its group in the help. */
  readonly group: string;
  /** True if the short help shows it. */
  readonly isUsual: boolean;
  readonly description: string;
  /** Default value as text. Undefined if there is none. */
  readonly defaultText: string | undefined;
}

type FlagValues = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

const PLAIN_DECIMAL = /^\d{1,15}(\.\d{1,17})?$/;

/** Fields of the first captures that people make, for the short help. */
const USUAL: ReadonlySet<string> = new Set(
  `format full_page selector device window_width window_height pixel_density wait_for_selector delay_capture
   block_ads block_cookie_banners hide_selectors dark_mode custom_css actions template data
   pdf_format pdf_landscape pdf_margin`.split(/\s+/),
);

/** A flag for each field of the schema. */
export const FIELD_FLAGS: readonly FieldFlag[] = Object.entries(
  z.toJSONSchema(captureSchema, { io: 'input', unrepresentable: 'any' }).properties ?? {},
).map(([field, schema]) => toFlag(field, typeof schema === 'object' ? schema : {}));

/**
 * Converts flags to fields. `@file` is replaced by the text of the file, `@-` by standard input, and `@@text` by
 * `@text`. CSS such as `@media print {}` is no file name.
 * @throws UsageError if a file can't be read
 */
export async function readFields(values: FlagValues, stdin: NodeJS.ReadableStream): Promise<Record<string, unknown>> {
  const read: Record<string, FlagValues[string]> = { ...values };
  for (const { name, kind } of FIELD_FLAGS) {
    const value = values[name];
    if (value === undefined || kind === 'boolean' || kind === 'number') continue;
    const texts = await Promise.all([value].flat().map((text) => readValue(`--${name}`, String(text), stdin)));
    read[name] = Array.isArray(value) ? texts : texts[0];
  }
  return toFields(read);
}

async function readValue(flag: string, given: string, stdin: NodeJS.ReadableStream): Promise<string> {
  if (given.startsWith('@@')) return given.slice(1);
  if (!/^@[^{;]+$/.test(given)) return given;
  try {
    return await readInput(given.slice(1), stdin);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${flag}: ${error.message} Write @@ for text that starts with @.`, { cause: error });
  }
}

/**
 * Converts flags to fields. Repeated flags become a list or an object. Text that does not fit the type of the field is
 * passed on unchanged, so that the schema refuses it with its own message.
 */
function toFields(values: FlagValues): Record<string, unknown> {
  const given = FIELD_FLAGS.filter(({ name }) => values[name] !== undefined);
  return Object.fromEntries(given.map((flag) => [flag.field, toValue(flag, values[flag.name])]));
}

function toFlag(field: string, schema: z.core.JSONSchema.BaseSchema): FieldFlag {
  const kind = kindOf(schema);
  const group = Object.entries(FIELD_GROUPS).find(([name]) => name === schema['group'])?.[1];
  return {
    name: field.replaceAll('_', '-'),
    field,
    kind,
    placeholder: placeholderOf(kind, schema),
    group: (group ?? FIELD_GROUPS.more).title,
    isUsual: USUAL.has(field),
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

function placeholderOf(kind: FlagKind, schema: z.core.JSONSchema.BaseSchema): string {
  const items = !Array.isArray(schema.items) && typeof schema.items === 'object' ? schema.items : {};
  const choices = schema.enum ?? items.enum;
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
