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
/** So much of each pause is left to chance: messages that failed together come back one by one. */
const JITTER = 0.1;

export interface WebhookMessage {
  /** The same however often it is sent: whoever gets it twice knows it by this. Without a dot, which ends it in what is signed. */
  readonly id: string;
  readonly url: string;
  /** JSON, sent and signed as it is. */
  readonly body: string;
}

/** What became of one attempt. Reasons are for the log and the job: no address that was looked up, no secret. */
export type WebhookOutcome =
  | { readonly kind: 'delivered' }
  /** Nothing that is tried later can go better. */
  | { readonly kind: 'ended'; readonly reason: string }
  /** `afterMs`: the delay that the receiver requests. */
  | { readonly kind: 'retry'; readonly reason: string; readonly afterMs?: number };

/** One attempt, bounded in time. Never rejects, but with the signal's reason when that fires. */
export type DeliverWebhook = (message: WebhookMessage, signal: AbortSignal) => Promise<WebhookOutcome>;

interface RetryFacts {
  /** Milliseconds since the first attempt was due. */
  readonly ageMs: number;
  /** The delay that the receiver requests. */
  readonly afterMs?: number | undefined;
}

/** Milliseconds until the next attempt, after so many failed ones (from 1); undefined: give up, as a day has passed. */
export function retryDelayMs(attempt: number, { ageMs, afterMs = 0 }: RetryFacts): number | undefined {
  const delayMs = DELAYS_MS[attempt - 1];
  const leftMs = DAY_MS - ageMs;
  if (delayMs === undefined || leftMs <= 0) return undefined;
  const jittered = Math.round(delayMs * (1 - JITTER * Math.random()));
  return Math.min(Math.max(jittered, afterMs), leftMs);
}
