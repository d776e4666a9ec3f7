import type { WebhookSettings } from '../webhooks/webhook-setting.ts';
import type { MetricsState } from '../metrics/metrics.ts';
import type { Part } from '../service/part.ts';
import { createDeliverWebhook } from '../webhooks/deliver-webhook.ts';
import type { WebhookState } from '../webhooks/webhook.ts';

/** Tells clients of results, through the egress rules. */
export const WEBHOOKS: Part<MetricsState & { readonly config: WebhookSettings }, WebhookState> = {
  open: ({ config, log, metrics, openDestinations, reach }) => {
    const deliver = createDeliverWebhook({
      secrets: config.webhookSecret,
      openDestinations,
      reach,
      log,
      record: metrics.recordWebhook,
    });
    return { state: { deliver } };
  },
};
