import { z } from 'zod';
import type { ErrorType } from '../../../errors.ts';
import { JOB_STATES } from '../../../jobs/job.ts';
import { FORMATS } from '../../../capture/formats/index.ts';
import { type JsonSchema, jsonAnswer, object, type Operation, reference } from '../operation.ts';
import { batchRequest, jobRequest } from './job-requests.ts';

const ALWAYS: readonly ErrorType[] = [
  'ValidationError',
  'AuthenticationError',
  'CrossSiteRequestError',
  'MethodNotAllowedError',
  'RateLimitError',
  'InternalServerError',
  'StorageError',
];
const OF_BODIES: readonly ErrorType[] = [
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
  description: 'Of the job',
  schema: { type: 'string' },
};
const KEY_PARAMETER: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A name for this request: sent again with the same body within 24 hours, it gives the same jobs; with another, an `IdempotencyError`',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

export const SUBMIT_OPERATION: Operation = {
  operationId: 'submitJob',
  tag: 'Jobs',
  summary: 'Hand in a capture for later',
  description:
    'The job is kept before this is answered. It is done at least once, after requests to `/capture`, with up to three attempts.',
  parameters: () => [KEY_PARAMETER],
  body: {
    schema: 'JobRequest',
    examples: {
      document: {
        summary: 'A document, kept under a path',
        value: {
          capture: { url: 'https://example.com/', format: 'pdf' },
          store_path: 'reports/example.pdf',
        },
      },
    },
  },
  answers: { 202: jsonAnswer('The job, which waits', reference('Job')) },
  errors: [...ALWAYS, ...OF_BODIES, 'JobExpiredError'],
};

export const BATCH_OPERATION: Operation = {
  operationId: 'submitJobs',
  tag: 'Jobs',
  summary: 'Hand in up to 100 captures for later',
  description: 'All are taken, or none: what is wrong with one of them is answered with its number.',
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
  answers: { 202: jsonAnswer('The jobs, in the order of the captures', reference('JobList')) },
  errors: [...ALWAYS, ...OF_BODIES, 'JobExpiredError'],
};

export const LIST_OPERATION: Operation = {
  operationId: 'listJobs',
  tag: 'Jobs',
  summary: 'List jobs',
  description:
    'Those of one state, newest first; without `state` those that run, wait, have failed, were cancelled and are done, one after another.',
  parameters: () => [
    { name: 'state', in: 'query', description: 'Only jobs in it', schema: { enum: JOB_STATES } },
    {
      name: 'cursor',
      in: 'query',
      description: 'The `next_cursor` of the page before',
      schema: { type: 'string' },
    },
  ],
  answers: { 200: jsonAnswer('A page of them', reference('JobList')) },
  errors: ALWAYS,
};

export const JOB_OPERATION: Operation = {
  operationId: 'getJob',
  tag: 'Jobs',
  summary: 'Ask for a job',
  parameters: () => [ID_PARAMETER],
  answers: { 200: jsonAnswer('The job', reference('Job')) },
  errors: [...ALWAYS, ...OF_ONE],
};

export const CANCEL_OPERATION: Operation = {
  operationId: 'cancelJob',
  tag: 'Jobs',
  summary: 'Cancel a job',
  description: 'One that runs is broken off; one that has ended stays as it is.',
  parameters: () => [ID_PARAMETER],
  answers: { 200: jsonAnswer('The job as it is now', reference('Job')) },
  errors: [...ALWAYS, ...OF_ONE],
};

export const RESULT_OPERATION: Operation = {
  operationId: 'getJobResult',
  tag: 'Jobs',
  summary: 'Fetch what has come of a job',
  description:
    'As `/capture` would have answered: the capture with its headers, or the error with which the job has failed.',
  parameters: () => [ID_PARAMETER],
  answers: { 200: { description: 'The capture', content: captureContent() } },
  errors: [
    ...ALWAYS,
    ...OF_ONE,
    'JobNotFinishedError',
    'DestinationNotAllowedError',
    'ElementNotFoundError',
    'ActionFailedError',
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

const time = (description: string): JsonSchema => ({ type: 'string', format: 'date-time', description });

/** What the routes of jobs take and answer. */
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
        defaults: { ...some, description: 'Fields that each capture has unless it says otherwise' },
        captures: { type: 'array', minItems: 1, maxItems: 100, items: some },
      },
      required: batch.required,
      additionalProperties: false,
    },
    Job: object(
      {
        id: { type: 'string' },
        state: { enum: JOB_STATES },
        created_at: time('When it was handed in'),
        started_at: time('When its last attempt began'),
        finished_at: time('When it was done, had failed or was cancelled'),
        attempts: { type: 'integer', minimum: 0, description: 'How often it was begun' },
        result: object({
          url: { type: 'string', format: 'uri', description: 'A link to the bytes, for whoever has it' },
          expires_at: time('When the link ends; the next answer has another'),
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
      ['started_at', 'finished_at', 'result', 'error'],
    ),
    JobList: object(
      {
        jobs: { type: 'array', items: reference('Job') },
        next_cursor: { type: 'string', description: 'For the next page; there is none without it' },
      },
      ['next_cursor'],
    ),
  };
}

/** OpenAPI has no word for what the tables of the documentation are made of. */
function plain(properties: object | undefined): Readonly<Record<string, JsonSchema>> {
  const entries = Object.entries(properties ?? {}).map(([name, schema]): [string, JsonSchema] => {
    const { accepts, example, ...rest }: { accepts?: unknown; example?: unknown } = Object(schema);
    return [
      name,
      {
        ...rest,
        ...(example !== undefined && { examples: [example] }),
        ...(accepts !== undefined && { 'x-accepts': accepts }),
      },
    ];
  });
  return Object.fromEntries(entries);
}
