import type { Job } from 'bullmq';

/** BullMQ error codes for a lost lock: the job or its lock is missing, another worker has the lock, or the job has another state. */
const LOST: ReadonlySet<unknown> = new Set([-1, -2, -3, -6]);

class LostClaimError extends Error {
  readonly code = -2;
}

/** Claimed jobs of this process, by the tokens of their claims. */
export function createHeldJobs() {
  const jobs = new Map<string, Job>();
  return {
    keep: (token: string, job: Job): void => {
      jobs.set(token, job);
    },
    forget: (token: string): void => {
      jobs.delete(token);
    },
    /**
     * Renews the lock.
     * @throws Error if there is no job with this token
     */
    extend: async (job: Job, token: string, leaseMs: number): Promise<void> => {
      if ((await job.extendLock(token, leaseMs)) !== 1) throw new LostClaimError('the claim has expired');
    },
    /** False if the claim is lost. */
    use: async (token: string, move: (job: Job) => Promise<boolean | void>): Promise<boolean> => {
      const job = jobs.get(token);
      if (job === undefined) return false;
      try {
        return (await move(job)) !== false;
      } catch (error) {
        if (!(error instanceof Error) || !('code' in error) || !LOST.has(error.code)) throw error;
        jobs.delete(token);
        return false;
      }
    },
  };
}
