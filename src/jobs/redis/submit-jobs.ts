import type { Idempotency } from '../job-store.ts';
import type { NewJob } from '../job.ts';
import { withRetries } from '../../retries.ts';
import { type JobRedis, untilReady } from './connect.ts';
import { KEYS } from './keys.ts';
import type { openQueues } from './bullmq/queues.ts';
import type { SideRecords } from './side-records.ts';

/** Together a minute: the client has its answer by then, and jobs that have arrived are withdrawn. */
const LOOKS = 300;
const LOOK_DELAYS_MS: readonly number[] = Array.from({ length: LOOKS }, () => 200);

interface SubmitOptions {
  readonly client: JobRedis;
  readonly queues: Awaited<ReturnType<typeof openQueues>>;
  readonly side: SideRecords;
  readonly withdraw: (ids: readonly string[]) => Promise<void>;
}

/** Submissions, each of which is one transaction. A refused one leaves nothing in Redis. */
export function createSubmit({ client, queues, side, withdraw }: SubmitOptions) {
  /** Looks for jobs and captures as soon as Redis answers: it may still load its data, or go away again. */
  const lookFor = async (ids: readonly string[]) => {
    const keys = ids.map((id) => queues.work.queue.toKey(id));
    return await withRetries(
      async () => {
        await untilReady(client);
        // Not in one transaction: a full Redis refuses any. In this order, jobs that arrive in between count as found.
        const captures = await client.hmGet(KEYS.captures, [...ids]);
        return [await client.exists(keys), captures] as const;
      },
      { tries: LOOKS, isWorthIt: () => client.isOpen, delaysMs: LOOK_DELAYS_MS },
    );
  };
  /**
   * Decides about a submission that failed: the connection may have been lost after Redis had taken it. True if all jobs are
   * there; else removes what is there.
   */
  const hasArrived = async (ids: readonly string[], idempotency?: Idempotency): Promise<boolean> => {
    const [found, captures] = await lookFor(ids);
    if (found === ids.length) return true;
    if (idempotency !== undefined) await side.releaseKey(idempotency, ids);
    // Redis undoes no transaction: a command that fails in one leaves the others done.
    if (found > 0 || captures.some((text) => text !== null)) await withdraw(ids);
    return false;
  };
  const add = async (jobs: readonly NewJob[], idempotency?: Idempotency): Promise<void> => {
    const ids = jobs.map(({ id }) => id);
    // While the connection is lost, a transaction would be queued and sent later.
    if (!client.isReady) throw new Error('Redis is not connected');
    try {
      await queues.add(jobs, (transaction) => {
        if (idempotency !== undefined) side.takeKey(transaction, idempotency, ids);
      });
    } catch (error) {
      if (!(await hasArrived(ids, idempotency).catch(() => false))) throw error;
    }
  };

  /** As `JobStore.submit`. */
  return async (jobs: readonly NewJob[], idempotency?: Idempotency): Promise<readonly string[]> => {
    const own = jobs.map(({ id }) => id);
    const known = idempotency && (await side.claimKey(idempotency, own));
    const ids = known?.ids ?? own;
    if (known?.isTaken !== true) {
      await add(
        jobs.map((job, index) => ({ ...job, id: ids[index] ?? job.id })),
        idempotency,
      );
    }
    return ids;
  };
}
