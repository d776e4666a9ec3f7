import { z } from 'zod';
import { DEFAULT_KEY } from '../../../core/access/key.ts';
import type { NewJob } from '../job.ts';
import { type QueueLimits, type QueueUse, checkQueueRoom } from '../queue-limit.ts';
import type { JobRedis } from './connect.ts';
import { KEYS } from './redis-keys.ts';
import type { OwnerOrder } from './owner-order.ts';

/** Maximum age of a count by which jobs are accepted. Counting 10,000 jobs takes Redis about 5 ms. */
const FRESH_MS = 1_000;
/** Maximum age of a count by which jobs are refused, so that a client can't make Redis count all the time. */
const REFUSE_FRESH_MS = 100;

/** Returns owner, number of waiting jobs and size of their captures, for each owner. */
const COUNT = `
  local found = {}
  for _, owner in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    local ids = redis.call('ZRANGE', ARGV[1] .. owner, 0, -1)
    local bytes = 0
    for _, id in ipairs(ids) do
      local size = redis.call('HSTRLEN', KEYS[2], id)
      bytes = bytes + (size > 0 and size or redis.call('HSTRLEN', KEYS[3], id))
    end
    found[#found + 1] = {owner, #ids, bytes}
  end
  return found`;
const countReply = z.array(z.tuple([z.string(), z.number(), z.number()]));

interface Added {
  readonly owner: string;
  readonly jobs: number;
  readonly bytes: number;
  /** Time by `performance.now()` at which Redis accepted the jobs. Undefined: not yet. */
  storedAtMs?: number;
}

interface RoomOptions {
  readonly client: JobRedis;
  readonly order: OwnerOrder;
  readonly limits: QueueLimits;
}

export type QueueRoom = ReturnType<typeof createQueueRoom>;

/** Bound of the queue. Submissions of other instances within the last second may exceed it. */
export function createQueueRoom({ client, order, limits }: RoomOptions) {
  let known: { readonly atMs: number; readonly owners: z.output<typeof countReply> } | undefined;
  let counting: Promise<void> | undefined;
  let added: Added[] = [];

  const count = async (): Promise<void> => {
    const atMs = performance.now();
    const keys = [order.keys.order, KEYS.captures, KEYS.prepared];
    const owners = countReply.parse(await client.eval(COUNT, { keys, arguments: [order.keys.prefix] }));
    known = { atMs, owners };
    added = added.filter(({ storedAtMs = atMs }) => storedAtMs >= atMs);
  };
  const countAnew = (): Promise<void> => (counting ??= count().finally(() => (counting = undefined)));
  const useOf = (owner: string): QueueUse => {
    const use = { jobs: 0, bytes: 0, ownJobs: 0, ownBytes: 0 };
    const sizes = added.map((each) => [each.owner, each.jobs, each.bytes] as const);
    for (const [each, jobs, bytes] of [...(known?.owners ?? []), ...sizes]) {
      use.jobs += jobs;
      use.bytes += bytes;
      if (each !== owner) continue;
      use.ownJobs += jobs;
      use.ownBytes += bytes;
    }
    return use;
  };

  return {
    /** Discards the last count. Call it when jobs have left the queue. */
    forget: (): void => void (known = undefined),
    /**
     * Reserves room for the jobs of one submission. Returns a function to call when Redis has the jobs, or has refused
     * them.
     * @throws ServiceError OverloadedError
     */
    take: async (jobs: readonly NewJob[]): Promise<() => void> => {
      const owner = jobs[0]?.owner ?? DEFAULT_KEY;
      const bytes = jobs.reduce((sum, job) => sum + Buffer.byteLength(JSON.stringify(job.capture)), 0);
      const adding: Added = { owner, jobs: jobs.length, bytes };
      const ageMs = known === undefined ? Number.POSITIVE_INFINITY : performance.now() - known.atMs;
      if (ageMs >= FRESH_MS) await countAnew();
      try {
        checkQueueRoom(useOf(owner), adding, limits);
      } catch (error) {
        if (ageMs < REFUSE_FRESH_MS || ageMs >= FRESH_MS) throw error;
        await countAnew();
        checkQueueRoom(useOf(owner), adding, limits);
      }
      added.push(adding);
      return () => (adding.storedAtMs = performance.now());
    },
  };
}
