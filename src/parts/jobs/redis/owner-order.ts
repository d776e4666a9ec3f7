import type { Job, Queue } from 'bullmq';
import { DEFAULT_KEY } from '../../../core/access/key.ts';
import type { JobRedis } from './connect.ts';

type Transaction = Pick<ReturnType<JobRedis['multi']>, 'zAdd' | 'exec'>;

/**
 * Maximum number of jobs of an owner that one step looks at. Only jobs that were claimed, removed or delayed stand
 * before its next one.
 */
const LOOK_AT = 100;
/** Factor in the score of a delayed job: BullMQ multiplies the time by it and adds a counter. */
const SCORE_FACTOR = 0x1000;

/**
 * Moves a job of the next owner to the end of BullMQ's list, from where BullMQ takes the next job. Returns 0 if no job
 * is due, not counting those of skipped owners. A last job that is in no set goes first: another process has just
 * chosen it, its claim was given back or has expired, or an earlier version has added it.
 */
const CHOOSE = `
  local wait, delayed, order, prefix, jobs, now = KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[2], tonumber(ARGV[3])
  local skipped = {}
  for i = 4, #ARGV do skipped[ARGV[i]] = true end
  local last = redis.call('LINDEX', wait, -1)
  if last then
    local isRead, data = pcall(cjson.decode, redis.call('HGET', jobs .. last, 'data') or '')
    local owner = isRead and type(data) == 'table' and type(data.owner) == 'string' and data.owner or '${DEFAULT_KEY}'
    if not redis.call('ZSCORE', prefix .. owner, last) then
      if not skipped[owner] then return 1 end
      redis.call('ZADD', prefix .. owner, now, last)
      redis.call('ZADD', order, 'NX', 0, owner)
    end
  end
  local function choose(set)
    for _, id in ipairs(redis.call('ZRANGE', set, 0, ${LOOK_AT - 1})) do
      local due = redis.call('ZSCORE', delayed, id)
      if not due or tonumber(due) <= now * ${SCORE_FACTOR} then
        redis.call('ZREM', set, id)
        local taken = due and redis.call('ZREM', delayed, id) or redis.call('LREM', wait, -1, id)
        if taken == 1 then
          redis.call('RPUSH', wait, id)
          return true
        end
      end
    end
    return false
  end
  for _, owner in ipairs(redis.call('ZRANGE', order, 0, -1)) do
    if not skipped[owner] and choose(prefix .. owner) then
      redis.call('ZADD', order, redis.call('ZRANGE', order, -1, -1, 'WITHSCORES')[2] + 1, owner)
      return 1
    end
    if redis.call('EXISTS', prefix .. owner) == 0 then redis.call('ZREM', order, owner) end
  end
  return #ARGV == 3 and redis.call('LLEN', wait) == 0 and 1 or 0`;

export type OwnerOrder = ReturnType<typeof createOwnerOrder>;

/**
 * The owners of a queue of BullMQ, which serves them in turn. BullMQ itself knows only the order of jobs. Each owner
 * has a sorted set of its waiting jobs by the time since which, or from which, they may be claimed.
 */
export function createOwnerOrder(client: JobRedis, queue: Queue) {
  const order = queue.toKey('owners');
  const prefix = queue.toKey('owner:');
  /** Records a waiting job in a transaction. */
  const addTo = (transaction: Transaction, owner: string, id: string, dueMs: number): Transaction =>
    transaction
      .zAdd(`${prefix}${owner}`, { score: dueMs, value: id })
      .zAdd(order, { score: 0, value: owner }, { condition: 'NX' });
  return {
    addTo,
    /** Records a job that waits again. */
    add: async (owner: string, id: string, dueMs: number): Promise<void> => {
      await addTo(client.multi(), owner, id, dueMs).exec();
    },
    remove: async (owner: string, id: string): Promise<void> => {
      await client.zRem(`${prefix}${owner}`, id);
    },
    /** Claims the next job of the next owner, in the step after the choice. */
    claimNext: async (
      claim: () => Promise<Job | undefined>,
      nowMs: number,
      skipped: readonly string[],
    ): Promise<Job | undefined> => {
      const keys = [queue.toKey('wait'), queue.toKey('delayed'), order];
      const values = [prefix, queue.toKey(''), String(nowMs), ...skipped];
      return (await client.eval(CHOOSE, { keys, arguments: values })) === 1 ? await claim() : undefined;
    },
    /** Keys of the sets, which `queue-room.ts` counts. */
    keys: { order, prefix },
  };
}

const BATCH = 100;

interface PromoteOptions {
  readonly client: JobRedis;
  readonly queue: Queue;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Longest delay of a job. */
  readonly longestMs: number;
}

/**
 * Starts delayed jobs whose time is too far in the future, because the clock of a process was ahead when it delayed
 * them.
 */
export async function promoteLate({ client, queue, now, longestMs }: PromoteOptions): Promise<void> {
  const from = `${(now() + longestMs) * SCORE_FACTOR}`;
  const late = await client.zRange(queue.toKey('delayed'), from, '+inf', {
    BY: 'SCORE',
    LIMIT: { offset: 0, count: BATCH },
  });
  for (const id of late) {
    const job = await queue.getJob(id);
    await job?.promote().catch(() => undefined); // another process has already started the job
  }
}
