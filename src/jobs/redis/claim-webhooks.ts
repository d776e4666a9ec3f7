import { randomUUID } from 'node:crypto';
import type { Job } from 'bullmq';
import type { JobStore } from '../job-store.ts';
import type { createHeldJobs } from './bullmq/held-jobs.ts';
import type { openQueues } from './bullmq/queues.ts';
import type { JobReader } from './read-jobs.ts';
import type { SideRecords } from './side-records.ts';

interface WebhookOptions {
  readonly held: ReturnType<typeof createHeldJobs>;
  readonly webhooks: Awaited<ReturnType<typeof openQueues>>['webhooks'];
  readonly side: SideRecords;
  readonly claimNext: (token: string, skippedOwners?: readonly string[]) => Promise<Job | undefined>;
  readonly readWebhook: JobReader['readWebhook'];
  /** Unix milliseconds. */
  readonly now: () => number;
  /** The earlier one of two clocks: of this process and of Redis. */
  readonly earlierNow: () => Promise<number>;
}

type ClaimWebhooks = Pick<JobStore, 'claimWebhook' | 'endWebhook' | 'retryWebhook' | 'giveBackWebhook'>;

/** Claims of webhooks that are due. */
export function createWebhookClaims(options: WebhookOptions): ClaimWebhooks {
  const { webhooks, side, held, claimNext, readWebhook, now, earlierNow } = options;
  return {
    claimWebhook: async (skippedOwners) => {
      for (;;) {
        const token = randomUUID();
        const message = await claimNext(token, skippedOwners);
        if (message?.id === undefined) return undefined;
        const found = await readWebhook(message);
        if (found === undefined) {
          await message.moveToCompleted('', token, false); // the job of the webhook is lost or cannot be read
          continue;
        }
        const { id, url, owner, job } = found;
        held.keep(token, message);
        // A clock that jumped forward must not end the day of a webhook early.
        const ageMs = job.finishedAt === undefined ? 0 : (await earlierNow()) - job.finishedAt;
        return { id, owner, token, url, attempts: message.attemptsStarted, job, ageMs };
      }
    },
    endWebhook: async ({ token }) => {
      await held.use(token, async (job) => void (await job.moveToCompleted('', token, false)));
      held.forget(token);
    },
    retryWebhook: async ({ id, owner, token }, afterMs) => {
      await held.use(token, async (job) => {
        await job.moveToDelayed(now() + afterMs, token);
        await webhooks.order.add(owner, id, now() + afterMs);
      });
      held.forget(token);
    },
    giveBackWebhook: async ({ id, token }) => {
      await held.use(token, async (job) => {
        await side.uncountAttempt(webhooks.queue.toKey(id), token);
        await job.moveToWait(token);
      });
      held.forget(token);
    },
  };
}
