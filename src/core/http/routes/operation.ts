import type { ParseLimits } from '../../capture/request/parse-options.ts';
import type { ErrorType } from '../../ground/errors.ts';

/** A JSON schema as in OpenAPI 3.1: JSON Schema 2020-12. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** A method of a path for OpenAPI. Security, headers and errors are derived from the rest of its route. */
export interface Operation {
  readonly operationId: string;
  readonly tag: 'Capture' | 'Jobs' | 'Watches' | 'Usage' | 'Health';
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: (limits: ParseLimits) => readonly JsonSchema[];
  /** JSON body: the name of its schema, and examples. */
  readonly body?: { readonly schema: string; readonly examples: JsonSchema };
  /** Answers by status. */
  readonly answers: Readonly<Record<number, OperationAnswer>>;
  readonly errors: readonly ErrorType[];
}

export interface OperationAnswer {
  readonly description: string;
  /** Content by media type. */
  readonly content: Readonly<Record<string, JsonSchema>>;
}

/** Errors of routes that list what a request may use. */
export const LIST_ERRORS: readonly ErrorType[] = [
  'AuthenticationError',
  'ScopeError',
  'CrossSiteRequestError',
  'MethodNotAllowedError',
  'InternalServerError',
];

/** A JSON answer. */
export function jsonAnswer(description: string, schema: JsonSchema): OperationAnswer {
  return { description, content: { 'application/json': { schema } } };
}

/** Reference to a schema by name. */
export function reference(schema: string): JsonSchema {
  return { $ref: `#/components/schemas/${schema}` };
}

/** An object schema. All members are required except the optional ones. */
export function object(properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}
