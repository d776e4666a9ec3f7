import type { UnreadableRecord } from '../job-codec.ts';
import { createWorkListeners, type JobStore, type Leases, submittedJobs } from '../job-store.ts';
import { createCancelling, createRemoval } from './end-jobs.ts';
import { createHeldJobs } from './bullmq/held-jobs.ts';
import { createJobClaims } from './claim-jobs.ts';
import { createWebhookClaims } from './claim-webhooks.ts';
import type { JobRedis } from './connect.ts';
import { createPendingFiles } from './pending-files.ts';
import { openQueues } from './bullmq/queues.ts';
import { createJobList } from './list-jobs.ts';
import { createOwnedJobs } from './owned-jobs.ts';
import { type QueueLimits, UNLIMITED } from '../queue-limit.ts';
import { createQueueRoom } from './queue-room.ts';
import { createJobReader } from './read-jobs.ts';
import { createRedisMemory } from './redis-memory.ts';
import type { RedisParts } from './redis-parts.ts';
import { createSideRecords } from './side-records.ts';
import { createSubmit } from './submit-jobs.ts';
import { createSweep } from './sweep-jobs.ts';

const KEPT_MS = 60_000;

interface StoreOptions {
  /** Client that is destroyed with the store. */
  readonly client: JobRedis;
  readonly leases: Leases;
  /** Default: none. */
  readonly queueLimits?: QueueLimits | undefined;
  readonly onError: (error: Error) => void;
  readonly onUnreadable?: (record: UnreadableRecord) => void;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Time for which finished jobs are kept although memory is tight, so that clients can fetch their results. */
  readonly keptMs?: number;
}

/**
 * Creates the store of jobs in a Redis that `open-redis-jobs.ts` has connected. Several instances share it. BullMQ
 * manages the queue.
 */
export async function createRedisStore(options: StoreOptions): Promise<JobStore> {
  const { client, leases, onError, onUnreadable = () => undefined, now = Date.now, keptMs = KEPT_MS } = options;
  const queues = await openQueues({ client, leases, onError, now });
  const { work, webhooks } = queues;
  const side = createSideRecords(client, onUnreadable);
  const { checkFilesNow, ...files } = createPendingFiles({ client, now, onUnreadable });
  const { onWork, notifyWork: notify } = createWorkListeners();
  const reader = createJobReader({ queue: work.queue, side, onUnreadable });
  const parts: RedisParts = {
    client,
    queues,
    side,
    room: createQueueRoom({ client, order: work.order, limits: options.queueLimits ?? UNLIMITED }),
    memory: createRedisMemory(client),
    owned: createOwnedJobs(client),
    held: createHeldJobs(queues.lostCodes),
    reader,
    leases,
    onError,
    notify,
    now,
    earlierNow: async () => Math.min(now(), await side.redisNow()),
  };
  const { cancel, drop } = createCancelling(parts);
  const { remove, withdraw } = createRemoval(parts, cancel);
  const { submit, discard } = createSubmit(parts, withdraw);

  return {
    submit: async (jobs, idempotency) => {
      const ids = await submit(jobs, idempotency);
      notify();
      return await submittedJobs(ids, jobs, reader.read);
    },
    findSubmitted: async (idempotency) => {
      const ids = await side.findKey(idempotency);
      return ids && (await submittedJobs(ids, [], reader.read));
    },
    withdraw,
    get: reader.read,
    list: createJobList(parts),
    ...createJobClaims({ ...parts, drop, forgetFile: files.forgetFile }),
    cancel: async (id) => {
      const isCancelled = await cancel(id);
      notify();
      return isCancelled;
    },
    ...createSweep({ ...parts, discard, checkFilesNow, keptMs }),
    remove,
    ...files,
    ...createWebhookClaims(parts),
    counts: async () => {
      await side.tryWrite();
      const [jobs, messages] = await Promise.all([
        work.queue.getJobCounts('wait', 'delayed', 'active'),
        webhooks.queue.getJobCounts('wait', 'delayed', 'active'),
      ]);
      const { wait = 0, delayed = 0, active = 0 } = jobs;
      const sum = Object.values(messages).reduce((total, count) => total + count, 0);
      return { queued: wait + delayed, running: active, webhooks: sum };
    },
    onWork,
    [Symbol.asyncDispose]: async () => {
      await queues.close();
      if (client.isOpen) client.destroy();
    },
  };
}
