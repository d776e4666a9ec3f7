const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** A webhook is given up after this. */
const DAY_MS = 24 * HOUR_MS;

/** Delays that Standard Webhooks 1.0 recommends, up to a day in total. */
const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  6 * HOUR_MS,
];
/** Random share of each delay, so that messages that failed together are not retried together. */
const JITTER = 0.1;

export interface WebhookMessage {
  /** The same for every attempt, so receivers can detect duplicates. Without a dot, which separates it in the signed text. */
  readonly id: string;
  readonly url: string;
  /** JSON, signed and sent unchanged. */
  readonly body: string;
}

/** Result of an attempt. Reasons are for the log and the job: no resolved addresses, no secrets. */
export type WebhookOutcome =
  | { readonly kind: 'delivered' }
  /** No later attempt can succeed. */
  | { readonly kind: 'ended'; readonly reason: string }
  /** `afterMs`: the delay that the receiver requests. */
  | { readonly kind: 'retry'; readonly reason: string; readonly afterMs?: number };

/** Makes one attempt, bounded in time. Rejects only with the signal's reason. */
export type DeliverWebhook = (message: WebhookMessage, signal: AbortSignal) => Promise<WebhookOutcome>;

interface RetryFacts {
  /** Milliseconds since the first attempt was due. */
  readonly ageMs: number;
  /** The delay that the receiver requests. */
  readonly afterMs?: number | undefined;
}

/** Milliseconds until the next attempt, after this number of failed ones (from 1). Undefined: give up, because a day has passed. */
export function retryDelayMs(attempt: number, { ageMs, afterMs = 0 }: RetryFacts): number | undefined {
  const delayMs = DELAYS_MS[attempt - 1];
  const leftMs = DAY_MS - ageMs;
  if (delayMs === undefined || leftMs <= 0) return undefined;
  const jittered = Math.round(delayMs * (1 - JITTER * Math.random()));
  return Math.min(Math.max(jittered, afterMs), leftMs);
}
