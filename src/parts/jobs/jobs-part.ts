import type { JobSettings } from './job-settings.ts';
import type { WebhookSettings } from '../webhooks/webhook-setting.ts';
import { createJobsOf } from './create-jobs.ts';
import type { JobsState } from './jobs.ts';
import type { MetricsState } from '../metrics/metrics.ts';
import type { Part } from '../../core/part.ts';
import type { StorageState } from '../storage/storage.ts';
import type { WebhookState } from '../webhooks/webhook.ts';

/** Captures in the background, which outlive the process. */
export const JOBS: Part<
  MetricsState & StorageState & WebhookState & { readonly config: JobSettings & WebhookSettings },
  JobsState
> = {
  open: async (core) => {
    const { budgets, config, lifecycle, recount, resultStorage: storage } = core;
    const jobs = await createJobsOf(config, {
      ...core,
      storage,
      memory: budgets.answers,
      onLostResult: async (key, answer) => await recount('failed', key, answer),
    });
    lifecycle.onClose({ name: 'job store', timeoutMs: 2_000, close: jobs.close });
    return {
      state: { jobs },
      ports: { areJobsTaken: jobs.isAvailable, extensions: { 'x-jobs': !('missing' in jobs) } },
      start: jobs.start,
      stop: jobs.stop,
    };
  },
};
