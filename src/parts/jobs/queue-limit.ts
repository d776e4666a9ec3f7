import { ServiceError } from '../../core/ground/errors.ts';

/** Bound of the queue, so that no client fills the store. */
export interface QueueLimits {
  /** Maximum number of jobs that wait. */
  readonly jobs: number;
  /** Maximum size of the captures of jobs that wait. */
  readonly bytes: number;
}

export const UNLIMITED: QueueLimits = { jobs: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

/** Jobs of the queue, and those of one owner among them. */
export interface QueueUse {
  readonly jobs: number;
  readonly bytes: number;
  readonly ownJobs: number;
  readonly ownBytes: number;
}

/** Part of each limit that one owner may use, as in the queue of captures. */
const OWN_PART = 0.5;
const RETRY_AFTER_SECONDS = 10;

/**
 * Refuses jobs for which the queue has no room. One owner may use half of it.
 * @throws ServiceError OverloadedError
 */
export function checkQueueRoom(
  use: QueueUse,
  added: { readonly jobs: number; readonly bytes: number },
  limits: QueueLimits,
): void {
  /** Takes captures of any size while there are no others, because waiting would not help. */
  const refuseBytes = (used: number, limit: number, what: string): void => {
    if (used > 0) refuse(used, added.bytes, limit, what);
  };
  refuse(use.ownJobs, added.jobs, Math.ceil(limits.jobs * OWN_PART), 'waiting jobs of this key');
  refuse(use.jobs, added.jobs, limits.jobs, 'waiting jobs');
  refuseBytes(use.ownBytes, Math.ceil(limits.bytes * OWN_PART), 'bytes of waiting captures of this key');
  refuseBytes(use.bytes, limits.bytes, 'bytes of waiting captures');
}

function refuse(used: number, adding: number, limit: number, what: string): void {
  if (used + adding <= limit) return;
  throw new ServiceError('OverloadedError', 'Too many jobs are waiting', {
    details: `${what}: ${used} of at most ${limit}, and this request adds ${adding}`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
