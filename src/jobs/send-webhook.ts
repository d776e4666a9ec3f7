import type { Logger } from '../log.ts';
import type { Storage } from '../storage/storage.ts';
import { type DeliverWebhook, retryDelayMs, type WebhookOutcome } from '../webhooks/webhook.ts';
import type { JobStore, WebhookClaim } from './job-store.ts';
import { viewOf } from './job-view.ts';

interface SendOptions {
  readonly store: JobStore;
  readonly storage: Storage;
  readonly deliver: DeliverWebhook;
  readonly onAttempt: (outcome: WebhookOutcome['kind']) => void;
  readonly log: Logger;
}

/** Makes one attempt at a webhook: its body is the job, with links that are good from now on. */
export function createSendWebhook({ store, storage, deliver, onAttempt, log }: SendOptions) {
  const attempt = async (claim: WebhookClaim, signal: AbortSignal): Promise<WebhookOutcome> => {
    const job = await store.get(claim.id);
    if (job === undefined) return { kind: 'ended', reason: 'the job is no longer kept' };
    const body = JSON.stringify(await viewOf(job, storage, job.origin));
    return await deliver({ id: `job_${claim.id}`, url: claim.url, body }, signal);
  };

  return async (claim: WebhookClaim, signal: AbortSignal): Promise<void> => {
    try {
      const outcome = await attempt(claim, signal);
      onAttempt(outcome.kind);
      const host = URL.parse(claim.url)?.host;
      const told = { job: claim.id, host, attempts: claim.attempts };
      if (outcome.kind === 'delivered') {
        log.info(told, 'webhook delivered');
        await store.endWebhook(claim);
        return;
      }
      const delayMs = outcome.kind === 'retry' ? retryDelayMs(claim.attempts) : undefined;
      if (outcome.kind === 'ended' || delayMs === undefined) {
        log.warn({ ...told, reason: outcome.reason }, 'webhook given up');
        await store.endWebhook(claim);
        return;
      }
      log.info({ ...told, reason: outcome.reason }, 'webhook failed: it is tried again');
      await store.retryWebhook(claim, Math.max(delayMs, outcome.afterMs ?? 0));
    } catch (error) {
      // Closing, or storage or store away: the lease ends by itself, and another attempt is made.
      if (!signal.aborted) log.warn({ err: error, job: claim.id }, 'a webhook could not be sent');
    }
  };
}
