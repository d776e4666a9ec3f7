import { randomUUID } from 'node:crypto';
import type { Job } from 'bullmq';
import { decodeFields } from '../job-codec.ts';
import type { JobError } from '../job.ts';
import type { JobClaim, JobStore } from '../job-store.ts';
import { KEYS, type OwnedState } from './redis-keys.ts';
import { ownerOfData, workData } from './records.ts';
import type { RedisParts } from './redis-parts.ts';

/** Shortest delay for a job that is not confirmed yet. It is longer than the second step of a submission takes. */
const UNCONFIRMED_DELAY_MS = 100;
const LONGEST_UNCONFIRMED_DELAY_MS = 30_000;
const MISSING: JobError = { type: 'InternalServerError', message: 'The capture fields of this job are lost' };

interface ClaimOptions extends RedisParts {
  /** Ends a cancelled job in BullMQ. */
  readonly drop: (job: Job, token: string) => Promise<void>;
  readonly forgetFile: JobStore['forgetFile'];
}

type Move = (job: Job) => Promise<unknown>;
type JobClaims = Pick<JobStore, 'claim' | 'heartbeat' | 'finish' | 'fail' | 'retry' | 'giveBack'>;

/** Claims jobs and ends their attempts. */
export function createJobClaims(options: ClaimOptions): JobClaims {
  const { client, queues, side, reader, held, leases, room, forgetFile, notify, now } = options;
  const { work, failure } = queues;

  const { delay, postpone, dropCancelled, endByMove, failMissing, ifHeld } = createMoves(options);
  const end = async ({ id, token }: JobClaim, state: OwnedState, move: Move): Promise<boolean> => {
    const isEnded = await ifHeld(token, (job) => endByMove(job, state, () => move(job)));
    held.forget(token);
    if (isEnded) await client.hDel(KEYS.captures, id);
    notify(); // a webhook may be ready
    return isEnded;
  };

  /**
   * True if an earlier try has ended the job with this result, which has the path of the attempt, but its answer was
   * lost or a later step failed. Repeats the steps after the end.
   */
  const hasEndedWith = async (id: string, result: string): Promise<boolean> => {
    const job: Job | undefined = await work.queue.getJob(id);
    if (job?.finishedOn === undefined || job.returnvalue !== result) return false;
    await queues.addWebhookOf(job);
    await client.hDel(KEYS.captures, id);
    return true;
  };

  return {
    claim: async (skippedOwners) => {
      for (;;) {
        const token = randomUUID();
        const job = await reader.claimReadable(work, token, skippedOwners);
        if (job?.id === undefined) return undefined;
        room.forget();
        const { id, attemptsStarted: attempts } = job;
        const [text, isCancelled, isUnconfirmed] = await Promise.all([
          client.hGet(KEYS.captures, id),
          side.isCancelled(id),
          client.hExists(KEYS.prepared, id),
        ]);
        if (isCancelled) await dropCancelled(job, token);
        else if (text === null && isUnconfirmed === 1) await postpone(job, token);
        else if (text === null) await failMissing(job, token);
        else {
          try {
            const { owner, isTriedOnce, watch, storePath, traceparent } = workData.parse(job.data);
            const place = { storePath, traceparent };
            const claim = { id, token, owner, attempts, capture: decodeFields(text), isTriedOnce, watch, ...place };
            held.keep(token, job);
            return claim;
          } catch (error) {
            reader.reportUnreadable(id, error);
            await failMissing(job, token);
          }
        }
      }
    },
    heartbeat: ({ token }) => ifHeld(token, (job) => held.extend(job, token, leases.jobMs)),
    finish: async (claim, result) => {
      const { id, token } = claim;
      const text = JSON.stringify(result);
      const isDone =
        (await end(claim, 'done', (job) => job.moveToCompleted(text, token, false))) || (await hasEndedWith(id, text));
      if (isDone) {
        if (result.isKept !== true) await side.keepResult(id, now(), result.bytes);
        await forgetFile(result.path);
      }
      return isDone;
    },
    fail: (claim, error) =>
      end(claim, 'failed', (job) => job.moveToFailed(failure(JSON.stringify(error)), claim.token)),
    retry: async ({ token }, error, afterMs) => {
      const isHeld = await ifHeld(token, async (job) => {
        await job.updateProgress({ error: JSON.stringify(error) });
        await delay(job, token, afterMs);
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
      notify();
    },
  };
}

/** State changes of claimed jobs in BullMQ. */
function createMoves({ queues, side, owned, held, drop, notify, now }: ClaimOptions) {
  const { work, failure } = queues;
  const delay = async (job: Job, token: string, afterMs: number): Promise<void> => {
    const dueMs = now() + afterMs;
    await job.moveToDelayed(dueMs, token);
    await work.order.add(ownerOfData(job), job.id ?? '', dueMs);
  };
  /** Leaves an unconfirmed job for a later claim. */
  const postpone = async (job: Job, token: string): Promise<void> => {
    await side.uncountAttempt(work.queue.toKey(job.id ?? ''), token);
    const ageMs = Math.min(now() - job.timestamp, LONGEST_UNCONFIRMED_DELAY_MS);
    await delay(job, token, Math.max(ageMs, UNCONFIRMED_DELAY_MS)); // grows, because the confirmation may never come
  };
  const dropCancelled = async (job: Job, token: string): Promise<void> => {
    await drop(job, token);
    notify(); // a webhook may be ready
  };
  /** Ends a job in BullMQ by `move`. */
  const endByMove = async (job: Job, state: OwnedState, move: () => Promise<unknown>): Promise<void> => {
    await owned.end(job, state, move);
    await queues.addWebhookOf(job);
  };
  const failMissing = (job: Job, token: string): Promise<void> =>
    endByMove(job, 'failed', () => job.moveToFailed(failure(JSON.stringify(MISSING)), token));
  /** False, without any effect, if the job was cancelled or another worker has claimed it. */
  const ifHeld = (token: string, move: Move): Promise<boolean> =>
    held.use(token, async (job) => {
      const isCancelled = await side.isCancelled(job.id ?? '');
      await (isCancelled ? dropCancelled(job, token) : move(job));
      return !isCancelled;
    });
  return { delay, postpone, dropCancelled, endByMove, failMissing, ifHeld };
}
