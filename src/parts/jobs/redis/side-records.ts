import { z } from 'zod';
import type { JobRedis } from './connect.ts';
import type { Idempotency } from '../job-store.ts';
import type { JobRecord } from '../job.ts';
import { IDEMPOTENCY_MS } from '../job-limits.ts';
import { ServiceError } from '../../../core/ground/errors.ts';
import { parseJson } from '../../../core/ground/parse-json.ts';
import { unreadableReason, type UnreadableRecord } from '../job-codec.ts';
import { DEFAULT_KEY } from '../../../core/access/key.ts';
import { idempotencyKey, KEYS, ownedKey } from './redis-keys.ts';
import { parseRecord } from './records.ts';

const knownKey = z
  .string()
  .transform(parseJson)
  .pipe(z.object({ fingerprint: z.string(), ids: z.array(z.string()) }));

/**
 * Confirms jobs: a job runs only if its capture is among the confirmed ones. The key, if any, is set in the same step.
 * Returns the record of another submission that has set the key before, unless the jobs must run (`1`).
 */
const CONFIRM = `
  local text = ARGV[1]
  if text ~= '' then
    local known = redis.call('GET', KEYS[3])
    if known and known ~= text and ARGV[2] ~= '1' then return known end
    redis.call('SET', KEYS[3], text, 'PX', ARGV[3])
  end
  for i = 4, #ARGV do
    local capture = redis.call('HGET', KEYS[1], ARGV[i])
    if capture then
      redis.call('HSET', KEYS[2], ARGV[i], capture)
      redis.call('HDEL', KEYS[1], ARGV[i])
    end
  end`;

/** Removes a record and its place in a sorted set. A full Redis refuses every command in a MULTI, but no removals. */
const FORGET = `
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('ZREM', KEYS[2], ARGV[1])`;

// Each runs in one atomic step, because double counting would corrupt the sum permanently.
const KEEP_RESULT = `
  if redis.call('ZADD', KEYS[1], 'NX', ARGV[1], ARGV[2]) == 1 then redis.call('INCRBY', KEYS[2], ARGV[3]) end`;
const FORGET_RESULT = `
  if redis.call('ZREM', KEYS[1], ARGV[1]) == 1 then redis.call('DECRBY', KEYS[2], ARGV[2]) end`;

/**
 * Lowers BullMQ's count of attempts. Without the lock, the job may belong to another worker or be deleted: HINCRBY
 * alone would create a key.
 */
const UNCOUNT_ATTEMPT = `
  if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('HINCRBY', KEYS[1], 'ats', -1) end`;

const timeReply = z.tuple([z.coerce.number(), z.coerce.number()]);
const TRIAL_MS = 1_000;
export type SideRecords = ReturnType<typeof createSideRecords>;

/** Records that BullMQ has no place for. */
export function createSideRecords(client: JobRedis, onUnreadable: (record: UnreadableRecord) => void) {
  return {
    isCancelled: async (id: string): Promise<boolean> => (await client.hExists(KEYS.cancelled, id)) === 1,
    getCancelled: async (id: string): Promise<JobRecord | undefined> => {
      const text = await client.hGet(KEYS.cancelled, id);
      return text === null ? undefined : parseRecord(text);
    },
    /** Records a cancellation. False if the job is cancelled already. */
    putCancelled: async (job: JobRecord, nowMs: number): Promise<boolean> => {
      const text = JSON.stringify({ ...job, state: 'cancelled', finishedAt: nowMs, error: undefined });
      const transaction = client.multi().hSetNX(KEYS.cancelled, job.id, text);
      if (job.owner !== DEFAULT_KEY) {
        transaction.zAdd(ownedKey(job.owner, 'cancelled'), { score: 0, value: job.id });
        transaction.zRem(ownedKey(job.owner, 'queued'), job.id);
      }
      const [isNew] = await transaction
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
      await forgetRecord(client, [KEYS.cancelled, KEYS.cancelledAt], id);
    },

    keepResult: async (id: string, nowMs: number, bytes: number): Promise<void> => {
      const values = [`${nowMs}`, id, `${bytes}`];
      await client.eval(KEEP_RESULT, { keys: [KEYS.kept, KEYS.keptBytes], arguments: values });
    },
    keptBytes: async (): Promise<number> => Number((await client.get(KEYS.keptBytes)) ?? 0),
    oldestKept: (from: number, limit: number): Promise<string[]> => client.zRange(KEYS.kept, from, from + limit - 1),
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
    /**
     * Makes a test write, like that of a submission.
     * @throws Error if Redis accepts no writes: it is full, a replica, or still loading
     */
    tryWrite: async (): Promise<void> => {
      await client.set(KEYS.trial, '1', { expiration: { type: 'PX', value: TRIAL_MS } });
    },

    /**
     * Returns the ids of the jobs that an earlier submission with this key has added.
     * @throws ServiceError IdempotencyError
     */
    findKey: async ({ key, fingerprint }: Idempotency): Promise<readonly string[] | undefined> => {
      const known = knownKey.safeParse(await client.get(idempotencyKey(key)));
      return known.data && idsOf(known.data, fingerprint);
    },
    /**
     * Confirms jobs and returns their ids, or the ids of an earlier submission with the same key.
     * @param mustRun true if the client already has the answer that the jobs are accepted
     * @throws ServiceError IdempotencyError
     */
    confirm: async (ids: readonly string[], idempotency: Idempotency | undefined, mustRun: boolean) => {
      const { key, fingerprint } = idempotency ?? {};
      const text = key === undefined ? '' : JSON.stringify({ fingerprint, ids });
      const keys = [KEYS.prepared, KEYS.captures, ...(key === undefined ? [] : [idempotencyKey(key)])];
      const run = (force: boolean) =>
        client.eval(CONFIRM, { keys, arguments: [text, force ? '1' : '0', String(IDEMPOTENCY_MS), ...ids] });
      const found = await run(mustRun);
      if (found === null) return ids;
      const known = knownKey.safeParse(found);
      if (known.success) return idsOf(known.data, fingerprint);
      onUnreadable({ id: 'idempotency key', reason: unreadableReason(known.error) });
      await run(true);
      return ids;
    },
  };
}

/** @param keys a hash of records, and the sorted set of their ids */
export async function forgetRecord(client: JobRedis, keys: [hash: string, set: string], id: string): Promise<void> {
  await client.eval(FORGET, { keys, arguments: [id] });
}

function idsOf(known: z.output<typeof knownKey>, fingerprint: string | undefined): readonly string[] {
  if (known.fingerprint !== fingerprint) throw new ServiceError('IdempotencyError');
  return known.ids;
}
