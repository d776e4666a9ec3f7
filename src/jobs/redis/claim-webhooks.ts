import { randomUUID } from 'node:crypto';
import type { Job } from 'bullmq';
import type { JobStore } from '../job-store.ts';
import type { createHeldJobs } from './bullmq/held-jobs.ts';
import type { JobReader } from './read-jobs.ts';

interface WebhookOptions {
  readonly held: ReturnType<typeof createHeldJobs>;
  readonly claimNext: (token: string) => Promise<Job | undefined>;
  readonly readWebhook: JobReader['readWebhook'];
  /** Unix milliseconds. */
  readonly now: () => number;
  /** The earlier one of two clocks: of this process and of Redis. */
  readonly earlierNow: () => Promise<number>;
}

type ClaimWebhooks = Pick<JobStore, 'claimWebhook' | 'endWebhook' | 'retryWebhook'>;

/** Claims of webhooks that are due. */
export function createWebhookClaims(options: WebhookOptions): ClaimWebhooks {
  const { held, claimNext, readWebhook, now, earlierNow } = options;
  return {
    claimWebhook: async () => {
      for (;;) {
        const token = randomUUID();
        const message = await claimNext(token);
        if (message?.id === undefined) return undefined;
        const found = await readWebhook(message);
        if (found === undefined) {
          await message.moveToCompleted('', token, false); // the job of the webhook is lost or cannot be read
          continue;
        }
        const { id, url, job } = found;
        held.keep(token, message);
        // A clock that jumped forward must not end the day of a webhook early.
        const ageMs = job.finishedAt === undefined ? 0 : (await earlierNow()) - job.finishedAt;
        return { id, token, url, attempts: message.attemptsStarted, job, ageMs };
      }
    },
    endWebhook: async ({ token }) => {
      await held.use(token, async (job) => void (await job.moveToCompleted('', token, false)));
      held.forget(token);
    },
    retryWebhook: async ({ token }, afterMs) => {
      await held.use(token, async (job) => job.moveToDelayed(now() + afterMs, token));
      held.forget(token);
    },
  };
}
