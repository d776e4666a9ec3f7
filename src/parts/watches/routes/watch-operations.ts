import type { ErrorType } from '../../../core/ground/errors.ts';
import { type JsonSchema, jsonAnswer, object, type Operation, reference } from '../../../core/http/routes/operation.ts';
import { ALWAYS } from '../../jobs/routes/job-operations.ts';

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
