import { type JsonSchema, jsonAnswer, object, type Operation } from './operation.ts';

/** Query parameters with their descriptions. */
export const PARAMETERS = {
  from: 'First UTC day, for example `2026-11-01`. Default: the first day of the month of `to`',
  to: 'Last UTC day, at most 400 days later. Default: today',
  key: 'Id of another key. Only for the key `default`',
} as const;
export const KEY_ID = /^[a-z0-9_-]{1,63}$/;

const count = (description: string): JsonSchema => ({ type: 'integer', minimum: 0, description });
const date = { type: 'string', format: 'date', description: 'UTC' };

export const USAGE_OPERATION: Operation = {
  operationId: 'getUsage',
  tag: 'Usage',
  summary: 'Read the usage of a key',
  description:
    'Counters of each UTC day that has any, and the quota of the key in the current period. Usage is kept for 400 days.',
  parameters: () =>
    Object.entries(PARAMETERS).map(([name, description]) => ({
      name,
      in: 'query',
      description,
      schema: name === 'key' ? { type: 'string', pattern: KEY_ID.source } : { type: 'string', format: 'date' },
    })),
  answers: {
    200: jsonAnswer(
      'The usage',
      object({
        key: { type: 'string', description: 'Id of the key' },
        days: {
          type: 'array',
          items: object({
            date,
            captures: count('Captures that were made, those of jobs included'),
            cached: count('Answers from the cache, answers shared with an equal request in flight, and status 304'),
            failed: count('Captures that ended with an error. Each attempt of a job counts'),
            jobs: count('Submitted jobs'),
            bytes: count('Bytes of the results, those from the cache included'),
          }),
        },
        quota: {
          description: 'null if the key has no quota, or is not valid any more',
          oneOf: [
            object({
              limit: count('Captures in each period'),
              used: count('Captures in this period'),
              resets_at: { type: 'string', format: 'date-time', description: 'End of the period, UTC' },
            }),
            { type: 'null' },
          ],
        },
      }),
    ),
  },
  errors: [
    'ValidationError',
    'AuthenticationError',
    'ScopeError',
    'CrossSiteRequestError',
    'MethodNotAllowedError',
    'RateLimitError',
    'InternalServerError',
    'StorageError',
  ],
};
