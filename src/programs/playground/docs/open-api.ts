import type { FieldSchema } from '../reference.ts';

/** A schema, or a reference to one. */
export interface DocumentSchema extends FieldSchema {
  readonly $ref?: string;
}

interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: DocumentSchema;
}

interface Content {
  readonly schema?: DocumentSchema;
  readonly examples?: Readonly<Record<string, Example>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Readonly<Record<string, Content>> }>
  >;
}

/** An error type or a warning code, with its description. */
export interface Constant {
  readonly const: string;
  readonly description: string;
}

/** The parts of the OpenAPI document that the reference shows. */
export interface OpenApi {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, DocumentSchema>> & {
      readonly ErrorType: DocumentSchema & { readonly oneOf: readonly Constant[] };
    };
    readonly headers: Readonly<
      Record<string, { readonly description?: string; readonly schema: { readonly items?: unknown } }>
    > & {
      readonly 'X-Capture-Warnings': { readonly schema: { readonly items: { readonly oneOf: readonly Constant[] } } };
    };
  };
}

/** Name of the schema that a reference leads to. Undefined for other schemas. */
export function nameOfSchema({ $ref }: DocumentSchema): string | undefined {
  return $ref?.split('/').at(-1);
}
