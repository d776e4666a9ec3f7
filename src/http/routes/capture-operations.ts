import type { ParseLimits } from '../../capture/request/parse-options.ts';
import { ERROR_CATALOGUE, type ErrorType } from '../../errors.ts';
import { FORMATS } from '../../capture/formats/index.ts';
import { CAPTURE_EXAMPLES, fieldSchemas } from './capture-schema.ts';
import type { JsonSchema, Operation, OperationAnswer } from './operation.ts';

const NOT_OF_A_CAPTURE: readonly ErrorType[] = ['NotFoundError'];
const NOT_WITHOUT_BODY: readonly ErrorType[] = ['PayloadTooLargeError', 'UnsupportedMediaTypeError'];

/** What OpenAPI says of the two ways to capture. */
export const CAPTURE_OPERATIONS: Readonly<Record<'get' | 'post', Operation>> = {
  post: {
    operationId: 'capture',
    tag: 'Capture',
    summary: 'Capture a page',
    description:
      'The fields of the capture are in the JSON body. With a signed query the query has them, and there is no body.',
    body: { schema: 'CaptureRequest', examples: CAPTURE_EXAMPLES },
    answers: { 200: theCapture() },
    errors: errorsBut(NOT_OF_A_CAPTURE),
  },
  get: {
    operationId: 'captureByLink',
    tag: 'Capture',
    summary: 'Capture a page, by a link',
    description:
      'The fields of the capture are query parameters: `true`, `false`, `1` or `0` for booleans, JSON for lists and objects. Exactly one of `url` and `html_content` is required.',
    parameters: (limits) => [
      ...queryParameters(limits),
      {
        name: 'expires',
        in: 'query',
        description:
          'Of a signed link: the Unix second after which it is refused. Without it the link never ends',
        schema: { type: 'integer', minimum: 0 },
      },
    ],
    answers: { 200: theCapture() },
    errors: errorsBut([...NOT_OF_A_CAPTURE, ...NOT_WITHOUT_BODY]),
  },
};

/** A media type for each format. */
function theCapture(): OperationAnswer {
  const content = Object.values(FORMATS).map(({ mimeType }): [string, JsonSchema] => {
    const [type = mimeType] = mimeType.split(';');
    return [type, type.startsWith('text/') ? { schema: { type: 'string' } } : {}];
  });
  return { description: 'The capture, in the format asked for', content: Object.fromEntries(content) };
}

/** Text as it is; lists and objects as JSON, which OpenAPI says with a media type in place of a schema. */
function queryParameters(limits: ParseLimits): JsonSchema[] {
  return Object.entries(fieldSchemas(limits)).map(([name, schema]) => {
    const { description } = schema;
    const isStructured = schema['type'] === 'array' || schema['type'] === 'object';
    const form = isStructured ? { content: { 'application/json': { schema } } } : { schema };
    return { name, in: 'query', description, ...form };
  });
}

function errorsBut(others: readonly ErrorType[]): readonly ErrorType[] {
  return Object.keys(ERROR_CATALOGUE)
    .filter(isErrorType)
    .filter((type) => !others.includes(type));
}

function isErrorType(name: string): name is ErrorType {
  return Object.hasOwn(ERROR_CATALOGUE, name);
}
