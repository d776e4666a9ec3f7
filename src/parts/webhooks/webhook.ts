import type { EgressRule } from '../../core/egress/rules.ts';

/** A request that is sent as it is, without a signature. */
interface PlainRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** A message to the receiver of a job. */
export interface WebhookMessage {
  /**
   * Id of the message. All attempts have the same id, so receivers can detect duplicates. It contains no dot, because a
   * dot separates it in the signed text.
   */
  readonly id: string;
  readonly url: string;
  /** Rules of the key of the job: the receiver must be within them. Undefined: the rules of the service alone apply. */
  readonly egressAllow?: readonly EgressRule[] | undefined;
  /** JSON, signed and sent unchanged; or a request without a signature. */
  readonly body: string | PlainRequest;
}

/** Result of an attempt. Reasons are for the log and the job: no resolved addresses, no secrets. */
export type WebhookOutcome =
  | { readonly kind: 'delivered' }
  /** Final failure: no later attempt can succeed. */
  | { readonly kind: 'ended'; readonly reason: string }
  /** Failure to retry. `afterMs`: the delay that the receiver requests. */
  | { readonly kind: 'retry'; readonly reason: string; readonly afterMs?: number };

/** Makes one attempt, bounded in time. Rejects only with the signal's reason. */
export type DeliverWebhook = (message: WebhookMessage, signal: AbortSignal) => Promise<WebhookOutcome>;

/** What parts that send webhooks share. */
export interface WebhookState {
  readonly deliver: DeliverWebhook;
}
