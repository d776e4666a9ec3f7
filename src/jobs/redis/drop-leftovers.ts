import type { Job, Queue } from 'bullmq';
import { timeOfJobId } from '../job-id.ts';
import type { JobRedis } from './connect.ts';
import { KEYS } from './keys.ts';
import type { SideRecords } from './side-records.ts';

/** Looked at in one go. Taken by chance: of those that are left when all jobs have ended, all are, and soon. */
const SAMPLE = 100;

/** For instances of earlier versions, which write a capture before its job. */
const GRACE_MS = 60_000;

interface LeftoverOptions {
  readonly client: JobRedis;
  readonly queue: Queue;
  readonly side: SideRecords;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * Drops what some jobs were to capture that have ended, or were never added: it stands beside them, and a crash between the two steps
 * leaves it behind, with the secrets in it.
 */
export async function dropLeftovers({ client, queue, side, now }: LeftoverOptions): Promise<void> {
  const isLeft = async (id: string): Promise<boolean> => {
    const job: Job | undefined = await queue.getJob(id);
    if (job !== undefined) return job.finishedOn !== undefined;
    if (await side.isCancelled(id)) return true;
    return now() - (timeOfJobId(id) ?? 0) > GRACE_MS;
  };
  const ids = await client.hRandFieldCount(KEYS.captures, SAMPLE);
  // The capture of a record that cannot be read stays: another version may read it.
  const left = await Promise.all(ids.map((id) => isLeft(id).catch(() => false)));
  const gone = ids.filter((_, index) => left[index]);
  if (gone.length > 0) await client.hDel(KEYS.captures, gone);
}
