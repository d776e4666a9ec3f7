/** The parts of a JSON schema that the playground uses. */
export interface FieldSchema {
  /** Several types if the field accepts more than one. */
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly oneOf?: readonly FieldSchema[];
  readonly anyOf?: readonly FieldSchema[];
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly contentEncoding?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly items?: FieldSchema;
  readonly additionalProperties?: unknown;
  readonly 'x-group'?: string;
  readonly 'x-accepts'?: string;
  /** Values to choose from, where the schema accepts other spellings, too. */
  readonly 'x-choices'?: readonly string[];
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

/** Facts about the service from its OpenAPI document. */
export interface Reference {
  /** Groups in order, including groups without fields. */
  readonly groups: readonly Group[];
  readonly fields: readonly Field[];
  /** Names of the fields that exclude each other: a request has exactly one of them. */
  readonly alternatives: readonly string[];
  /** Descriptions of the codes in X-Capture-Warnings. */
  readonly warnings: Readonly<Record<string, string>>;
  /** True if the service needs credentials. */
  readonly needsToken: boolean;
  /** True if the service has templates. */
  readonly hasTemplates: boolean;
  /** States of jobs in the order of their list. Undefined if the service stores no jobs. */
  readonly jobStates: readonly string[] | undefined;
  /** True if the service counts the usage of keys. */
  readonly hasUsage: boolean;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, { readonly post?: { readonly security?: readonly object[] } }>>;
  readonly components: {
    readonly schemas: {
      readonly CaptureRequest: {
        readonly properties: Readonly<Record<string, FieldSchema>>;
        readonly oneOf: readonly { readonly required: readonly string[]; readonly not?: object }[];
      };
      readonly Job?: { readonly properties: { readonly state: { readonly enum: readonly string[] } } };
    };
    readonly headers: Readonly<Record<string, { readonly schema: { readonly items?: Constants } }>>;
  };
  readonly 'x-groups': readonly Group[];
  readonly 'x-jobs'?: boolean;
  readonly 'x-templates'?: boolean;
  readonly 'x-usage'?: boolean;
}

interface Constants {
  readonly oneOf: readonly { readonly const: string; readonly description: string }[];
}

const LAST_GROUP = 'more';
const TEMPLATE_FIELDS = ['template', 'data'];

/** Parses the OpenAPI document of the service. */
export function parseReference(openApi: OpenApi): Reference {
  const { schemas, headers } = openApi.components;
  const security = openApi.paths['/capture']?.post?.security ?? [];
  const hasTemplates = openApi['x-templates'] === true;
  const warnings = headers['X-Capture-Warnings']?.schema.items?.oneOf ?? [];
  return {
    groups: openApi['x-groups'],
    fields: Object.entries(schemas.CaptureRequest.properties)
      .map(([name, schema]) => ({ name, schema }))
      .filter(({ name }) => hasTemplates || !TEMPLATE_FIELDS.includes(name)),
    // A template can be used with an address or markup, too, so it is no alternative.
    alternatives: schemas.CaptureRequest.oneOf.flatMap(({ required, not }) => (not ? [] : required)),
    warnings: Object.fromEntries(warnings.map(({ const: code, description }) => [code, description])),
    needsToken: !security.some((scheme) => Object.keys(scheme).length === 0),
    hasTemplates,
    jobStates: openApi['x-jobs'] === true ? schemas.Job?.properties.state.enum : undefined,
    hasUsage: openApi['x-usage'] === true,
  };
}

/** Returns the fields of each group. Fields of unknown groups are in the last one. */
export function groupFields({ groups, fields }: Reference): readonly (Group & { readonly fields: readonly Field[] })[] {
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

/** True if the value is the default of the field. */
export function isDefault(value: unknown, schema: FieldSchema): boolean {
  return value === undefined || JSON.stringify(value) === JSON.stringify(schema.default);
}

/** Converts `wait_for_selector` to readable text. */
export function labelOf(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replace(/\b(pdf|html|css|js|http|https|url)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
