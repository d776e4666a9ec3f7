import type { JobRedis } from './connect.ts';
import type { Idempotency } from '../job-store.ts';
import type { JobRecord } from '../job.ts';
import { IDEMPOTENCY_MS } from '../job-limits.ts';
import { ServiceError } from '../../errors.ts';
import { z } from 'zod';
import { idempotencyKey, KEYS } from './keys.ts';
import { parseRecord } from './records.ts';

const knownKey = z.object({ fingerprint: z.string(), ids: z.array(z.string()), isTaken: z.boolean() });

/** In one step, and once: whatever was counted twice or never would stay in the sum. */
const FORGET_RESULT = `
  if redis.call('ZREM', KEYS[1], ARGV[1]) == 1 then redis.call('DECRBY', KEYS[2], ARGV[2]) end`;

export type SideRecords = ReturnType<typeof createSideRecords>;

/** What BullMQ has no place for. */
export function createSideRecords(client: JobRedis) {
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
    cancelledBefore: (ms: number, limit: number): Promise<string[]> =>
      client.zRange(KEYS.cancelledAt, '-inf', `(${ms}`, { BY: 'SCORE', LIMIT: { offset: 0, count: limit } }),
    forgetCancelled: async (id: string): Promise<void> => {
      await client.multi().hDel(KEYS.cancelled, id).zRem(KEYS.cancelledAt, id).exec();
    },

    keepResult: async (id: string, nowMs: number, bytes: number): Promise<void> => {
      await client.multi().zAdd(KEYS.kept, { score: nowMs, value: id }).incrBy(KEYS.keptBytes, bytes).exec();
    },
    keptBytes: async (): Promise<number> => Number((await client.get(KEYS.keptBytes)) ?? 0),
    oldestKept: (limit: number): Promise<string[]> => client.zRange(KEYS.kept, 0, limit - 1),
    forgetResult: async (id: string, bytes: number): Promise<void> => {
      await client.eval(FORGET_RESULT, { keys: [KEYS.kept, KEYS.keptBytes], arguments: [id, String(bytes)] });
    },

    /**
     * The ids that stand for the key, these if it is new; `isTaken` tells whether their jobs were handed on.
     * @throws ServiceError IdempotencyError
     */
    claimKey: async ({ key, fingerprint }: Idempotency, ids: readonly string[]) => {
      const own = { fingerprint, ids: [...ids], isTaken: false };
      const name = idempotencyKey(key);
      const set = await client.set(name, JSON.stringify(own), {
        condition: 'NX',
        expiration: { type: 'PX', value: IDEMPOTENCY_MS },
      });
      if (set !== null) return own;
      const known = knownKey.parse(JSON.parse((await client.get(name)) ?? JSON.stringify(own)));
      if (known.fingerprint !== fingerprint) throw new ServiceError('IdempotencyError');
      return known;
    },
    keyIsTaken: async ({ key, fingerprint }: Idempotency, ids: readonly string[]): Promise<void> => {
      const text = JSON.stringify({ fingerprint, ids, isTaken: true });
      await client.set(idempotencyKey(key), text, { condition: 'XX', expiration: 'KEEPTTL' });
    },
  };
}
