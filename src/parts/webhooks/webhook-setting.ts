import { z } from 'zod';
import { refuse, toggle } from '../../core/config/parsers.ts';
import { type ConfigOf, setting } from '../../core/config/setting.ts';
import { parseWebhookSecret, type WebhookSecret } from './webhook-secret.ts';

/** Returns the secrets in the given order. The first one is the lasting one. */
function readWebhookSecrets(text: string, context: z.RefinementCtx): WebhookSecret[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return words.map((word) => parseWebhookSecret(word) ?? refuse(context, 'one of the secrets does not have this form'));
}

/** Settings of webhooks. */
export const WEBHOOK_SETTINGS = {
  webhookSecret: setting('WEBHOOK_SECRET', {
    form: 'whsec_ and base64 of 24 to 64 bytes; for a rotation, several separated by spaces',
    schema: z.string().transform(readWebhookSecrets),
    default: '',
    meaning: 'Secrets that sign webhooks (Standard Webhooks). Unset: webhook_url is refused',
    secret: true,
  }),
  webhookUrls: setting('WEBHOOK_URLS', {
    ...toggle(),
    default: 'false',
    meaning: 'Webhooks, and jobs for the operator, carry the address of the page as `url`, which may contain secrets',
  }),
};

export type WebhookSettings = ConfigOf<typeof WEBHOOK_SETTINGS>;
