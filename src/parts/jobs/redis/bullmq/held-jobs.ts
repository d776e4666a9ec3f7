import type { Job } from 'bullmq';

class LostClaimError extends Error {}

/**
 * Claimed jobs of this process, by the tokens of their claims.
 * @param lostCodes codes of BullMQ's errors for a claim that is lost
 */
export function createHeldJobs(lostCodes: ReadonlySet<unknown>) {
  const jobs = new Map<string, Job>();
  return {
    keep: (token: string, job: Job): void => void jobs.set(token, job),
    forget: (token: string): void => void jobs.delete(token),
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
        const isHeld = (await move(job)) !== false;
        if (!isHeld) jobs.delete(token); // cancelled: nobody ends it
        return isHeld;
      } catch (error) {
        if (!(error instanceof LostClaimError) && !lostCodes.has(codeOf(error))) throw error;
        jobs.delete(token);
        return false;
      }
    },
  };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
