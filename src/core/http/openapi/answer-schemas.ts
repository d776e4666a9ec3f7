import { ERROR_CATALOGUE, type ErrorType } from '../../ground/errors.ts';
import { type JsonSchema, object, reference } from '../routes/operation.ts';

/** Schema of an error body. */
export const ERROR_SCHEMA: JsonSchema = object(
  {
    status: { const: 'error' },
    message: { type: 'string', description: 'The problem in one sentence, safe to display' },
    error_type: reference('ErrorType'),
    error_details: {
      type: 'string',
      description: 'The invalid fields and their accepted values: `name: message` for each field, separated by `; `',
    },
    retry_after: { type: 'integer', minimum: 1, description: 'Seconds to wait, with 429 and 503' },
    timestamp: { type: 'string', format: 'date-time', description: 'UTC' },
    request_id: { type: 'string', description: 'The value of `X-Request-Id`, also in the log' },
    trace_id: { type: 'string', description: 'The trace of the request, if the service sends traces' },
  },
  ['error_details', 'retry_after', 'trace_id'],
);

/** All values of `error_type` with their descriptions. */
export const ERROR_TYPE_SCHEMA = constantsOf(
  Object.fromEntries(Object.entries(ERROR_CATALOGUE).map(([type, { when }]) => [type, when])),
);

/** An example error for the documentation. */
export function errorExample(type: ErrorType): JsonSchema {
  const isAboutTime = type === 'RateLimitError' || type === 'OverloadedError';
  return {
    status: 'error',
    message: ERROR_CATALOGUE[type].message,
    error_type: type,
    ...(type === 'ValidationError' && {
      error_details: 'widow_width: is not a known field, did you mean window_width?',
    }),
    ...(isAboutTime && { retry_after: 1 }),
    timestamp: '2026-11-20T09:30:00.000Z',
    request_id: 'c8a4a036-a704-458c-9727-5b8cade0234d',
  };
}

/** A closed set of names with their descriptions. */
export function constantsOf(rows: Readonly<Record<string, string>>): JsonSchema {
  return {
    type: 'string',
    oneOf: Object.entries(rows).map(([name, description]) => ({ const: name, description })),
  };
}
