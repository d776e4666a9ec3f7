import type { ParseLimits } from '../../capture/request/parse-options.ts';
import type { ErrorType } from '../../errors.ts';

/** A JSON schema, as OpenAPI 3.1 has it: JSON Schema 2020-12. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** A method of a path, for OpenAPI. Security, headers and the form of errors are told by the rest of its route. */
export interface Operation {
  readonly operationId: string;
  readonly tag: 'Capture' | 'Jobs' | 'Health';
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: (limits: ParseLimits) => readonly JsonSchema[];
  /** JSON, by the name of its schema. */
  readonly body?: { readonly schema: string; readonly examples: JsonSchema };
  /** By status. */
  readonly answers: Readonly<Record<number, OperationAnswer>>;
  readonly errors: readonly ErrorType[];
}

export interface OperationAnswer {
  readonly description: string;
  /** By media type. */
  readonly content: Readonly<Record<string, JsonSchema>>;
}

/** An answer of JSON. */
export function jsonAnswer(description: string, schema: JsonSchema): OperationAnswer {
  return { description, content: { 'application/json': { schema } } };
}

/** A schema by its name. */
export function reference(schema: string): JsonSchema {
  return { $ref: `#/components/schemas/${schema}` };
}

/** An object that has all of its members but the optional ones. */
export function object(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}
