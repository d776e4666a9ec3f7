import type { Job, Queue } from 'bullmq';
import { ServiceError } from '../../../core/ground/errors.ts';
import type { JobRecord, JobState } from '../job.ts';
import { unreadableReason, type UnreadableRecord } from '../job-codec.ts';
import type { openQueues } from './bullmq/queues.ts';
import { isUnreadable, parseRecord, toRecord, webhookData } from './records.ts';
import type { SideRecords } from './side-records.ts';

type OpenQueue = Awaited<ReturnType<typeof openQueues>>['work'];

interface ReaderOptions {
  readonly queue: Queue;
  readonly side: SideRecords;
  /** Reports an unreadable record. Called at most once per record in each process. */
  readonly onUnreadable: (record: UnreadableRecord) => void;
}

/** A job of BullMQ and its state here. A cancelled job may stay in BullMQ for a while. */
interface FoundJob {
  readonly job: Job | undefined;
  readonly record: JobRecord;
}

export type JobReader = ReturnType<typeof createJobReader>;

const MAX_REPORTED = 10_000;
const UNREADABLE_RECORD =
  'The record of this job cannot be read: it is damaged, or another version of the service wrote it';

/** Reads jobs while other processes change them. */
export function createJobReader({ queue, side, onUnreadable }: ReaderOptions) {
  /**
   * Reads in this order: a job that is missing in BullMQ was cancelled before, so the record is never older than the
   * state.
   */
  const find = async (id: string): Promise<FoundJob | undefined> => {
    const state = await queue.getJobState(id);
    const job: Job | undefined = await queue.getJob(id);
    const cancelled = await side.getCancelled(id);
    if (cancelled !== undefined) return { job, record: cancelled };
    return job && { job, record: toRecord(job, stateOf(job, state)) };
  };
  const reported = new Set<string>();
  /** Reports the error of an unreadable record. @throws any other error */
  const reportUnreadable = (id: string, error: unknown): void => {
    if (!isUnreadable(error)) throw error;
    if (reported.has(id) || reported.size >= MAX_REPORTED) return;
    reported.add(id);
    onUnreadable({ id, reason: unreadableReason(error) });
  };
  /** Skips records that cannot be read, so that they don't block others. */
  const readAll = async (ids: readonly string[]): Promise<readonly JobRecord[]> => {
    const found = await Promise.all(ids.map((id) => find(id).catch((error: unknown) => reportUnreadable(id, error))));
    return found.flatMap((each) => each?.record ?? []);
  };
  /** @throws ServiceError StorageError for a record that cannot be read */
  const read = async (id: string): Promise<JobRecord | undefined> => {
    try {
      return (await find(id))?.record;
    } catch (error) {
      reportUnreadable(id, error);
      throw new ServiceError('StorageError', UNREADABLE_RECORD);
    }
  };
  /** Undefined for a webhook whose job is lost or cannot be read. */
  const readWebhook = async (message: Job) => {
    try {
      const { id, url, owner, record } = webhookData.parse(message.data);
      const job = record === undefined ? (await find(id))?.record : parseRecord(record);
      return job && { id, url, owner, job };
    } catch (error) {
      reportUnreadable(`webhook ${message.id}`, error);
      return undefined;
    }
  };
  /** Reads pages of ids until one has a readable record, so that a page of unreadable ones does not stop a sweep. */
  const readSome = async (idsFrom: (from: number) => Promise<readonly string[]>): Promise<readonly JobRecord[]> => {
    for (let from = 0; ;) {
      const ids = await idsFrom(from);
      const records = await readAll(ids);
      if (records.length > 0 || ids.length === 0) return records;
      from += ids.length;
    }
  };

  /**
   * Claims the next job whose record BullMQ can read. Unreadable jobs before it stay locked until their leases expire.
   */
  const claimReadable = async (
    { queue: claimed, claimNext }: OpenQueue,
    token: string,
    skippedOwners: readonly string[] = [],
  ): Promise<Job | undefined> => {
    for (;;) {
      try {
        return await claimNext(token, skippedOwners);
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        if (claimed === queue)
          await readAll(await queue.getRanges(['active'], 0, -1)); // reports the id of the job
        else reportUnreadable('webhook', error);
      }
    }
  };

  return {
    find,
    read,
    readAll,
    readSome,
    reportUnreadable,
    readWebhook,
    claimReadable,
  };
}

/** Uses the recorded end of a job instead of the set in which it was found. */
function stateOf({ finishedOn, failedReason }: Job, state: string): JobState {
  if (finishedOn !== undefined) return failedReason === undefined ? 'done' : 'failed';
  return state === 'active' ? 'running' : 'queued';
}
