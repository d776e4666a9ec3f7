import { ERROR_CATALOGUE, type ErrorType } from '../../errors.ts';
import type { JsonSchema } from './request-schema.ts';

const moment = { type: 'string', format: 'date-time', description: 'UTC' };
const count = { type: 'integer', minimum: 0 };
const constants = (rows: Readonly<Record<string, string>>): JsonSchema => ({
  type: 'string',
  oneOf: Object.entries(rows).map(([name, description]) => ({ const: name, description })),
});

/** Closed sets of names, each with what it tells. */
export function constantsOf(rows: Readonly<Record<string, string>>): JsonSchema {
  return constants(rows);
}

/** The body of every error. */
export const ERROR_SCHEMA: JsonSchema = object(
  {
    status: { const: 'error' },
    message: { type: 'string', description: 'What went wrong, in one sentence that can be shown' },
    error_type: { $ref: '#/components/schemas/ErrorType' },
    error_details: {
      type: 'string',
      description: 'Which fields, and what is accepted: `name: what` for each, separated by `; `',
    },
    retry_after: { type: 'integer', minimum: 1, description: 'Seconds to wait, with 429 and 503' },
    timestamp: moment,
    request_id: { type: 'string', description: 'As in `X-Request-Id`, and in the log' },
  },
  ['error_details', 'retry_after'],
);

/** Every `error_type`, with when a client gets it. */
export const ERROR_TYPE_SCHEMA = constants(
  Object.fromEntries(Object.entries(ERROR_CATALOGUE).map(([type, { when }]) => [type, when])),
);

export const LIVE_SCHEMA = object({ status: { const: 'alive' } });

export const READY_SCHEMA = object({ status: { const: 'ready' } });

export const NOT_READY_SCHEMA = object({
  status: { const: 'not_ready' },
  reason: { enum: ['browser_starting', 'browser_unresponsive', 'queue_full', 'shutting_down'] },
});

export const HEALTH_SCHEMA = object({
  status: { enum: ['healthy', 'unhealthy'] },
  version: { type: 'string', description: 'Of the service' },
  timestamp: moment,
  uptime_seconds: count,
  browser: object({
    connected: { type: 'boolean' },
    version: { type: ['string', 'null'] },
    sandbox: {
      type: ['boolean', 'null'],
      description: 'Whether the browser has its sandbox; null until the first one has started',
    },
    captures: count,
    restarts: count,
  }),
  pool: object({ size: count, busy: count, waiting: count }),
  memory: object({ rss_bytes: count }),
});

/** An error as it would be sent, for the documentation. */
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

/** An object that has all of its members but the optional ones. */
function object(properties: Readonly<Record<string, JsonSchema>>, optional: string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}
