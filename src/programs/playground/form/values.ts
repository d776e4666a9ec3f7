import type { Field, FieldSchema } from '../reference.ts';

/** Fields that are set. Missing fields have their default. */
export type Values = Readonly<Record<string, unknown>>;

/** Longer values make URLs that are cut off in transit. */
const MAX_SHARED_LENGTH = 8_000;

/** Encodes the values as a URL fragment, like the query of `GET /capture`, without secrets and code. */
export function toFragment(values: Values, fields: readonly Field[]): string {
  const parameters = new URLSearchParams();
  for (const { name, schema } of fields) {
    const value = values[name];
    if (value === undefined || schema['x-sensitive'] === true) continue;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (text.length <= MAX_SHARED_LENGTH) parameters.set(name, text);
  }
  return parameters.toString();
}

/** Decodes a fragment. Ignores invalid values, because anyone can write a URL. */
export function fromFragment(fragment: string, fields: readonly Field[]): Values {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ''));
  const entries = fields.flatMap(({ name, schema }): [string, unknown][] => {
    const text = parameters.get(name);
    if (text === null || schema['x-sensitive'] === true) return [];
    const value = fromText(text, schema);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

function fromText(text: string, { type }: FieldSchema): unknown {
  switch (type) {
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'integer':
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'array':
    case 'object':
      return parseJson(text);
    case 'string':
      return text;
    case undefined:
    default:
      return text.startsWith('{') ? parseJson(text) : text; // several types, such as a length or one for each side
  }
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined; // a truncated link: the input keeps its value
  }
}
