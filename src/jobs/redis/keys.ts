import { createHash } from 'node:crypto';
import { PREFIX } from './connect.ts';

/** BullMQ's queues. */
export const WORK_QUEUE = 'work';
export const WEBHOOK_QUEUE = 'webhooks';

/** What stands beside BullMQ's own. */
export const KEYS = {
  /** Hash: captures of jobs that are not confirmed yet, by their ids. Such a job never runs. */
  prepared: `${PREFIX}:prepared`,
  /** Hash: captures of confirmed jobs that have not ended, by their ids. */
  captures: `${PREFIX}:captures`,
  /** Hash: the records of cancelled jobs, by their ids. */
  cancelled: `${PREFIX}:cancelled`,
  /** Sorted set: their ids by when they were cancelled. */
  cancelledAt: `${PREFIX}:cancelled-at`,
  /** Sorted set: ids of jobs whose result is ours to delete, by when they ended. */
  kept: `${PREFIX}:kept`,
  /** Hash: pending files, by their paths. */
  files: `${PREFIX}:files`,
  /** Sorted set: their paths by when their check is due. */
  fileChecks: `${PREFIX}:file-checks`,
  /** How many bytes those results have together. */
  keptBytes: `${PREFIX}:kept-bytes`,
  /** Written to see whether Redis takes writes. */
  trial: `${PREFIX}:trial`,
} as const;

/** A client's key may be anything, and as long as a header. */
export function idempotencyKey(key: string): string {
  return `${PREFIX}:idempotency:${createHash('sha256').update(key).digest('base64url')}`;
}
