import type { WebhookSettings } from './webhook-setting.ts';
import type { MetricsState } from '../metrics/metrics.ts';
import type { Part } from '../../core/part.ts';
import { createDeliverWebhook } from './deliver-webhook.ts';
import type { WebhookState } from './webhook.ts';

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
