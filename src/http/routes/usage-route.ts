import type { RequestHandler } from 'express';
import { ServiceError, validationError } from '../../errors.ts';
import { DEFAULT_KEY, type Key } from '../../keys/key.ts';
import type { Usage } from '../../usage/usage.ts';
import { countDays, dayOf, isDay, KEPT_DAYS, monthOf } from '../../usage/usage-days.ts';
import type { Query } from '../request/link.ts';
import { contextOf } from '../request/request-context.ts';
import type { AppOptions } from './route.ts';
import { KEY_ID, PARAMETERS } from './usage-operation.ts';

/** Handles `GET /usage`: the days of a key that have a counter, and its quota. */
export function createUsageHandler({ usage, keys, now }: AppOptions): RequestHandler {
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
