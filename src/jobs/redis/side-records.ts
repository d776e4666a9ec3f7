import type { JobRedis } from './connect.ts';
import type { Idempotency } from '../job-store.ts';
import type { JobRecord } from '../job.ts';
import { IDEMPOTENCY_MS } from '../job-limits.ts';
import { ServiceError } from '../../errors.ts';
import { z } from 'zod';
import { reasonOf, type UnreadableRecord } from '../sqlite/read-rows.ts';
import { parseJson } from '../sqlite/rows.ts';
import { idempotencyKey, KEYS } from './keys.ts';
import { parseRecord } from './records.ts';

const knownKey = z
  .string()
  .transform(parseJson)
  .pipe(z.object({ fingerprint: z.string(), ids: z.array(z.string()), isTaken: z.boolean() }));

/** In one step, and once: whatever was counted twice or never would stay in the sum. */
const FORGET_RESULT = `
  if redis.call('ZREM', KEYS[1], ARGV[1]) == 1 then redis.call('DECRBY', KEYS[2], ARGV[2]) end`;

/** Lowers BullMQ's count of attempts. Without the lock the job may be another's, or gone: HINCRBY alone would create a key. */
const UNCOUNT_ATTEMPT = `
  if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('HINCRBY', KEYS[1], 'ats', -1) end`;

const RELEASE_KEY = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;

const timeReply = z.tuple([z.coerce.number(), z.coerce.number()]);
const TRIAL_MS = 1_000;
const KEY_LIFETIME = { type: 'PX', value: IDEMPOTENCY_MS } as const;

type Transaction = Pick<ReturnType<JobRedis['multi']>, 'set'>;

export type SideRecords = ReturnType<typeof createSideRecords>;

/** What BullMQ has no place for. */
export function createSideRecords(client: JobRedis, onUnreadable: (record: UnreadableRecord) => void) {
  return {
    isCancelled: async (id: string): Promise<boolean> => (await client.hExists(KEYS.cancelled, id)) === 1,
    getCancelled: async (id: string): Promise<JobRecord | undefined> => {
      const text = await client.hGet(KEYS.cancelled, id);
      return text === null ? undefined : parseRecord(text);
    },
    /** False when it is cancelled already. */
    putCancelled: async (job: JobRecord, nowMs: number): Promise<boolean> => {
      const text = JSON.stringify({ ...job, state: 'cancelled', finishedAt: nowMs, error: undefined });
      const [isNew] = await client
        .multi()
        .hSetNX(KEYS.cancelled, job.id, text)
        .zAdd(KEYS.cancelledAt, { score: nowMs, value: job.id }, { condition: 'NX' })
        .hDel(KEYS.captures, job.id)
        .exec();
      return Number(isNew) === 1;
    },
    listCancelled: (from: number, count: number): Promise<string[]> =>
      client.zRange(KEYS.cancelledAt, from, from + count - 1, { REV: true }),
    cancelledBefore: (ms: number, offset: number, limit: number): Promise<string[]> =>
      client.zRange(KEYS.cancelledAt, '-inf', `(${ms}`, { BY: 'SCORE', LIMIT: { offset, count: limit } }),
    forgetCancelled: async (id: string): Promise<void> => {
      await client.multi().hDel(KEYS.cancelled, id).zRem(KEYS.cancelledAt, id).exec();
    },

    keepResult: async (id: string, nowMs: number, bytes: number): Promise<void> => {
      await client.multi().zAdd(KEYS.kept, { score: nowMs, value: id }).incrBy(KEYS.keptBytes, bytes).exec();
    },
    keptBytes: async (): Promise<number> => Number((await client.get(KEYS.keptBytes)) ?? 0),
    oldestKept: (from: number, limit: number): Promise<string[]> =>
      client.zRange(KEYS.kept, from, from + limit - 1),
    forgetResult: async (id: string, bytes: number): Promise<void> => {
      await client.eval(FORGET_RESULT, { keys: [KEYS.kept, KEYS.keptBytes], arguments: [id, String(bytes)] });
    },

    /** The clock of Redis, in Unix milliseconds. */
    redisNow: async (): Promise<number> => {
      const [seconds, microseconds] = timeReply.parse(await client.sendCommand(['TIME']));
      return seconds * 1_000 + Math.floor(microseconds / 1_000);
    },

    uncountAttempt: async (jobKey: string, token: string): Promise<void> => {
      await client.eval(UNCOUNT_ATTEMPT, { keys: [jobKey, `${jobKey}:lock`], arguments: [token] });
    },
    /** Writes as a submission does. @throws Error where Redis takes no writes: full, a replica, or still loading */
    tryWrite: async (): Promise<void> => {
      await client.set(KEYS.trial, '1', { expiration: { type: 'PX', value: TRIAL_MS } });
    },

    /**
     * Returns the ids that stand for the key: the given ones if it is new. `isTaken` is true if their jobs were added.
     * @throws ServiceError IdempotencyError
     */
    claimKey: async ({ key, fingerprint }: Idempotency, ids: readonly string[]) => {
      const own = { fingerprint, ids: [...ids], isTaken: false };
      const name = idempotencyKey(key);
      const set = await client.set(name, JSON.stringify(own), { condition: 'NX', expiration: KEY_LIFETIME });
      if (set !== null) return own;
      const known = knownKey.safeParse((await client.get(name)) ?? JSON.stringify(own));
      if (!known.success) {
        onUnreadable({ id: 'idempotency key', reason: reasonOf(known.error) });
        return own; // the submission replaces the key
      }
      if (known.data.fingerprint !== fingerprint) throw new ServiceError('IdempotencyError');
      return known.data;
    },
    /** Marks the key as taken, in the transaction that adds its jobs. */
    takeKey: (transaction: Transaction, { key, fingerprint }: Idempotency, ids: readonly string[]): void => {
      const text = JSON.stringify({ fingerprint, ids, isTaken: true });
      transaction.set(idempotencyKey(key), text, { expiration: KEY_LIFETIME });
    },
    /** Frees a key whose jobs were not added, unless another request has taken it. */
    releaseKey: async ({ key, fingerprint }: Idempotency, ids: readonly string[]): Promise<void> => {
      const text = JSON.stringify({ fingerprint, ids, isTaken: false });
      await client.eval(RELEASE_KEY, { keys: [idempotencyKey(key)], arguments: [text] });
    },
  };
}
