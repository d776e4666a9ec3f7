import { z } from 'zod';
import { type JsonSchema, jsonAnswer, object, type Operation, reference } from '../../../core/http/routes/operation.ts';
import { SIDE_ERRORS } from '../../jobs/routes/read-kept.ts';
import { compareRequest } from './compare-request.ts';

const COUNT = { type: 'integer', minimum: 0 } as const;
const BOX = { x: COUNT, y: COUNT, width: COUNT, height: COUNT };
const SIDE = object(
  {
    width: COUNT,
    height: COUNT,
    target_status: { type: 'integer' },
    target_url: { type: 'string' },
    warnings: { type: 'array', items: { type: 'string' } },
  },
  ['width', 'height', 'target_status', 'target_url', 'warnings'],
);

/** A region of a comparison. */
export const REGION = object(
  {
    ...BOX,
    kind: { enum: ['changed', 'added', 'removed', 'moved'] },
    selector: { type: 'string', description: 'The smallest element that contains the region' },
    before: { type: 'string', description: 'Its text before' },
    after: { type: 'string', description: 'Its text after' },
  },
  ['selector', 'before', 'after'],
);

/** A line of a comparison. */
export const LINE_CHANGE = object(
  {
    kind: { enum: ['changed', 'added', 'removed'] },
    line: { ...COUNT, description: 'Number in `after`; for `removed`, of the next line' },
    before: { type: 'string' },
    after: { type: 'string' },
  },
  ['before', 'after'],
);

export const COMPARE_OPERATION: Operation = {
  operationId: 'compare',
  tag: 'Capture',
  summary: 'Compare two captures',
  description:
    'Each side is a capture, a stored result, the result of a job, or a picture. Sides that are captures are made at the same time, and each counts against the rate limit.',
  body: {
    schema: 'CompareRequest',
    examples: {
      stored: {
        summary: 'A page against its stored picture',
        value: {
          before: { stored: 'pages/home.png' },
          after: { capture: { url: 'https://example.com/', full_page: true } },
          format: 'webp',
        },
      },
      captures: {
        summary: 'Two captures, without the clock',
        value: {
          before: { capture: { url: 'https://example.com/' } },
          after: { capture: { url: 'https://staging.example.com/' } },
          ignore: [{ selector: '.clock' }],
        },
      },
    },
  },
  answers: { 200: jsonAnswer('What differs', reference('Comparison')) },
  errors: ['NotComparableError', ...SIDE_ERRORS],
};

export function compareSchemas(): Readonly<Record<string, JsonSchema>> {
  const { $schema: _, ...request } = z.toJSONSchema(compareRequest, { io: 'input', unrepresentable: 'any' });
  return {
    CompareRequest: request,
    Comparison: object(
      {
        changed: { type: 'boolean' },
        ratio: { type: 'number', description: '`pixels` divided by the pixels of the larger picture' },
        within: { type: 'boolean', description: 'Whether `ratio` is at most `max_ratio`' },
        pixels: { ...COUNT, description: 'Number of differing pixels. Not in mode text' },
        before: SIDE,
        after: SIDE,
        regions: {
          type: 'array',
          items: REGION,
          description: 'Places in `after`; for `removed`, in `before`. At most 1,000. Not in mode text',
        },
        changes: {
          type: 'array',
          items: LINE_CHANGE,
          description: 'Lines that differ, in mode text. At most 1,000',
        },
        truncated: { const: true, description: 'There are more regions or lines' },
        warnings: {
          type: 'array',
          items: { enum: ['ignore_not_found', 'http_error'] },
          description:
            '`ignore_not_found`: a selector of `ignore` matches nothing. `http_error`: a page answered with a status of 400 or above',
        },
        picture: object({ content_type: { type: 'string' }, base64: { type: 'string' } }),
      },
      ['within', 'pixels', 'regions', 'changes', 'truncated', 'warnings', 'picture'],
    ),
  };
}
