import { ServiceError } from '../../../core/ground/errors.ts';
import { timeOfJobId } from '../job-id.ts';
import type { JobRecord } from '../job.ts';
import type { Jobs, JobsState } from '../jobs.ts';
import { type Key, ownerOf, seesEverything } from '../../../core/access/key.ts';

interface Reader {
  /** Key of the request. */
  readonly key: Key | undefined;
  /** Unix milliseconds. */
  readonly nowMs: number;
}

/**
 * Returns the jobs of this service.
 * @throws ServiceError ValidationError if the settings allow none
 */
export function jobsOf({ jobs }: JobsState): Jobs {
  if (!('missing' in jobs)) return jobs;
  throw new ServiceError('ValidationError', 'Jobs are off', { details: jobs.missing });
}

/**
 * Returns the job with this id. A job of another key gets the same answer as an id without a job. That answer depends
 * on the id alone: the record of an expired job was deleted, and with it the owner. So an old id is JobExpiredError for
 * every key, and reveals nothing.
 * @throws ServiceError NotFoundError, or JobExpiredError if the id is older than the retention
 */
export async function findJob(jobs: Jobs, id: string, { key, nowMs }: Reader): Promise<JobRecord> {
  const madeAtMs = timeOfJobId(id);
  const job = madeAtMs === undefined ? undefined : await jobs.store.get(id);
  if (job !== undefined && (seesEverything(key) || ownerOf(key) === job.owner)) return job;
  const isOld = madeAtMs !== undefined && madeAtMs < nowMs - jobs.retentionSeconds * 1_000;
  throw isOld ? new ServiceError('JobExpiredError') : new ServiceError('NotFoundError', 'There is no job with this id');
}
