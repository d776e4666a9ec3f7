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

/** Makes one attempt at a webhook: its body is the job, with links that are good from now on. */
export function createSendWebhook({ store, storage, deliver, log }: SendOptions) {
  const attempt = async (claim: WebhookClaim, signal: AbortSignal): Promise<WebhookOutcome> => {
    const job = await store.get(claim.id);
    if (job === undefined) return { kind: 'ended', reason: 'the job is no longer kept' };
    const body = JSON.stringify(await viewOf(job, storage, job.origin));
    return await deliver({ id: `job_${claim.id}`, url: claim.url, body }, signal);
  };

  return async (claim: WebhookClaim, signal: AbortSignal): Promise<void> => {
    try {
      const outcome = await attempt(claim, signal);
      const delayMs = outcome.kind === 'retry' ? retryDelayMs(claim.attempts) : undefined;
      if (outcome.kind === 'retry' && delayMs !== undefined) {
        await store.retryWebhook(claim, Math.max(delayMs, outcome.afterMs ?? 0));
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
