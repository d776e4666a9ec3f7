import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import type { StorageOperation } from '../storage/with-retries.ts';
import type { WebhookOutcome } from '../webhooks/webhook.ts';
import { addCaptureMetrics, type FinishedCapture } from './capture-metrics.ts';
import { addJobMetrics, type JobMetrics } from './job-metrics.ts';
import type { FinishedRequest } from '../../core/ground/finished-request.ts';
import { addRequestMetrics } from './request-metrics.ts';
import { createSeries } from './series.ts';
import { addStateGauges, type StateSource } from './state-gauges.ts';
import { addShadowMetrics, type ShadowMetrics } from './shadow-metrics.ts';
import { addWatchMetrics, type WatchMetrics } from './watch-metrics.ts';

/**
 * Default metrics of the library whose names `promtool check metrics` refuses: gauges named like counters, types in
 * names.
 */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_utilization_summary',
  'nodejs_eventloop_utilization_histogram',
];

type ComparisonOutcome = 'equal' | 'changed' | 'failed';

export interface Metrics extends JobMetrics, ShadowMetrics, WatchMetrics {
  readonly recordStorage: (operation: StorageOperation) => void;
  /** Records an attempt to send a webhook. */
  readonly recordWebhook: (outcome: WebhookOutcome['kind']) => void;
  /** Records a comparison of two pictures. */
  readonly recordComparison: (comparison: { readonly outcome: ComparisonOutcome; readonly seconds: number }) => void;
  readonly recordRequest: (request: FinishedRequest) => void;
  readonly recordCapture: (capture: FinishedCapture) => void;
  /** Returns all metrics in the text format of Prometheus. */
  readonly render: () => Promise<string>;
  readonly contentType: string;
}

/**
 * Creates the metrics of the service. Counters are updated by the record functions; gauges read `source` when they are
 * rendered. With `metricsPerKey`, captures have the label `key`.
 */
export function createMetrics(
  source: StateSource,
  { metricsPerKey }: { readonly metricsPerKey: boolean } = { metricsPerKey: false },
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const series = createSeries(registry);
  addStateGauges(series, source);

  const recordRequest = addRequestMetrics(series);
  const recordCapture = addCaptureMetrics(series, metricsPerKey);
  const stored = series.counter(
    'storage_operations_total',
    'Storage calls (put, get, delete) by outcome: success, missing (nothing to get) or failure. Retries of one call count once',
    ['operation', 'outcome'],
  );
  const storedBytes = series.counter('storage_bytes_total', 'Bytes written to the storage, or read from it', [
    'operation',
  ]);
  const webhooks = series.counter(
    'webhook_attempts_total',
    'Attempts to send a webhook, by outcome: delivered, retry (sent again later) or ended (given up)',
    ['outcome'],
  );
  const comparisons = series.seconds(
    'comparison_seconds',
    'Time from the pictures of a comparison to its result, with the wait for others, by outcome: equal, changed or failed',
    ['outcome'],
  );

  return {
    ...addJobMetrics(series),
    ...addShadowMetrics(series),
    ...addWatchMetrics(series),
    recordComparison: ({ outcome, seconds }) => comparisons.observe({ outcome }, seconds),
    recordWebhook: (outcome) => webhooks.inc({ outcome }),
    recordStorage: ({ operation, outcome, bytes }) => {
      stored.inc({ operation, outcome });
      if (bytes > 0) storedBytes.inc({ operation }, bytes);
    },
    recordRequest,
    recordCapture,
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** What parts that show metrics share. */
export interface MetricsState {
  readonly metrics: Metrics;
}
