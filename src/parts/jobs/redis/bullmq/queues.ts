import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { BackendFactory, FlowJob, Job, RedisQueueBackend } from 'bullmq';
import type { Leases } from '../../job-store.ts';
import { type NewJob, queuedJob } from '../../job.ts';
import { type JobRedis, leaveReplica, PREFIX } from '../connect.ts';
import { KEYS, WEBHOOK_QUEUE, WORK_QUEUE } from '../redis-keys.ts';
import { addOwned } from '../owned-jobs.ts';
import { ownerOfData, type WorkData } from '../records.ts';
import { DEFAULT_KEY } from '../../../../core/access/key.ts';
import { createOwnerOrder } from '../owner-order.ts';

// The worker counts attempts: a claim checks how often the process of a job has crashed.
const EVERY_STALL = Number.MAX_SAFE_INTEGER;
/** Maximum length of the event streams, which have no readers. */
const MAX_EVENTS = 100;

interface QueueOptions {
  readonly client: JobRedis;
  readonly leases: Leases;
  readonly onError: (error: Error) => void;
  /** Unix milliseconds. */
  readonly now: () => number;
}

type ClaimNext = (token: string, skippedOwners: readonly string[]) => Promise<Job | undefined>;

/**
 * Opens the queues of BullMQ. It hands out jobs, takes back those whose lease has expired, and holds a webhook until
 * its job has ended. Everything goes over the one connection: nothing here blocks it, and a reconnection restores all
 * parts at once.
 */
export async function openQueues({ client, leases, onError, now }: QueueOptions) {
  const bullmq = await import('bullmq'); // loading takes 100 ms and 6 MB, only for services with jobs in Redis
  const { createNodeRedisClient, createRedisBackend, FlowProducer, Queue, UnrecoverableError, Worker } = bullmq;
  const { JobNotExist, JobLockNotExist, JobNotInState, JobLockMismatch } = bullmq.ErrorCode;
  // Disables the version check. BullMQ makes it once, and a connection lost at that moment would disable the queue for
  // good.
  const shared = { connection: createNodeRedisClient(client), prefix: PREFIX, skipVersionCheck: true };
  const onSharedConnection: BackendFactory<RedisQueueBackend> = (name, options) => createRedisBackend(name, options);
  const open = (name: string, leaseMs: number) => {
    const queue = new Queue(name, { ...shared, streams: { events: { maxLen: MAX_EVENTS } } });
    const settings = { autorun: false, lockDuration: leaseMs, stalledInterval: leaseMs / 2 };
    const worker = new Worker(name, null, { ...shared, ...settings, maxStalledCount: EVERY_STALL }, onSharedConnection);
    queue.on('error', onError);
    worker.on('error', onError);
    void worker.startStalledCheckTimer().catch(onError);
    const order = createOwnerOrder(client, queue);
    const claimNext: ClaimNext = async (token, skippedOwners) => {
      try {
        const claim = () => worker.getNextJob(token, { block: false });
        return await order.claimNext(claim, now(), skippedOwners);
      } catch (error) {
        leaveReplica(client, error, onError);
        throw error;
      }
    };
    return { queue, worker, order, claimNext };
  };
  const work = open(WORK_QUEUE, leases.jobMs);
  const webhooks = open(WEBHOOK_QUEUE, leases.webhookMs);
  const transactions = createTransactions(client);
  const flows = new FlowProducer({ ...shared, connection: createNodeRedisClient(transactions.client) });
  flows.on('error', onError);

  return {
    work: { queue: work.queue, order: work.order, claimNext: work.claimNext },
    webhooks: { queue: webhooks.queue, order: webhooks.order, claimNext: webhooks.claimNext },
    /** Adds unconfirmed jobs with their captures in one transaction: all or none. */
    add: async (jobs: readonly NewJob[]): Promise<void> => {
      const captures = jobs.flatMap(({ id, capture }) => [id, JSON.stringify(capture)]);
      await transactions.withCommands(
        (transaction) => {
          transaction.hSet(KEYS.prepared, captures);
          addOwned(transaction, jobs);
          for (const { id, owner = DEFAULT_KEY } of jobs) work.order.addTo(transaction, owner, id, now());
        },
        () => flows.addBulk(jobs.map(toFlow)),
      );
    },
    /**
     * Records the webhook of a job that has ended. Without the record, BullMQ hands it out before those of other
     * owners.
     */
    addWebhookOf: async (job: Job): Promise<void> => {
      if (job.parentKey === undefined) return;
      await webhooks.order.add(ownerOfData(job), job.id ?? '', now()).catch(onError);
    },
    /** Restores the limit of the streams of events, which a flushed server no longer has. */
    trimEvents: async (): Promise<void> => {
      for (const { queue } of [work, webhooks]) await queue.trimEvents(MAX_EVENTS);
    },
    failure: (text: string): Error => new UnrecoverableError(text),
    /** Codes of the errors for a claim that is lost: the job or its lock is missing, or belongs to another worker. */
    lostCodes: new Set<unknown>([JobNotExist, JobLockNotExist, JobNotInState, JobLockMismatch]),
    close: async (): Promise<void> => {
      const parts = [work.worker, webhooks.worker, work.queue, webhooks.queue, flows];
      await Promise.allSettled(parts.map((part) => part.close()));
    },
  };
}

/** A webhook is the parent of its job: BullMQ releases it in the step that ends the job. */
function toFlow(job: NewJob): FlowJob {
  const { id, origin, owner, label, pageUrl, watch, isTriedOnce, storePath, traceparent, webhookUrl } = job;
  const data: WorkData = { origin, owner, label, pageUrl, watch, isTriedOnce, storePath, traceparent };
  const opts = { jobId: id, timestamp: queuedJob(job).createdAt };
  const work: FlowJob = { name: 'capture', queueName: WORK_QUEUE, data, opts };
  if (webhookUrl === undefined) return work;
  return {
    name: 'webhook',
    queueName: WEBHOOK_QUEUE,
    data: { id, url: webhookUrl, owner },
    opts: { jobId: id, removeOnComplete: true },
    children: [{ ...work, opts: { ...work.opts, ignoreDependencyOnFailure: true } }],
  };
}

type Transaction = ReturnType<JobRedis['multi']>;
type Extend = (transaction: Transaction) => void;

/**
 * Extends the transactions in which BullMQ adds jobs. BullMQ names its scripts by their hashes, and a server that was
 * restarted or flushed no longer has them: inside MULTI this fails, with no second try. Here the first use of a script
 * in a transaction carries its text (30 KB for a job with a webhook), so the transaction depends on nothing that the
 * server could have lost.
 */
function createTransactions(client: JobRedis) {
  const scripts = new Map<string, string>();
  const extension = new AsyncLocalStorage<Extend>();

  const multi = (): Transaction => {
    const transaction = client.multi();
    extension.getStore()?.(transaction);
    const { evalSha } = transaction;
    const sent = new Set<string>();
    const run: typeof evalSha = (hash, options) => {
      const text = scripts.get(String(hash));
      if (text === undefined || sent.has(text)) return evalSha.call(transaction, hash, options);
      sent.add(text);
      return transaction.eval(text, options);
    };
    return Object.assign(transaction, { evalSha: run });
  };
  const scriptLoad = async (text: string): Promise<string> => {
    const hash = createHash('sha1').update(text).digest('hex');
    scripts.set(hash, text);
    return hash;
  };

  return {
    /** The client for BullMQ, which shares the connection of the given client. */
    client: Object.assign<JobRedis, object>(Object.create(client), { multi, scriptLoad }),
    /** Runs `add`, and puts the commands of `extend` at the start of each transaction that it makes. */
    withCommands: <T>(extend: Extend, add: () => Promise<T>): Promise<T> => extension.run(extend, add),
  };
}
