import { createHash } from 'node:crypto';
import { PREFIX } from './connect.ts';

/** Queues of BullMQ. */
export const WORK_QUEUE = 'work';
export const WEBHOOK_QUEUE = 'webhooks';

/** Keys beside those of BullMQ. */
export const KEYS = {
  /** Hash: captures of jobs that are not confirmed yet, by their ids. Such a job never runs. */
  prepared: `${PREFIX}:prepared`,
  /** Hash: captures of confirmed jobs that have not ended, by their ids. */
  captures: `${PREFIX}:captures`,
  /** Hash: records of cancelled jobs, by id. */
  cancelled: `${PREFIX}:cancelled`,
  /** Sorted set: ids of cancelled jobs by time of cancellation. */
  cancelledAt: `${PREFIX}:cancelled-at`,
  /** Sorted set: ids of jobs whose result the service must delete, by end time. */
  kept: `${PREFIX}:kept`,
  /** Hash: pending files by path. */
  files: `${PREFIX}:files`,
  /** Sorted set: paths of pending files by the time when their check is due. */
  fileChecks: `${PREFIX}:file-checks`,
  /** Total size in bytes of the results that the service must delete. */
  keptBytes: `${PREFIX}:kept-bytes`,
  /** Key of test writes, which show whether Redis accepts writes. */
  trial: `${PREFIX}:trial`,
} as const;

/**
 * Time for which a submission is confirmed again while Redis refuses it. Afterwards its jobs are removed, because
 * nobody will confirm them.
 */
export const CONFIRM_MS = 900_000;

/** States for which each owner has a set. `queued`: jobs that have not ended. */
export const OWNED_STATES = ['queued', 'failed', 'cancelled', 'done'] as const;
export type OwnedState = (typeof OWNED_STATES)[number];

/** Sorted set: ids of the jobs of one owner. All scores are 0, so the ids sort by creation. */
export function ownedKey(owner: string, state: OwnedState): string {
  return `${PREFIX}:owner:${owner}:${state}`;
}

/** Idempotency keys may contain any text of the length of a header. */
export function idempotencyKey(key: string): string {
  return `${PREFIX}:idempotency:${createHash('sha256').update(key).digest('base64url')}`;
}
