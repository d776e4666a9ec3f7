import type { Queue } from 'bullmq';
import type { JobRedis } from './connect.ts';

/** Factor in the score of a delayed job: BullMQ multiplies the time by it and adds a counter. */
export const SCORE_FACTOR = 0x1000;
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
