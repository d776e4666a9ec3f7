import type { Logger } from '../log.ts';
import type { Storage } from '../storage/storage.ts';
import { type DeliverWebhook, retryDelayMs, type WebhookOutcome } from '../webhooks/webhook.ts';
import type { JobStore, WebhookClaim } from './job-store.ts';
import { viewOf } from './job-view.ts';

interface SendOptions {
  readonly store: JobStore;
  readonly storage: Storage;
  readonly deliver: DeliverWebhook;
  readonly log: Logger;
}

/** Makes one attempt at a webhook. Its body is the job as it ended, with links that are valid from now on. */
export function createSendWebhook({ store, storage, deliver, log }: SendOptions) {
  const attempt = async (claim: WebhookClaim, signal: AbortSignal): Promise<WebhookOutcome> => {
    const body = JSON.stringify(await viewOf(claim.job, storage, claim.job.origin));
    return await deliver({ id: `job_${claim.id}`, url: claim.url, body }, signal);
  };

  return async (claim: WebhookClaim, signal: AbortSignal): Promise<void> => {
    try {
      const outcome = await attempt(claim, signal);
      const delayMs =
        outcome.kind === 'retry' ? retryDelayMs(claim.attempts, { ...claim, ...outcome }) : undefined;
      if (delayMs !== undefined) {
        await store.retryWebhook(claim, delayMs);
        return;
      }
      await store.endWebhook(claim);
      if (outcome.kind === 'delivered') return;
      log.warn({ job: claim.id, attempts: claim.attempts, reason: outcome.reason }, 'webhook given up');
    } catch (error) {
      // Storage or store away: the lease ends by itself, and another attempt is made.
      if (!signal.aborted) log.warn({ err: error, job: claim.id }, 'a webhook could not be sent');
      else await store.retryWebhook(claim, 0).catch(() => undefined); // closing: for whoever is there next
    }
  };
}
