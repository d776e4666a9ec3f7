import { z } from 'zod';
import type { ErrorType } from '../../../core/ground/errors.ts';
import { type JsonSchema, jsonAnswer, object, type Operation, reference } from '../../../core/http/routes/operation.ts';
import { LINE_CHANGE, REGION } from '../../compare/routes/compare-operation.ts';
import { ALWAYS, plain, time } from '../../jobs/routes/job-operations.ts';
import { OUTCOMES } from '../watch.ts';
import { watchChange, watchRequest } from './watch-request.ts';

const OF_BODIES: readonly ErrorType[] = [
  'FieldNotAllowedError',
  'TemplateNotFoundError',
  'TemplateError',
  'DestinationNotAllowedError',
  'ResultTooLargeError',
  'PayloadTooLargeError',
  'UnsupportedMediaTypeError',
  'OverloadedError',
];

const ID_PARAMETER: JsonSchema = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of the watch',
  schema: { type: 'string' },
};
const CURSOR_PARAMETER: JsonSchema = {
  name: 'cursor',
  in: 'query',
  description: '`next_cursor` of the previous page',
  schema: { type: 'string' },
};

export const ADD_OPERATION: Operation = {
  operationId: 'addWatch',
  tag: 'Watches',
  summary: 'Add a watch',
  description:
    'Captures a page on a schedule, and tells when it has changed. The first run begins at once. Each run is a job with up to two attempts.',
  body: {
    schema: 'WatchRequest',
    examples: {
      prices: {
        summary: 'A page, compared every ten minutes',
        value: {
          capture: { url: 'https://example.com/', full_page: true },
          schedule: 'every 10 minutes',
          compare: { ignore: [{ selector: '.clock' }] },
        },
      },
      report: {
        summary: 'A PDF every working day at nine, which is kept and not compared',
        value: {
          capture: { url: 'https://example.com/', format: 'pdf', store_path: 'reports/{date}.pdf' },
          schedule: '0 9 * * 1-5',
          timezone: 'Europe/Berlin',
          compare: null,
        },
      },
    },
  },
  answers: { 201: jsonAnswer('The watch', reference('Watch')) },
  errors: [...ALWAYS, ...OF_BODIES, 'WatchLimitError'],
};

export const LIST_OPERATION: Operation = {
  operationId: 'listWatches',
  tag: 'Watches',
  summary: 'List watches',
  description: 'Newest first. A key other than `default` lists only its own watches.',
  parameters: () => [CURSOR_PARAMETER],
  answers: { 200: jsonAnswer('A page of watches', reference('WatchList')) },
  errors: ALWAYS,
};

export const WATCH_OPERATION: Operation = {
  operationId: 'getWatch',
  tag: 'Watches',
  summary: 'Read a watch',
  description: 'Secrets of the capture are `***`.',
  parameters: () => [ID_PARAMETER],
  answers: { 200: jsonAnswer('The watch', reference('Watch')) },
  errors: [...ALWAYS, 'NotFoundError'],
};

export const CHANGE_OPERATION: Operation = {
  operationId: 'changeWatch',
  tag: 'Watches',
  summary: 'Change, pause or resume a watch',
  description:
    'Fields that are left out stay as they are. With another `capture` or `compare`, the next run is the first one: it has no baseline.',
  parameters: () => [ID_PARAMETER],
  body: {
    schema: 'WatchChange',
    examples: { pause: { summary: 'Pause a watch', value: { state: 'paused' } } },
  },
  answers: { 200: jsonAnswer('The changed watch', reference('Watch')) },
  errors: [...ALWAYS, ...OF_BODIES, 'NotFoundError'],
};

export const REMOVE_OPERATION: Operation = {
  operationId: 'removeWatch',
  tag: 'Watches',
  summary: 'Remove a watch',
  description: 'Ends the run that is going, and deletes all runs with their files. Files at a `store_path` stay.',
  parameters: () => [ID_PARAMETER],
  answers: { 204: { description: 'The watch was removed', content: {} } },
  errors: [...ALWAYS, 'NotFoundError'],
};

export const RUNS_OPERATION: Operation = {
  operationId: 'listRuns',
  tag: 'Watches',
  summary: 'List the runs of a watch',
  description: 'Runs that have ended, newest first.',
  parameters: () => [ID_PARAMETER, CURSOR_PARAMETER],
  answers: { 200: jsonAnswer('A page of runs', reference('RunList')) },
  errors: [...ALWAYS, 'NotFoundError'],
};

export const RUN_OPERATION: Operation = {
  operationId: 'runWatch',
  tag: 'Watches',
  summary: 'Run a watch now',
  description: 'Also while the watch is paused. The schedule stays as it is.',
  parameters: () => [ID_PARAMETER],
  answers: {
    202: jsonAnswer(
      'The run that begins',
      object({ id: { type: 'string', description: 'Id of the run, and of its job' }, watch: { type: 'string' } }),
    ),
  },
  errors: [...ALWAYS, 'NotFoundError', 'JobNotFinishedError', 'OverloadedError'],
};

export const ACCEPT_OPERATION: Operation = {
  operationId: 'acceptRun',
  tag: 'Watches',
  summary: 'Accept the newest run as the baseline',
  parameters: () => [ID_PARAMETER],
  answers: { 200: jsonAnswer('The watch', reference('Watch')) },
  errors: [...ALWAYS, 'NotFoundError', 'JobNotFinishedError'],
};

const TEXT = { type: 'string' } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;

const RUN = object(
  {
    id: { ...TEXT, description: 'Id of the run, and of its job' },
    watch: { ...TEXT, description: 'Id of the watch' },
    label: { ...TEXT, description: 'Label of the watch, in webhooks' },
    outcome: {
      enum: OUTCOMES,
      description:
        '`first` became the baseline, `same` and `changed` were compared with it, `done` was not compared, `failed` has an `error`, and `skipped` was left out: the run before was still going, or the watch was changed during this one',
    },
    started_at: time('Start of the run'),
    finished_at: time('End of the run'),
    comparison: object(
      {
        baseline: { ...TEXT, description: 'Id of the run that it was compared with' },
        ratio: { type: 'number', description: 'Part of the picture, or of the lines, that differs' },
        pixels: COUNT,
        regions: { type: 'array', items: REGION, description: 'Regions of the picture that differ, the 50 largest' },
        changes: { type: 'array', items: LINE_CHANGE, description: 'Lines of markdown that differ, the first 50' },
        truncated: { const: true },
        warnings: { type: 'array', items: TEXT },
      },
      ['pixels', 'regions', 'changes', 'truncated', 'warnings'],
    ),
    url: { type: 'string', format: 'uri', description: 'A link to the file of the run that needs no token' },
    before_url: { type: 'string', format: 'uri', description: 'The same for its baseline, in webhooks of a change' },
    expires_at: time('Expiry of the link. The next answer has a new link'),
    content_type: TEXT,
    bytes: COUNT,
    target_status: { type: 'integer', description: 'HTTP status of the page' },
    warnings: { type: 'array', items: TEXT },
    paused: { const: true, description: 'The watch was paused after this run' },
    error: object(
      { status: { const: 'error' }, message: TEXT, error_type: reference('ErrorType'), error_details: TEXT },
      ['error_details'],
    ),
  },
  [
    'label',
    'comparison',
    'url',
    'before_url',
    'expires_at',
    'content_type',
    'bytes',
    'target_status',
    'warnings',
    'paused',
    'error',
  ],
);

/** Schemas of the routes of watches. */
export function watchSchemas(): Readonly<Record<string, JsonSchema>> {
  const request = z.toJSONSchema(watchRequest, { io: 'input', unrepresentable: 'any' });
  const change = z.toJSONSchema(watchChange, { io: 'input', unrepresentable: 'any' });
  const capture = reference('CaptureRequest');
  const properties = plain(request.properties);
  const some = { type: 'object', description: 'Fields of `CaptureRequest`, with `***` in place of secrets' };
  return {
    WatchRequest: {
      type: 'object',
      properties: { ...properties, capture },
      required: request.required,
      additionalProperties: false,
    },
    WatchChange: {
      type: 'object',
      properties: { ...plain(change.properties), capture },
      additionalProperties: false,
    },
    Watch: object(
      {
        id: TEXT,
        state: { enum: ['active', 'paused'] },
        paused_by: { enum: ['client', 'failures'], description: 'Who has paused it' },
        ...properties,
        capture: some,
        created_at: time('Time of its creation'),
        next_run_at: time('Start of the next run by the schedule. It begins up to a minute later'),
        current_run: { ...TEXT, description: 'Id of the run that is going' },
        failures: { ...COUNT, description: 'Failed runs since the last one that succeeded' },
        baseline_run: { ...TEXT, description: 'Id of the run that others are compared with' },
        last_run: reference('Run'),
      },
      ['paused_by', 'label', 'webhook_url', 'next_run_at', 'current_run', 'baseline_run', 'last_run'],
    ),
    WatchList: listOf('watches', 'Watch'),
    RunList: listOf('runs', 'Run'),
    Run: RUN,
  };
}

function listOf(name: string, schema: string): JsonSchema {
  return object(
    {
      [name]: { type: 'array', items: reference(schema) },
      next_cursor: { type: 'string', description: 'Cursor of the next page. Missing on the last page' },
    },
    ['next_cursor'],
  );
}
