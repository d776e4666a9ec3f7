import { randomUUID } from 'node:crypto';
import type { Job } from 'bullmq';
import { parseFields } from '../job-codec.ts';
import { isFinished, type JobError, oldestOf } from '../job.ts';
import { LONGEST_WAIT_MS, LONGEST_WEBHOOK_WAIT_MS } from '../job-limits.ts';
import type { JobStore, Leases } from '../job-store.ts';
import type { UnreadableRecord } from '../sqlite/read-rows.ts';
import type { JobRedis } from './connect.ts';
import { createCancelling } from './cancel-job.ts';
import { dropLeftovers } from './drop-leftovers.ts';
import { createWebhookClaims } from './claim-webhooks.ts';
import { createHeldJobs } from './bullmq/held-jobs.ts';
import { KEYS } from './keys.ts';
import { createPendingFiles } from './pending-files.ts';
import { promoteLate } from './promote-late.ts';
import { openQueues } from './bullmq/queues.ts';
import { createJobReader, isUnreadable } from './read-jobs.ts';
import { webhookData, workData } from './records.ts';
import { createSideRecords } from './side-records.ts';
import { createSubmit } from './submit-jobs.ts';

interface StoreOptions {
  /** Destroyed with the store. */
  readonly client: JobRedis;
  readonly leases: Leases;
  readonly onError: (error: Error) => void;
  readonly onUnreadable?: (record: UnreadableRecord) => void;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

const MISSING: JobError = { type: 'InternalServerError', message: 'The capture fields of this job are lost' };

/** Jobs in a Redis that several instances share, by BullMQ. */
export async function createRedisStore(options: StoreOptions): Promise<JobStore> {
  const { client, leases, onError, onUnreadable = () => undefined, now = Date.now } = options;
  const queues = await openQueues({ client, leases, onError });
  const { work, webhooks, failure } = queues;
  const side = createSideRecords(client, onUnreadable);
  const { checkFilesNow, ...files } = createPendingFiles(client, now);
  const held = createHeldJobs();
  const listeners = new Set<() => void>();
  const earlierNow = async (): Promise<number> => Math.min(now(), await side.redisNow());
  const tellWork = (): void => {
    for (const listener of listeners) listener();
  };

  const reader = createJobReader({ client, queue: work.queue, side, onUnreadable });
  const { find, read, readAll, readSome, reportUnreadable, list } = reader;
  const { cancel, drop } = createCancelling({
    client,
    queue: work.queue,
    side,
    find,
    failure,
    leaseMs: leases.jobMs,
    now,
  });
  const dropCancelled = async (job: Job, token: string): Promise<void> => {
    await drop(job, token);
    tellWork(); // of a webhook
  };
  /** False, and nothing is done, when the job was cancelled meanwhile or somebody else has it. */
  const ifHeld = (token: string, move: (job: Job) => Promise<unknown>): Promise<boolean> =>
    held.use(token, async (job) => {
      const isCancelled = await side.isCancelled(job.id ?? '');
      await (isCancelled ? dropCancelled(job, token) : move(job));
      return !isCancelled;
    });
  const end = async (id: string, token: string, move: (job: Job) => Promise<unknown>): Promise<boolean> => {
    const isEnded = await ifHeld(token, move);
    held.forget(token);
    if (isEnded) await client.hDel(KEYS.captures, id);
    tellWork(); // of a webhook
    return isEnded;
  };
  const remove: JobStore['remove'] = async (id, webhook) => {
    const record = await read(id);
    if (record === undefined || !isFinished(record)) return;
    await side.forgetResult(id, record.result?.bytes ?? 0);
    const message: Job | undefined = await webhooks.queue.getJob(id);
    if (webhook === 'drop') {
      // One that is being sent is locked, and its sender ends it.
      await message?.remove({ removeChildren: false }).catch(() => undefined);
    } else if (message !== undefined) {
      const kept = { ...webhookData.parse(message.data), record: JSON.stringify(record) };
      await message.updateData(kept).catch(async (error: unknown) => {
        if ((await webhooks.queue.getJob(id)) !== undefined) throw error; // else it was sent meanwhile
      });
    }
    await (await work.queue.getJob(id))?.remove({ removeChildren: false });
    await side.forgetCancelled(id);
  };
  const withdraw = async (ids: readonly string[]): Promise<void> => {
    await client.hDel(KEYS.captures, [...ids]);
    for (const id of ids) {
      await webhooks.queue.remove(id, { removeChildren: false });
      if (await cancel(id)) await remove(id, 'drop');
    }
  };
  /** Claims the next job that BullMQ itself can read. It locks the others all the same, until their leases expire. */
  const claimReadable = async (
    { queue, claimNext }: typeof work,
    token: string,
  ): Promise<Job | undefined> => {
    for (;;) {
      try {
        return await claimNext(token);
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        if (queue === work.queue)
          await readAll(await queue.getRanges(['active'])); // reports its id
        else reportUnreadable('webhook', error);
      }
    }
  };
  const submit = createSubmit({ client, queues, side, withdraw });

  return {
    submit: async (jobs, idempotency) => {
      const ids = await submit(jobs, idempotency);
      tellWork();
      return ids;
    },
    withdraw,
    get: read,
    list,
    claim: async () => {
      for (;;) {
        const token = randomUUID();
        const job = await claimReadable(work, token);
        if (job?.id === undefined) return undefined;
        const { id, attemptsStarted: attempts } = job;
        const text = await client.hGet(KEYS.captures, id);
        if (await side.isCancelled(id)) await dropCancelled(job, token);
        else if (text === null) await job.moveToFailed(failure(JSON.stringify(MISSING)), token);
        else {
          try {
            const { storePath } = workData.parse(job.data);
            const claim = { id, token, attempts, capture: parseFields(text), storePath };
            held.keep(token, job);
            return claim;
          } catch (error) {
            reportUnreadable(id, error);
            await job.moveToFailed(failure(JSON.stringify(MISSING)), token);
          }
        }
      }
    },
    heartbeat: ({ token }) => ifHeld(token, (job) => held.extend(job, token, leases.jobMs)),
    finish: async ({ id, token }, result) => {
      const isDone = await end(id, token, (job) => job.moveToCompleted(JSON.stringify(result), token, false));
      if (isDone) {
        await side.keepResult(id, now(), result.bytes);
        await files.forgetFile(result.path);
      }
      return isDone;
    },
    fail: ({ id, token }, error) =>
      end(id, token, (job) => job.moveToFailed(failure(JSON.stringify(error)), token)),
    retry: async ({ token }, error, afterMs) => {
      const isHeld = await ifHeld(token, async (job) => {
        await job.updateProgress({ error: JSON.stringify(error) });
        await job.moveToDelayed(now() + afterMs, token);
      });
      held.forget(token);
      return isHeld;
    },
    giveBack: async ({ id, token }) => {
      await ifHeld(token, async (job) => {
        await side.uncountAttempt(work.queue.toKey(id), token);
        await job.moveToWait(token);
      });
      held.forget(token);
      tellWork();
    },
    cancel: async (id) => {
      const isCancelled = await cancel(id);
      tellWork();
      return isCancelled;
    },
    findSweepable: async ({ before: ownBefore, maxBytes, limit }) => {
      // By both clocks: after one of them jumped forward, nothing is deleted before its time.
      const before = ownBefore + (await earlierNow()) - now();
      const oldest = (place: 'completed' | 'failed') =>
        readSome((from) => work.queue.getRanges([place], from, from + limit - 1, true));
      const found = await Promise.all([
        oldest('completed'),
        oldest('failed'),
        readSome((from) => side.cancelledBefore(before, from, limit)),
      ]);
      const finished = found.flat();
      const old = finished.filter(({ finishedAt = before }) => finishedAt < before).slice(0, limit);
      const over = (await side.keptBytes()) - maxBytes;
      const large = over > 0 ? oldestOf(await readSome((from) => side.oldestKept(from, limit)), over) : [];
      return { old, large };
    },
    remove,
    tidy: async () => {
      await queues.trimEvents();
      await dropLeftovers({ client, queue: work.queue, side, now });
      await checkFilesNow();
      await promoteLate({ queue: work.queue, client, now, longestMs: LONGEST_WAIT_MS });
      await promoteLate({ queue: webhooks.queue, client, now, longestMs: LONGEST_WEBHOOK_WAIT_MS });
      return false;
    },
    loseResult: async (id) => {
      const job = await work.queue.getJob(id);
      const record = await read(id);
      await side.forgetResult(id, record?.result?.bytes ?? 0);
      await job?.updateData({ ...workData.parse(job.data), hasLostResult: true });
    },
    ...files,
    ...createWebhookClaims({
      held,
      claimNext: (token) => claimReadable(webhooks, token),
      readWebhook: reader.readWebhook,
      now,
      earlierNow,
    }),
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
    onWork: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    [Symbol.asyncDispose]: async () => {
      await queues.close();
      if (client.isOpen) client.destroy();
    },
  };
}
