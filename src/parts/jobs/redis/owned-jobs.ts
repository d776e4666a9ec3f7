import type { Job } from 'bullmq';
import { DEFAULT_KEY } from '../../../core/access/key.ts';
import type { NewJob } from '../job.ts';
import type { JobRedis } from './connect.ts';
import { OWNED_STATES, type OwnedState, ownedKey } from './redis-keys.ts';
import { workData } from './records.ts';

type Transaction = ReturnType<JobRedis['multi']>;
export type OwnedJobs = ReturnType<typeof createOwnedJobs>;

/**
 * Sets of the jobs of each key, for its lists. A job enters the set of a state before it enters the state, and leaves a
 * set after it has left the state. So a set never lacks a job after a crash, and the list skips jobs of another state.
 * Jobs of `default` are in no set, because `default` lists all jobs.
 */
export function createOwnedJobs(client: JobRedis) {
  return {
    /** Ends a job in BullMQ by `move`, and moves the job to another set. */
    end: async (job: Job, state: OwnedState, move: () => Promise<unknown>): Promise<void> => {
      const { data } = workData.safeParse(job.data); // an unreadable job is in no list
      const id = job.id ?? '';
      if (data === undefined || data.owner === DEFAULT_KEY) {
        await move();
        return;
      }
      await client.zAdd(ownedKey(data.owner, state), { score: 0, value: id });
      await move();
      await client.zRem(ownedKey(data.owner, 'queued'), id);
    },
    forget: async (owner: string, id: string): Promise<void> => {
      if (owner === DEFAULT_KEY) return;
      await Promise.all(OWNED_STATES.map((state) => client.zRem(ownedKey(owner, state), id)));
    },
  };
}

/** Adds new jobs to the sets of their owners, in the transaction that creates the jobs. */
export function addOwned(transaction: Transaction, jobs: readonly NewJob[]): void {
  for (const { id, owner = DEFAULT_KEY } of jobs) {
    if (owner !== DEFAULT_KEY) transaction.zAdd(ownedKey(owner, 'queued'), { score: 0, value: id });
  }
}
