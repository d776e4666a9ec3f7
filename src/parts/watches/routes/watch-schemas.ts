import { z } from 'zod';
import { type JsonSchema, object, reference } from '../../../core/http/routes/operation.ts';
import { LINE_CHANGE, REGION } from '../../compare/routes/compare-operation.ts';
import { plain, time } from '../../jobs/routes/job-operations.ts';
import { OUTCOMES } from '../watch.ts';
import { watchChange, watchRequest } from './watch-request.ts';

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
    flickered: {
      type: 'array',
      items: object({ x: COUNT, y: COUNT, width: COUNT, height: COUNT }),
      description:
        'Places that differed in one of the captures of the run and not in all. Changes there, or close beside, are left out',
    },
    unsteady: {
      const: true,
      description:
        'It differed where the page has changed by itself in earlier runs. The change is told if the next run shows the same',
    },
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
    'flickered',
    'unsteady',
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
