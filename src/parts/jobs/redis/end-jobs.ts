import { randomUUID } from 'node:crypto';
import type { Job } from 'bullmq';
import { isFinished, sweepableBytes } from '../job.ts';
import type { JobStore } from '../job-store.ts';
import { KEYS } from './redis-keys.ts';
import { webhookData } from './records.ts';
import type { RedisParts } from './redis-parts.ts';

/** Failure reason that BullMQ requires. The job is removed there at once. */
const CANCELLED = 'cancelled';

/** Cancels jobs. BullMQ can't do that, so the cancellation is stored beside it, and the job is then ended in BullMQ. */
export function createCancelling({ client, queues, side, room, reader, leases, now }: RedisParts) {
  const { queue, order } = queues.work;
  /** Ends a cancelled job in BullMQ, which releases its webhook. The token is that of its lock. */
  const drop = async (job: Job, token: string): Promise<void> => {
    await job.moveToFailed(queues.failure(CANCELLED), token);
    await job.remove({ removeChildren: false });
    await queues.addWebhookOf(job);
  };
  const hasEndedItself = async (id: string): Promise<boolean> => {
    const job: Job | undefined = await queue.getJob(id);
    return job?.finishedOn !== undefined && job.failedReason !== CANCELLED;
  };
  /** See `JobStore.cancel`. */
  const cancel = async (id: string): Promise<boolean> => {
    const { job, record } = (await reader.find(id)) ?? {};
    if (job === undefined || record === undefined || isFinished(record)) return false;
    if (!(await side.putCancelled(record, now()))) return false;
    // Removes the lock of a running job. Its worker can't finish it any more, and detects that with the next heartbeat.
    const token = randomUUID();
    const taken = await client.set(`${queue.toKey(id)}:lock`, token, {
      condition: 'XX',
      expiration: { type: 'PX', value: leases.jobMs },
    });
    if (taken !== null) {
      await drop(job, token);
      return true;
    }
    if (await hasEndedItself(id)) {
      await side.forgetCancelled(id);
      return false;
    }
    // A job that is being claimed is locked. Its worker drops it.
    await job.remove({ removeChildren: false }).catch(() => undefined);
    await order.remove(record.owner, id);
    await queues.addWebhookOf(job);
    room.forget();
    return true;
  };
  return { cancel, drop };
}

/** Removes finished jobs, and jobs whose submission was refused. */
export function createRemoval(
  { client, queues, side, owned, reader }: RedisParts,
  cancel: JobStore['cancel'],
): Pick<JobStore, 'remove' | 'withdraw'> {
  const { work, webhooks } = queues;
  const remove: JobStore['remove'] = async (id, webhook) => {
    const record = await reader.read(id);
    if (record === undefined || !isFinished(record)) return;
    await side.forgetResult(id, sweepableBytes(record.result));
    await owned.forget(record.owner, id);
    const message: Job | undefined = await webhooks.queue.getJob(id);
    if (webhook === 'drop') {
      // A webhook that is being sent is locked. Its sender ends it.
      await message?.remove({ removeChildren: false }).catch(() => undefined);
    } else if (message !== undefined) {
      const kept = { ...webhookData.parse(message.data), record: JSON.stringify(record) };
      await message.updateData(kept).catch(async (error: unknown) => {
        if ((await webhooks.queue.getJob(id)) !== undefined) throw error; // otherwise the webhook was sent meanwhile
      });
    }
    await (await work.queue.getJob(id))?.remove({ removeChildren: false });
    await side.forgetCancelled(id);
  };
  const withdraw: JobStore['withdraw'] = async (ids) => {
    await client.hDel(KEYS.captures, [...ids]);
    for (const id of ids) {
      await webhooks.queue.remove(id, { removeChildren: false });
      await cancel(id);
      await remove(id, 'drop');
    }
  };
  return { remove, withdraw };
}
