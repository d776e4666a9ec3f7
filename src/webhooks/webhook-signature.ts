import { createHmac } from 'node:crypto';
import type { WebhookSecret } from './webhook-secret.ts';
import type { WebhookMessage } from './webhook.ts';

/**
 * The headers that Standard Webhooks 1.0 asks for. A signature for each key: while one replaces another, receivers may have either.
 * @param sentAtSeconds of this attempt, Unix: receivers refuse what is older than a few minutes.
 */
export function webhookHeaders(
  { id, body }: Pick<WebhookMessage, 'id' | 'body'>,
  { secrets, sentAtSeconds }: { readonly secrets: readonly WebhookSecret[]; readonly sentAtSeconds: number },
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const signed = `${id}.${sentAtSeconds}.${body}`;
  const signatures = secrets.map(
    ({ key }) => `v1,${createHmac('sha256', key).update(signed, 'utf8').digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': `${sentAtSeconds}`,
    'webhook-signature': signatures.join(' '),
  };
}
