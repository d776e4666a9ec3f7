import type { Owners } from '../keys/owners.ts';
import type { Logger } from '../log.ts';
import type { Storage } from '../storage/storage.ts';
import { retryDelayMs } from '../webhooks/retry-schedule.ts';
import type { DeliverWebhook, WebhookOutcome } from '../webhooks/webhook.ts';
import type { JobStore, WebhookClaim } from './job-store.ts';
import { viewOf } from './job-view.ts';

interface SendOptions {
  readonly store: JobStore;
  readonly storage: Storage;
  readonly deliver: DeliverWebhook;
  readonly keys: Owners;
  readonly log: Logger;
}

/** Makes one attempt to send a webhook. Its body is the finished job, with new links. */
export function createSendWebhook({ store, storage, deliver, keys, log }: SendOptions) {
  const attempt = async (claim: WebhookClaim, signal: AbortSignal): Promise<WebhookOutcome> => {
    const body = JSON.stringify(await viewOf(claim.job, storage, claim.job.origin));
    const { egressAllow } = keys.byId(claim.job.owner) ?? {};
    return await deliver({ id: `job_${claim.id}`, url: claim.url, egressAllow, body }, signal);
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
      // Storage or store unreachable: the lease expires, and another attempt follows.
      if (!signal.aborted) log.warn({ err: error, job: claim.id }, 'a webhook could not be sent');
      else await store.giveBackWebhook(claim).catch(() => undefined); // shutdown: another process sends the webhook
    }
  };
}
