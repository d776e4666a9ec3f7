import { randomUUID } from 'node:crypto';
import type { JobStore } from '../job-store.ts';
import type { RedisParts } from './redis-parts.ts';

type ClaimWebhooks = Pick<JobStore, 'claimWebhook' | 'endWebhook' | 'retryWebhook' | 'giveBackWebhook'>;

/** Claims of webhooks that are due. */
export function createWebhookClaims({ queues, side, held, reader, now, earlierNow }: RedisParts): ClaimWebhooks {
  const { webhooks } = queues;
  return {
    claimWebhook: async (skippedOwners) => {
      for (;;) {
        const token = randomUUID();
        const message = await reader.claimReadable(webhooks, token, skippedOwners);
        if (message?.id === undefined) return undefined;
        const found = await reader.readWebhook(message);
        if (found === undefined) {
          await message.moveToCompleted('', token, false); // the job of the webhook is lost or cannot be read
          continue;
        }
        const { id, url, owner, job } = found;
        held.keep(token, message);
        // A clock that jumped forward must not shorten the day for which a webhook is retried.
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
