import type { RequestHandler } from 'express';
import { ServiceError, validationError } from '../../core/ground/errors.ts';
import { DEFAULT_KEY, type Key } from '../../core/access/key.ts';
import type { Usage, UsageState } from './usage.ts';
import { countDays, dayOf, isDay, KEPT_DAYS, monthOf } from './usage-days.ts';
import type { Query } from '../../core/http/request/link.ts';
import { contextOf } from '../../core/http/request/request-context.ts';
import type { PageState } from '../pages/page-setting.ts';
import { createUsagePage } from '../pages/playground-routes.ts';
import type { Core, Route } from '../../core/http/routes/route.ts';
import { jsonAnswer, type JsonSchema, object, type Operation } from '../../core/http/routes/operation.ts';

/** Handles `GET /usage`: the days of a key that have a counter, and its quota. */
function createUsageHandler({ usage, keys, now }: UsageState & Pick<Core, 'keys' | 'now'>): RequestHandler {
  return async (_request, response) => {
    const { key: caller, link } = contextOf(response);
    if (usage === undefined || caller === undefined) {
      throw new ServiceError('ValidationError', 'Usage is off', { details: 'KEYS_FILE must be set' });
    }
    const { from, to, keyId } = readQuery(link.query, caller, now() * 1_000);
    const days = await usage.read(keyId, from, to);
    const key = keyId === caller.id ? caller : keys.byId(keyId);
    response.json({ key: keyId, days, quota: key === undefined ? null : await viewQuota(usage, key) });
  };
}

async function viewQuota(usage: Usage, key: Key): Promise<object | null> {
  const quota = await usage.currentQuota(key);
  if (quota === undefined) return null;
  const { limit, used, resetsAtMs } = quota;
  return { limit, used, resets_at: new Date(resetsAtMs).toISOString() };
}

function readQuery(
  query: Query,
  caller: Key,
  nowMs: number,
): { readonly from: string; readonly to: string; readonly keyId: string } {
  const unknown = [...query.keys()].find((name) => !Object.hasOwn(PARAMETERS, name));
  if (unknown !== undefined) {
    throw validationError(`${unknown}: unknown parameter; accepted are ${Object.keys(PARAMETERS).join(', ')}`);
  }
  const to = query.get('to') ?? dayOf(nowMs);
  const from = query.get('from') ?? `${monthOf(to)}-01`;
  for (const [name, day] of Object.entries({ to, from })) {
    if (!isDay(day)) throw validationError(`${name}: must be a day such as 2026-11-23`);
  }
  if (from > to) throw validationError(`from: must not be after to, which is ${to}`);
  if (countDays(from, to) > KEPT_DAYS) {
    throw validationError(`from: must be at most ${KEPT_DAYS} days before to, because usage is kept for that long`);
  }
  const keyId = query.get('key') ?? caller.id;
  if (keyId !== caller.id && caller.id !== DEFAULT_KEY) {
    throw new ServiceError('ScopeError', undefined, {
      details: `key: only the key ${DEFAULT_KEY} may read the usage of other keys`,
    });
  }
  if (!KEY_ID.test(keyId)) throw validationError('key: must be the id of a key: 1 to 63 of a-z 0-9 _ -');
  return { from, to, keyId };
}

/** Query parameters with their descriptions. */
const PARAMETERS = {
  from: 'First UTC day, for example `2026-11-01`. Default: the first day of the month of `to`',
  to: 'Last UTC day, at most 400 days later. Default: today',
  key: 'Id of another key. Only for the key `default`',
} as const;
const KEY_ID = /^[a-z0-9_-]{1,63}$/;

const count = (description: string): JsonSchema => ({ type: 'integer', minimum: 0, description });
const date = { type: 'string', format: 'date', description: 'UTC' };

const USAGE_OPERATION: Operation = {
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

export const USAGE_ROUTES: readonly Route<UsageState & PageState>[] = [
  {
    path: '/usage',
    methods: ['GET'],
    name: 'usage',
    callers: 'bearer',
    right: 'usage',
    isLimited: true,
    createPage: ({ config }) => (config.playground ? createUsagePage() : undefined),
    createHandler: createUsageHandler,
    operations: { get: USAGE_OPERATION },
  },
];
