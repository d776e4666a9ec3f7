import { buffer } from 'node:stream/consumers';
import { ServiceError } from '../../core/ground/errors.ts';
import { answerKind } from '../../core/capture/answer.ts';
import { deliveryHeaders } from '../../core/capture/request/delivery.ts';
import { isOwnerValid, type Owners } from '../../core/access/owners.ts';
import type { Logger } from '../../core/ground/log.ts';
import type { MemoryBudget } from '../../core/ground/memory-budget.ts';
import type { Storage } from '../storage/storage.ts';
import { errorMessage, fileMessage, readFileWebhook } from '../webhooks/file-webhook.ts';
import type { DeliverWebhook, WebhookMessage, WebhookOutcome } from '../webhooks/webhook.ts';
import type { JobError } from './job.ts';
import type { JobStore, WebhookClaim } from './job-store.ts';
import type { Tracer } from '../../core/ground/tracer.ts';
import { causeOf } from './cause-of.ts';
import { type JobView, viewOf } from './job-view.ts';
import { openResult } from './open-result.ts';
import { isRun, type WatchRuns } from './watch-runs.ts';

const GONE: JobError = { type: 'JobExpiredError', message: 'The result of this job has expired' };

interface SendOptions {
  readonly store: JobStore;
  readonly storage: Storage;
  readonly deliver: DeliverWebhook;
  readonly keys: Owners;
  /** Memory for files that are sent. */
  readonly memory: Pick<MemoryBudget, 'take' | 'give'>;
  /** Undefined: the service has no watches. */
  readonly watchRuns?: () => WatchRuns | undefined;
  readonly tracer?: Tracer | undefined;
  readonly log: Logger;
}

/** Makes one attempt to send a webhook. */
export function createSendWebhook(options: SendOptions) {
  const { store, deliver, keys, memory, tracer, log } = options;
  const messageOf = createMessageOf(options);
  const attempt = async (claim: WebhookClaim, signal: AbortSignal): Promise<WebhookOutcome> => {
    const { owner } = claim.job;
    // Without its key, the rules of the service would apply alone, which may be wider.
    if (!isOwnerValid(keys, owner)) return { kind: 'ended', reason: 'the key of the job has ended' };
    const { egressAllow } = keys.byId(owner) ?? {};
    const found = await messageOf(claim);
    if (found === undefined) return { kind: 'delivered' }; // a run of a watch of which nobody is to be told
    const { held = 0, ...message } = found;
    try {
      return await deliver({ id: `job_${claim.id}`, egressAllow, ...message }, signal);
    } finally {
      memory.give(held, owner);
    }
  };

  return async (claim: WebhookClaim, signal: AbortSignal): Promise<void> => {
    const { attempts, job } = claim;
    const span = tracer?.start('webhook', { kind: 'producer', ...causeOf({ attempts, traceparent: job.traceparent }) });
    let kind: WebhookOutcome['kind'] | undefined;
    try {
      const outcome = await attempt(claim, signal).catch(asRetry);
      ({ kind } = outcome);
      const delayMs = outcome.kind === 'retry' ? retryDelayMs(claim.attempts, { ...claim, ...outcome }) : undefined;
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
    } finally {
      span?.end({
        attributes: { 'capture.job': claim.id, 'capture.attempt': attempts, 'capture.key': claim.owner },
        error: kind === 'delivered' ? undefined : 'WebhookError',
      });
    }
  };
}

/** No memory, or a file that can't be read or has other bytes: a later attempt may succeed. */
function asRetry(error: unknown): WebhookOutcome {
  if (error instanceof ServiceError) return { kind: 'retry', reason: error.details ?? error.message };
  throw error;
}

interface Message extends Pick<WebhookMessage, 'url' | 'body'> {
  /** Reserved bytes of memory. */
  readonly held?: number;
}

/** The finished job with new links; or its file or error, for clients that want these. */
function createMessageOf({ storage, memory, watchRuns }: Pick<SendOptions, 'storage' | 'memory' | 'watchRuns'>) {
  return async ({ job, url }: WebhookClaim): Promise<Message | undefined> => {
    if (isRun(job)) {
      const run = await watchRuns?.()?.messageOf(job);
      return run && { url, body: JSON.stringify(run) };
    }
    const webhook = readFileWebhook(url);
    if (webhook === undefined) {
      const view: JobView = { ...(await viewOf(job, storage, job.origin)), url: job.pageUrl };
      return { url, body: JSON.stringify(view) };
    }
    const { result, error = GONE, owner } = job;
    const held = result?.bytes ?? 0;
    if (!memory.take(held, owner)) throw new ServiceError('OverloadedError', 'There is no memory for the file');
    try {
      const file = result && (await openResult(result, storage));
      if (result === undefined || file === undefined) {
        memory.give(held, owner);
        return errorMessage(webhook, error);
      }
      const kind = answerKind({ ...result, ...result.delivery });
      const headers = { 'Content-Type': result.contentType, ...deliveryHeaders(result.delivery, kind) };
      return { ...fileMessage(webhook, await buffer(file.body), headers), held };
    } catch (problem) {
      memory.give(held, owner);
      throw problem;
    }
  };
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Time after which a webhook is given up. */
const DAY_MS = 24 * HOUR_MS;

/** Delays that Standard Webhooks 1.0 recommends, up to a day in total. */
const DELAYS_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS];
const LAST_DELAY_MS = 6 * HOUR_MS;
/** Random share of each delay, so that messages that failed together are not retried together. */
const JITTER = 0.1;

interface RetryFacts {
  /** Milliseconds since the first attempt was due. */
  readonly ageMs: number;
  /** The delay that the receiver requests. */
  readonly afterMs?: number | undefined;
}

/**
 * Returns the milliseconds until the next attempt, after this number of failed attempts (from 1). Undefined after a
 * day: give up. Only the time counts, because crashes of the service use up attempts, too.
 */
export function retryDelayMs(attempt: number, { ageMs, afterMs = 0 }: RetryFacts): number | undefined {
  const delayMs = DELAYS_MS[attempt - 1] ?? LAST_DELAY_MS;
  const leftMs = DAY_MS - ageMs;
  if (leftMs <= 0) return undefined;
  const jittered = Math.round(delayMs * (1 - JITTER * Math.random()));
  return Math.min(Math.max(jittered, afterMs), leftMs);
}
