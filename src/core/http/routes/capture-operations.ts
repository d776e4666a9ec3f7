import { DEVICES } from '../../steps/device.ts';
import { z } from 'zod';
import { FORMATS } from '../../capture/request/formats.ts';
import { captureSchema } from '../../capture/request/options.ts';
import { SOURCES } from '../../capture/request/source-fields.ts';
import type { ParseLimits } from '../../capture/request/parse-options.ts';
import { SENSITIVE_FIELDS } from '../../capture/request/sensitive-fields.ts';
import { ERROR_CATALOGUE, type ErrorType } from '../../ground/errors.ts';
import { isJsonObject } from '../../ground/parse-json.ts';
import { type JsonSchema, type Operation, type OperationAnswer, reference } from './operation.ts';

/** Example requests of common uses. A test sends each to the running service. */
export const CAPTURE_EXAMPLES = {
  page: { summary: 'A web page', value: { url: 'https://example.com/' } },
  whole_page: {
    summary: 'A full page at double density',
    value: { url: 'https://example.com/', full_page: true, pixel_density: 2, format: 'webp' },
  },
  document: {
    summary: 'A PDF',
    value: { url: 'https://example.com/', format: 'pdf', pdf_format: 'Letter' },
  },
  element: {
    summary: 'One element, after it has appeared',
    value: { url: 'https://example.com/', selector: 'h1', wait_for_selector: 'h1' },
  },
  phone: {
    summary: 'A phone in dark mode',
    value: {
      url: 'https://example.com/',
      window_width: 390,
      window_height: 844,
      pixel_density: 3,
      is_mobile: true,
      has_touch: true,
      dark_mode: true,
    },
  },
  data: {
    summary: 'A page as data: picture, text and links',
    value: {
      url: 'https://example.com/',
      response_type: 'json',
      include: ['metadata', 'markdown', 'links'],
    },
  },
  markup: {
    summary: 'HTML instead of a URL',
    value: { html_content: '<h1>Hello</h1><p>It works.</p>', window_width: 480, window_height: 200 },
  },
} as const;

/** Returns the JSON schemas of all capture fields, with the limits and defaults of this service's settings. */
export function fieldSchemas({ maxWaitMs, cacheTtl = 0 }: ParseLimits): Readonly<Record<string, JsonSchema>> {
  const { properties = {} } = z.toJSONSchema(captureSchema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => describeField(jsonSchema),
  });
  const fields = Object.entries(properties).map(([name, schema]): [string, JsonSchema] => {
    const isSensitive = SENSITIVE_FIELDS.some((field) => field === name);
    const choices = name === 'device' ? { 'x-choices': DEVICES.map((device) => device.name) } : {};
    return [name, { ...Object(schema), ...choices, ...(isSensitive && { 'x-sensitive': true }) }];
  });
  const wait = z.int().parse(captureSchema.shape.wait_for_timeout.parse(undefined));
  const byName = Object.fromEntries(fields);
  return {
    ...byName,
    cache_ttl: { ...byName['cache_ttl'], default: cacheTtl },
    wait_for_timeout: {
      ...byName['wait_for_timeout'],
      maximum: maxWaitMs,
      default: Math.min(wait, maxWaitMs),
    },
  };
}

/** Schema of the body of `POST /capture`. */
export function captureRequestSchema(limits: ParseLimits): JsonSchema {
  return {
    type: 'object',
    description:
      'Exactly one of `url`, `html_content`, `markdown_content` and `file` is required, unless `template` has its own page. Unknown fields are refused.',
    properties: fieldSchemas(limits),
    additionalProperties: false,
    oneOf: [
      ...SOURCES.map((name) => ({ required: [name] })),
      { required: ['template'], not: { anyOf: SOURCES.map((name) => ({ required: [name] })) } },
    ],
  };
}

/** Converts the metadata of a field to OpenAPI keywords, and to extensions where there is none. */
export function describeField(schema: { [keyword: string]: unknown }): void {
  const { example, accepts, group } = schema;
  for (const keyword of ['example', 'accepts', 'group']) delete schema[keyword];
  if (example !== undefined) {
    const more = Array.isArray(schema['examples']) ? schema['examples'] : [];
    schema['examples'] = [example, ...more.filter((each) => each !== example)];
  }
  if (accepts !== undefined) schema['x-accepts'] = accepts;
  if (group !== undefined) schema['x-group'] = group;
}

const NOT_OF_A_CAPTURE: readonly ErrorType[] = [
  'NotFoundError',
  'JobNotFinishedError',
  'JobExpiredError',
  'IdempotencyError',
];
const NOT_WITHOUT_BODY: readonly ErrorType[] = ['PayloadTooLargeError', 'UnsupportedMediaTypeError'];

/** Operations of the two ways to capture. */
export const CAPTURE_OPERATIONS: Readonly<Record<'get' | 'post', Operation>> = {
  post: {
    operationId: 'capture',
    tag: 'Capture',
    summary: 'Capture a page',
    description:
      'The JSON body has the capture fields. For a signed URL, the query has the fields, and there is no body.',
    body: { schema: 'CaptureRequest', examples: CAPTURE_EXAMPLES },
    answers: { 200: theCapture() },
    errors: errorsBut(NOT_OF_A_CAPTURE),
  },
  get: {
    operationId: 'captureByLink',
    tag: 'Capture',
    summary: 'Capture a page by URL query',
    description:
      'The capture fields are query parameters: `true`, `false`, `1` or `0` for booleans, JSON for lists and objects. Exactly one of `url`, `html_content` and `markdown_content` is required.',
    parameters: (limits) => [
      ...queryParameters(limits),
      {
        name: 'expires',
        in: 'query',
        description: 'Unix second after which a signed link is refused. Without it, the link never expires',
        schema: { type: 'integer', minimum: 0 },
      },
    ],
    answers: { 200: theCapture() },
    errors: errorsBut([...NOT_OF_A_CAPTURE, ...NOT_WITHOUT_BODY]),
  },
};

/** Returns one media type per format. */
function theCapture(): OperationAnswer {
  const content = Object.values(FORMATS).map(({ mimeType }): [string, JsonSchema] => {
    const [type = mimeType] = mimeType.split(';');
    return [type, type.startsWith('text/') ? { schema: { type: 'string' } } : {}];
  });
  return {
    description: 'The capture in the requested format; JSON with `response_type=json`',
    content: { ...Object.fromEntries(content), 'application/json': { schema: reference('CaptureData') } },
  };
}

/** Text is sent as it is. Lists and objects are JSON, which OpenAPI expresses by a media type instead of a schema. */
function queryParameters(limits: ParseLimits): JsonSchema[] {
  return Object.entries(fieldSchemas(limits)).map(([name, schema]) => {
    const { description } = schema;
    const form = isStructured(schema) ? { content: { 'application/json': { schema } } } : { schema };
    return { name, in: 'query', description, ...form };
  });
}

/** True for lists and objects, also as one of several forms. */
function isStructured({ type, anyOf = [] }: JsonSchema): boolean {
  const forms: readonly unknown[] = Array.isArray(anyOf) ? anyOf : [];
  return type === 'array' || type === 'object' || forms.some((form) => isJsonObject(form) && isStructured(form));
}

function errorsBut(others: readonly ErrorType[]): readonly ErrorType[] {
  return Object.keys(ERROR_CATALOGUE)
    .filter(isErrorType)
    .filter((type) => !others.includes(type));
}

function isErrorType(name: string): name is ErrorType {
  return Object.hasOwn(ERROR_CATALOGUE, name);
}
