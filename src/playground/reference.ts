/** What the playground reads of the JSON schema of a field. */
export interface FieldSchema {
  /** Several for a field that takes either. */
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly oneOf?: readonly FieldSchema[];
  readonly anyOf?: readonly FieldSchema[];
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly items?: FieldSchema;
  readonly additionalProperties?: unknown;
  readonly 'x-group'?: string;
  readonly 'x-accepts'?: string;
  readonly 'x-sensitive'?: boolean;
}

export interface Field {
  readonly name: string;
  readonly schema: FieldSchema;
}

interface Group {
  readonly name: string;
  readonly title: string;
  readonly hint: string;
}

/** What the service says about itself. */
export interface Reference {
  /** In their order, those without fields included. */
  readonly groups: readonly Group[];
  readonly fields: readonly Field[];
  /** Names of the fields of which a request has exactly one. */
  readonly alternatives: readonly string[];
  /** Sentence of each code in X-Capture-Warnings. */
  readonly warnings: Readonly<Record<string, string>>;
  /** True when the service lets nobody in without credentials. */
  readonly needsToken: boolean;
  /** The states of jobs in the order of their list; undefined: this service keeps none. */
  readonly jobStates: readonly string[] | undefined;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, { readonly post?: { readonly security?: readonly object[] } }>>;
  readonly components: {
    readonly schemas: {
      readonly CaptureRequest: {
        readonly properties: Readonly<Record<string, FieldSchema>>;
        readonly oneOf: readonly { readonly required: readonly string[] }[];
      };
      readonly Job?: { readonly properties: { readonly state: { readonly enum: readonly string[] } } };
    };
    readonly headers: Readonly<Record<string, { readonly schema: { readonly items?: Constants } }>>;
  };
  readonly 'x-groups': readonly Group[];
  readonly 'x-jobs'?: boolean;
}

interface Constants {
  readonly oneOf: readonly { readonly const: string; readonly description: string }[];
}

const LAST_GROUP = 'more';

/** Reads the service's own OpenAPI document. */
export function parseReference(openApi: OpenApi): Reference {
  const { schemas, headers } = openApi.components;
  const security = openApi.paths['/capture']?.post?.security ?? [];
  const warnings = headers['X-Capture-Warnings']?.schema.items?.oneOf ?? [];
  return {
    groups: openApi['x-groups'],
    fields: Object.entries(schemas.CaptureRequest.properties).map(([name, schema]) => ({ name, schema })),
    alternatives: schemas.CaptureRequest.oneOf.flatMap(({ required }) => required),
    warnings: Object.fromEntries(warnings.map(({ const: code, description }) => [code, description])),
    needsToken: !security.some((scheme) => Object.keys(scheme).length === 0),
    jobStates: openApi['x-jobs'] === true ? schemas.Job?.properties.state.enum : undefined,
  };
}

/** The fields of each group; those that name no known group are in the last. */
export function groupFields({
  groups,
  fields,
}: Reference): readonly (Group & { readonly fields: readonly Field[] })[] {
  const known = new Set(groups.map(({ name }) => name));
  const groupOf = ({ schema }: Field): string => {
    const name = schema['x-group'] ?? LAST_GROUP;
    return known.has(name) ? name : LAST_GROUP;
  };
  return groups.map((group) => ({
    ...group,
    fields: fields.filter((field) => groupOf(field) === group.name),
  }));
}

/** Whether a value is what the field has without being named. */
export function isDefault(value: unknown, schema: FieldSchema): boolean {
  return value === undefined || JSON.stringify(value) === JSON.stringify(schema.default);
}

/** `wait_for_selector` as people write it. */
export function labelOf(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replace(/\b(pdf|html|css|js|http|https|url)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
