import { createHmac } from 'node:crypto';
import type { WebhookSecret } from './webhook-secret.ts';
import type { WebhookMessage } from './webhook.ts';

/**
 * Returns the headers of Standard Webhooks 1.0, with one signature per secret: during a rotation, receivers may have either.
 * @param sentAtSeconds Unix time of this attempt: receivers refuse old messages
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
