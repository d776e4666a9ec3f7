import type { ConnectionOptions, FlowJob, Job } from 'bullmq';
import type { Leases } from '../job-store.ts';
import type { NewJob } from '../job.ts';
import { PREFIX } from './connect.ts';
import { WEBHOOK_QUEUE, WORK_QUEUE } from './keys.ts';
import type { WorkData } from './records.ts';

// Attempts and pauses are the worker's: how often a job was given up with its process is looked at when it is claimed.
const EVERY_STALL = Number.MAX_SAFE_INTEGER;
/** Of the streams of events, which nobody here reads. */
const MAX_EVENTS = 100;

interface QueueOptions {
  readonly connection: ConnectionOptions;
  readonly leases: Leases;
  readonly onError: (error: Error) => void;
}

type ClaimNext = (token: string) => Promise<Job | undefined>;

/** The queues of BullMQ, which hands out jobs, takes back those whose lease is over and lets a webhook wait for its job. */
export async function openQueues({ connection, leases, onError }: QueueOptions) {
  const { FlowProducer, Queue, UnrecoverableError, Worker } = await import('bullmq'); // 100 ms and 6 MB, for those who have jobs in Redis
  const shared = { connection, prefix: PREFIX };
  const open = (name: string, leaseMs: number) => {
    const queue = new Queue(name, { ...shared, streams: { events: { maxLen: MAX_EVENTS } } });
    const worker = new Worker(name, null, {
      ...shared,
      autorun: false,
      lockDuration: leaseMs,
      stalledInterval: leaseMs / 2,
      maxStalledCount: EVERY_STALL,
    });
    queue.on('error', onError);
    worker.on('error', onError);
    void worker.startStalledCheckTimer().catch(onError);
    const claimNext: ClaimNext = (token) => worker.getNextJob(token, { block: false });
    return { queue, worker, claimNext };
  };
  const work = open(WORK_QUEUE, leases.jobMs);
  const webhooks = open(WEBHOOK_QUEUE, leases.webhookMs);
  const flows = new FlowProducer(shared);
  flows.on('error', onError);

  return {
    work: { queue: work.queue, claimNext: work.claimNext },
    webhooks: { queue: webhooks.queue, claimNext: webhooks.claimNext },
    /** In one transaction: all or none. What is there already is left as it is. */
    add: async (jobs: readonly NewJob[]): Promise<void> => {
      await flows.addBulk(jobs.map(toFlow));
    },
    failure: (text: string): Error => new UnrecoverableError(text),
    close: async (): Promise<void> => {
      const parts = [work.worker, webhooks.worker, work.queue, webhooks.queue, flows];
      await Promise.allSettled(parts.map((part) => part.close()));
    },
  };
}

/** A webhook is the parent of its job: BullMQ lets it go when the job has ended, in the step that ends the job. */
function toFlow({ id, origin, storePath, webhookUrl }: NewJob): FlowJob {
  const data: WorkData = { origin, storePath, webhookUrl };
  const work: FlowJob = { name: 'capture', queueName: WORK_QUEUE, data, opts: { jobId: id } };
  if (webhookUrl === undefined) return work;
  return {
    name: 'webhook',
    queueName: WEBHOOK_QUEUE,
    data: { id, url: webhookUrl },
    opts: { jobId: id, removeOnComplete: true },
    children: [{ ...work, opts: { ...work.opts, ignoreDependencyOnFailure: true } }],
  };
}
