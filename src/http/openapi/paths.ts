import type { ParseLimits } from '../../capture/request/parse-options.ts';
import { ERROR_CATALOGUE, type ErrorType } from '../../errors.ts';
import { HEALTH_SCHEMA, LIVE_SCHEMA, NOT_READY_SCHEMA, READY_SCHEMA } from './answer-schemas.ts';
import { captureResponse, errorResponses, jsonResponse, type Responses } from './answers.ts';
import { CAPTURE_EXAMPLES, fieldSchemas, type JsonSchema } from './request-schema.ts';

export interface Operation {
  readonly operationId: string;
  readonly responses: Responses;
  readonly [key: string]: unknown;
}

interface PathSettings {
  readonly limits: ParseLimits;
  /** False: requests without credentials are let in too. */
  readonly needsCredentials: boolean;
}

const ERROR_TYPES = Object.keys(ERROR_CATALOGUE).filter(isErrorType);
const CAPTURE_ERRORS = ERROR_TYPES.filter((type) => type !== 'NotFoundError');
const NOTHING_WITHOUT_BODY: readonly ErrorType[] = ['PayloadTooLargeError', 'UnsupportedMediaTypeError'];
const SIGN_ERRORS: readonly ErrorType[] = [
  'ValidationError',
  'AuthenticationError',
  'InvalidSignatureError',
  'DestinationNotAllowedError',
  'ResultTooLargeError',
  'CrossSiteRequestError',
  'MethodNotAllowedError',
  'PayloadTooLargeError',
  'UnsupportedMediaTypeError',
  'RateLimitError',
  'InternalServerError',
];

/** Every path of the API, with its operations. */
export function createPaths({
  limits,
  needsCredentials,
}: PathSettings): Readonly<Record<string, Readonly<Record<string, Operation>>>> {
  const security = [{ bearer: [] }, { signature: [] }, ...(needsCredentials ? [] : [{}])];
  return {
    '/capture': {
      post: capture({
        operationId: 'capture',
        summary: 'Capture a page',
        description:
          'The fields of the capture are in the JSON body. With a signed query the query has them, and there is no body.',
        security,
        requestBody: jsonBody('CaptureRequest', CAPTURE_EXAMPLES),
        responses: { 200: captureResponse(), ...errorResponses('/capture', CAPTURE_ERRORS) },
      }),
      get: capture({
        operationId: 'captureByLink',
        summary: 'Capture a page, by a link',
        description:
          'The fields of the capture are query parameters: `true`, `false`, `1` or `0` for booleans, JSON for lists and objects. Exactly one of `url` and `html_content` is required.',
        security,
        parameters: [...queryParameters(limits), EXPIRES],
        responses: {
          200: captureResponse(),
          ...errorResponses(
            '/capture',
            CAPTURE_ERRORS.filter((type) => !NOTHING_WITHOUT_BODY.includes(type)),
          ),
        },
      }),
    },
    '/sign': {
      post: {
        operationId: 'sign',
        tags: ['Capture'],
        summary: 'Sign a link',
        description:
          'Makes a link that captures what it says, until it expires, and needs no token. The fields are checked as those of a capture: what `GET /capture` would refuse is not signed.',
        security: [{ bearer: [] }, ...(needsCredentials ? [] : [{}])],
        requestBody: jsonBody('SignRequest', SIGN_EXAMPLES),
        responses: {
          200: jsonResponse({ status: 200, path: '/sign' }, 'The link', reference('SignResponse')),
          ...errorResponses('/sign', SIGN_ERRORS),
        },
      },
    },
    '/health/live': probe('live', 'Whether the process lives', { 200: ['It does', LIVE_SCHEMA] }),
    '/health/ready': probe('ready', 'Whether captures are taken', {
      200: ['They are', READY_SCHEMA],
      503: ['They are not', NOT_READY_SCHEMA],
    }),
    '/health': probe('health', 'How the service is', {
      200: ['Well', HEALTH_SCHEMA],
      503: ['Not well', HEALTH_SCHEMA],
    }),
  };
}

const SIGN_EXAMPLES = {
  document: {
    summary: 'A document, for ten minutes',
    value: { params: { url: 'https://example.com/', format: 'pdf' }, expires_in: 600 },
  },
};

const EXPIRES = {
  name: 'expires',
  in: 'query',
  description: 'Of a signed link: the Unix second after which it is refused. Without it the link never ends',
  schema: { type: 'integer', minimum: 0 },
};

function capture(operation: Operation): Operation {
  return { tags: ['Capture'], ...operation };
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

function jsonBody(schema: string, examples: JsonSchema): JsonSchema {
  return { required: true, content: { 'application/json': { schema: reference(schema), examples } } };
}

function reference(schema: string): JsonSchema {
  return { $ref: `#/components/schemas/${schema}` };
}

function probe(
  operationId: string,
  summary: string,
  answers: Readonly<Record<number, readonly [description: string, schema: JsonSchema]>>,
): Readonly<Record<'get', Operation>> {
  const path = '/health';
  const responses = Object.entries(answers).map(([status, [description, schema]]) => {
    return [status, jsonResponse({ status: Number(status), path }, description, schema)] as const;
  });
  const refused = errorResponses(path, ['CrossSiteRequestError', 'MethodNotAllowedError']);
  return {
    get: {
      operationId,
      tags: ['Health'],
      summary,
      security: [],
      responses: { ...Object.fromEntries(responses), ...refused },
    },
  };
}

function isErrorType(name: string): name is ErrorType {
  return Object.hasOwn(ERROR_CATALOGUE, name);
}
