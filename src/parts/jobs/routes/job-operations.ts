import { z } from 'zod';
import type { ErrorType } from '../../../core/ground/errors.ts';
import { JOB_STATES } from '../job.ts';
import { FORMATS } from '../../../core/capture/request/formats.ts';
import { type JsonSchema, jsonAnswer, object, type Operation, reference } from '../../../core/http/routes/operation.ts';
import { batchRequest, jobRequest } from './job-requests.ts';

export const ALWAYS: readonly ErrorType[] = [
  'ValidationError',
  'AuthenticationError',
  'ScopeError',
  'CrossSiteRequestError',
  'MethodNotAllowedError',
  'RateLimitError',
  'InternalServerError',
  'StorageError',
];
const OF_BODIES: readonly ErrorType[] = [
  'FieldNotAllowedError',
  'QuotaExceededError',
  'TemplateNotFoundError',
  'TemplateError',
  'DestinationNotAllowedError',
  'ResultTooLargeError',
  'PayloadTooLargeError',
  'UnsupportedMediaTypeError',
  'IdempotencyError',
  'OverloadedError',
];
const OF_ONE: readonly ErrorType[] = ['NotFoundError', 'JobExpiredError'];

const ID_PARAMETER: JsonSchema = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of the job',
  schema: { type: 'string' },
};
const KEY_PARAMETER: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Idempotency key. The same key and body within 24 hours return the same jobs; another body gives an `IdempotencyError`',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

export const SUBMIT_OPERATION: Operation = {
  operationId: 'submitJob',
  tag: 'Jobs',
  summary: 'Submit a job',
  description:
    'The service stores the job before it answers. The job runs at least once, with lower priority than `/capture`, and has up to three attempts.',
  parameters: () => [KEY_PARAMETER],
  body: {
    schema: 'JobRequest',
    examples: {
      document: {
        summary: 'A PDF, stored under a path',
        value: {
          capture: { url: 'https://example.com/', format: 'pdf' },
          store_path: 'reports/example.pdf',
        },
      },
    },
  },
  answers: { 202: jsonAnswer('The queued job', reference('Job')) },
  errors: [...ALWAYS, ...OF_BODIES, 'JobExpiredError'],
};

export const BATCH_OPERATION: Operation = {
  operationId: 'submitJobs',
  tag: 'Jobs',
  summary: 'Submit up to 100 jobs',
  description: 'The service accepts all captures or none. An error names the position of the invalid capture.',
  parameters: () => [KEY_PARAMETER],
  body: {
    schema: 'JobBatchRequest',
    examples: {
      pages: {
        summary: 'Two pages as WebP',
        value: {
          defaults: { format: 'webp', full_page: true },
          captures: [{ url: 'https://example.com/' }, { url: 'https://example.org/' }],
        },
      },
    },
  },
  answers: { 202: jsonAnswer('The jobs in the order of the captures', reference('JobList')) },
  errors: [...ALWAYS, ...OF_BODIES, 'JobExpiredError'],
};

export const LIST_OPERATION: Operation = {
  operationId: 'listJobs',
  tag: 'Jobs',
  summary: 'List jobs',
  description:
    'Jobs of one state, newest first. Without `state`: running, queued, failed, cancelled and done jobs, in this order. A key other than `default` lists only its own jobs.',
  parameters: () => [
    { name: 'state', in: 'query', description: 'Only jobs in this state', schema: { enum: JOB_STATES } },
    {
      name: 'cursor',
      in: 'query',
      description: '`next_cursor` of the previous page',
      schema: { type: 'string' },
    },
  ],
  answers: { 200: jsonAnswer('A page of jobs', reference('JobList')) },
  errors: ALWAYS,
};

export const JOB_OPERATION: Operation = {
  operationId: 'getJob',
  tag: 'Jobs',
  summary: 'Read a job',
  parameters: () => [ID_PARAMETER],
  answers: { 200: jsonAnswer('The job', reference('Job')) },
  errors: [...ALWAYS, ...OF_ONE],
};

export const CANCEL_OPERATION: Operation = {
  operationId: 'cancelJob',
  tag: 'Jobs',
  summary: 'Cancel a job',
  description: 'A running job is interrupted. A finished job is not changed.',
  parameters: () => [ID_PARAMETER],
  answers: { 200: jsonAnswer('The job in its new state', reference('Job')) },
  errors: [...ALWAYS, ...OF_ONE],
};

export const RESULT_OPERATION: Operation = {
  operationId: 'getJobResult',
  tag: 'Jobs',
  summary: 'Fetch the result of a job',
  description:
    'The answer that `/capture` would have given: the capture with its headers, or the error of the failed job.',
  parameters: () => [ID_PARAMETER],
  answers: { 200: { description: 'The capture', content: captureContent() } },
  errors: [
    ...ALWAYS,
    ...OF_ONE,
    'JobNotFinishedError',
    'FieldNotAllowedError',
    'QuotaExceededError',
    'TemplateNotFoundError',
    'TemplateError',
    'DestinationNotAllowedError',
    'ElementNotFoundError',
    'ActionFailedError',
    'PageRejectedError',
    'ResultTooLargeError',
    'NavigationError',
    'TimeoutError',
    'PageCrashedError',
    'OverloadedError',
  ],
};

function captureContent(): Readonly<Record<string, JsonSchema>> {
  const types = Object.values(FORMATS).map(({ mimeType }) => mimeType.split(';')[0] ?? mimeType);
  return Object.fromEntries(
    types.map((type) => [type, type.startsWith('text/') ? { schema: { type: 'string' } } : {}]),
  );
}

export const time = (description: string): JsonSchema => ({ type: 'string', format: 'date-time', description });

/** Schemas of the job routes. */
export function jobSchemas(): Readonly<Record<string, JsonSchema>> {
  const one = z.toJSONSchema(jobRequest, { io: 'input', unrepresentable: 'any' });
  const batch = z.toJSONSchema(batchRequest, { io: 'input', unrepresentable: 'any' });
  const capture = reference('CaptureRequest');
  const some = { type: 'object', description: 'Fields of `CaptureRequest`' };
  return {
    JobRequest: {
      type: 'object',
      properties: { ...plain(one.properties), capture },
      required: one.required,
      additionalProperties: false,
    },
    JobBatchRequest: {
      type: 'object',
      description: 'Each capture with the defaults is a `CaptureRequest`.',
      properties: {
        ...plain(batch.properties),
        defaults: { ...some, description: 'Default fields of all captures' },
        captures: { type: 'array', minItems: 1, maxItems: 100, items: some },
      },
      required: batch.required,
      additionalProperties: false,
    },
    Job: object(
      {
        id: { type: 'string' },
        state: { enum: JOB_STATES },
        created_at: time('Time of submission'),
        started_at: time('Start of its last attempt'),
        finished_at: time('End of the job'),
        attempts: { type: 'integer', minimum: 0, description: 'Number of started attempts' },
        label: { type: 'string', description: 'The `label` of the request, or host and path of the page' },
        url: {
          type: 'string',
          description: 'Address of the page, with `WEBHOOK_URLS=true`: in webhooks, and for the operator',
        },
        result: object({
          url: { type: 'string', format: 'uri', description: 'A link to the result that needs no token' },
          expires_at: time('Expiry of the link. The next answer has a new link'),
          content_type: { type: 'string' },
          bytes: { type: 'integer', minimum: 0 },
        }),
        error: object(
          {
            status: { const: 'error' },
            message: { type: 'string' },
            error_type: reference('ErrorType'),
            error_details: { type: 'string' },
          },
          ['error_details'],
        ),
      },
      ['started_at', 'finished_at', 'label', 'url', 'result', 'error'],
    ),
    JobList: object(
      {
        jobs: { type: 'array', items: reference('Job') },
        next_cursor: { type: 'string', description: 'Cursor of the next page. Missing on the last page' },
      },
      ['next_cursor'],
    ),
  };
}

/** Removes keywords for the tables of the documentation, which OpenAPI does not know. */
export function plain(properties: object | undefined): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(Object.entries(properties ?? {}).map(([name, schema]) => [name, plainSchema(schema)]));
}

function plainSchema(schema: object): JsonSchema {
  const { accepts, example, anyOf, ...rest }: { accepts?: unknown; example?: unknown; anyOf?: readonly object[] } =
    Object(schema);
  return {
    ...rest,
    ...(anyOf !== undefined && { anyOf: anyOf.map(plainSchema) }),
    ...(example !== undefined && { examples: [example] }),
    ...(accepts !== undefined && { 'x-accepts': accepts }),
  };
}
