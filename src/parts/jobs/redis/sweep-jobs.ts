import type { Job } from 'bullmq';
import { timeOfJobId } from '../job-id.ts';
import { oldestOf, sweepableBytes } from '../job.ts';
import { LONGEST_WAIT_MS, LONGEST_WEBHOOK_WAIT_MS } from '../job-limits.ts';
import { promoteLate } from './owner-order.ts';
import type { JobStore } from '../job-store.ts';
import { CONFIRM_MS, KEYS } from './redis-keys.ts';
import { workData } from './records.ts';
import type { RedisParts } from './redis-parts.ts';

/**
 * Number of randomly chosen captures to check at once. Captures that are left over when all jobs have ended are found
 * soon.
 */
const SAMPLE = 100;

/** Grace for instances of earlier versions, which write a capture before its job. */
const GRACE_MS = 60_000;

interface SweepOptions extends RedisParts {
  readonly discard: (ids: readonly string[]) => Promise<void>;
  readonly checkFilesNow: () => Promise<void>;
  /** Time for which finished jobs are kept although memory is tight. */
  readonly keptMs: number;
}

/** Finds finished jobs to remove, and removes leftovers of crashes. */
export function createSweep(options: SweepOptions): Pick<JobStore, 'findSweepable' | 'tidy' | 'loseResult'> {
  const { client, queues, side, memory, reader, now, earlierNow, checkFilesNow, keptMs } = options;
  const { read, readSome } = reader;
  const { queue } = queues.work;
  const dropLeftovers = createDropLeftovers(options);
  return {
    findSweepable: async ({ before: ownBefore, maxBytes, limit }) => {
      // Uses both clocks, so that nothing is deleted too early after one of them jumped forward.
      const ownNow = now(); // read first, so that the time of the answer does not count
      const behindMs = Math.min(0, (await earlierNow()) - ownNow);
      const before = ((await memory.isTight()) ? ownNow - keptMs : ownBefore) + behindMs;
      const oldest = (place: 'completed' | 'failed') =>
        readSome((from) => queue.getRanges([place], from, from + limit - 1, true));
      const found = await Promise.all([
        oldest('completed'),
        oldest('failed'),
        readSome((from) => side.cancelledBefore(before, from, limit)),
      ]);
      const finished = found.flat();
      const old = finished.filter(({ finishedAt = before }) => finishedAt < before).slice(0, limit);
      const over = (await side.keptBytes()) - maxBytes;
      const large = over > 0 ? oldestOf(await readSome((from) => side.oldestKept(from, limit)), over) : [];
      return { old, large };
    },
    tidy: async () => {
      await side.tryWrite();
      await queues.trimEvents();
      await dropLeftovers();
      await checkFilesNow();
      await promoteLate({ queue, client, now, longestMs: LONGEST_WAIT_MS });
      await promoteLate({ queue: queues.webhooks.queue, client, now, longestMs: LONGEST_WEBHOOK_WAIT_MS });
      return false;
    },
    loseResult: async (id) => {
      const job = await queue.getJob(id);
      const record = await read(id);
      await side.forgetResult(id, sweepableBytes(record?.result));
      await job?.updateData({ ...workData.parse(job.data), hasLostResult: true });
    },
  };
}

/**
 * Creates the sweep of captures. It removes captures that a crash may leave behind: their jobs have ended or were never
 * added. It also removes old unconfirmed jobs that two sweeps have seen: by then their process has confirmed or refused
 * them, or has died.
 */
function createDropLeftovers({ client, queues, side, discard, now }: SweepOptions) {
  const { queue } = queues.work;
  let unconfirmed: readonly string[] = [];
  const isLeft = async (id: string): Promise<boolean> => {
    const job: Job | undefined = await queue.getJob(id);
    if (job !== undefined) return job.finishedOn !== undefined;
    if (await side.isCancelled(id)) return true;
    return now() - (timeOfJobId(id) ?? 0) > GRACE_MS;
  };
  const dropCaptures = async (): Promise<void> => {
    const ids = await client.hRandFieldCount(KEYS.captures, SAMPLE);
    // Keeps the capture of a record that cannot be read, because another version may read it.
    const left = await Promise.all(ids.map((id) => isLeft(id).catch(() => false)));
    const expired = ids.filter((_, index) => left[index]);
    if (expired.length > 0) await client.hDel(KEYS.captures, expired);
  };
  return async (): Promise<void> => {
    await dropCaptures();
    const found = await client.hRandFieldCount(KEYS.prepared, SAMPLE);
    const isAbandoned = (id: string): boolean =>
      unconfirmed.includes(id) && now() - (timeOfJobId(id) ?? 0) > CONFIRM_MS;
    const abandoned = found.filter(isAbandoned);
    unconfirmed = found;
    if (abandoned.length > 0) await discard(abandoned);
  };
}
