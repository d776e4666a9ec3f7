import { collectDefaultMetrics, Counter, Histogram, Registry } from '@prometheus-io/client';
import type { FormatName } from '../capture/formats/index.ts';
import { PHASES, type Phase } from '../steps/common/stopwatch.ts';
import type { ErrorType } from '../errors.ts';
import type { StorageOperation } from '../storage/try-thrice.ts';
import type { WebhookOutcome } from '../webhooks/webhook.ts';
import { addJobMetrics, type JobMetrics } from './job-metrics.ts';
import { PREFIX } from './prefix.ts';
import { addStateGauges, type StateSource } from './state-gauges.ts';

// A plain page takes tenths of a second, a slow one all of its time.
const PHASE_BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 90];
const REQUEST_BUCKETS = [0.001, ...PHASE_BUCKETS];
/** Of the library's own, those whose names `promtool check metrics` refuses: gauges that end as counters, types in names. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_utilization_summary',
  'nodejs_eventloop_utilization_histogram',
];

/** A request that is over. Each field that becomes a label has a closed set of values: what clients send makes no new series. */
export interface FinishedRequest {
  /** As its row of the routes names it; `other` for all paths that there are not. */
  readonly route: string;
  readonly status: number;
  /** Undefined: no error. */
  readonly errorType: ErrorType | undefined;
  /** How it was let in; undefined: not yet. */
  readonly routeClass: 'capture' | 'signed' | undefined;
  /** What the cache did for it; undefined: there was no capture to send. */
  readonly cache: 'HIT' | 'MISS' | 'BYPASS' | undefined;
  readonly seconds: number;
}

/** A capture that is over: made by the browser, not taken from the cache. */
interface FinishedCapture {
  readonly format: FormatName;
  readonly outcome: 'success' | 'cancelled' | ErrorType;
  /** Milliseconds; undefined for one that failed. */
  readonly timings: Readonly<Record<Phase, number>> | undefined;
  readonly blockedRequests: number;
  readonly filteredRequests: number;
}

export interface Metrics extends JobMetrics {
  readonly recordStorage: (operation: StorageOperation) => void;
  /** An attempt at a webhook, by how it ended. */
  readonly recordWebhook: (outcome: WebhookOutcome['kind']) => void;
  readonly recordRequest: (request: FinishedRequest) => void;
  readonly recordCapture: (capture: FinishedCapture) => void;
  /** In the text format of Prometheus. */
  readonly render: () => Promise<string>;
  readonly contentType: string;
}

/** Counts what happens, and asks what there is when it is read. */
export function createMetrics(source: StateSource): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  addStateGauges(registry, source);

  const requests = new Counter({
    name: `${PREFIX}requests_total`,
    help: 'Requests by route, status and error type; status 499 when the client went away',
    labelNames: ['route', 'status', 'error_type'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: `${PREFIX}request_duration_seconds`,
    help: 'From the first line of a request to the end of its answer',
    labelNames: ['route'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const cacheAnswers = new Counter({
    name: `${PREFIX}cache_answers_total`,
    help: 'Captures sent, by what the cache did: hit, miss (captured, or waited for), bypass (cache_ttl 0)',
    labelNames: ['result'],
    registers,
  });
  const rateLimited = new Counter({
    name: `${PREFIX}rate_limited_total`,
    help: 'Requests refused by the rate limit, by its class',
    labelNames: ['class'],
    registers,
  });
  const captures = new Counter({
    name: `${PREFIX}captures_total`,
    help: 'Captures made, by format and outcome: success, cancelled (all clients went away) or an error type',
    labelNames: ['format', 'outcome'],
    registers,
  });
  const queueSeconds = new Histogram({
    name: `${PREFIX}queue_wait_seconds`,
    help: 'Time until a capture had its page',
    buckets: PHASE_BUCKETS,
    registers,
  });
  const phaseSeconds = new Histogram({
    name: `${PREFIX}phase_duration_seconds`,
    help: 'Time of a capture in each of its phases',
    labelNames: ['phase'],
    buckets: PHASE_BUCKETS,
    registers,
  });
  const blocked = new Counter({
    name: `${PREFIX}blocked_requests_total`,
    help: 'Connections of captured pages that the egress rules refused',
    registers,
  });
  const filtered = new Counter({
    name: `${PREFIX}filtered_requests_total`,
    help: 'Requests of captured pages that fields such as block_ads kept away',
    registers,
  });

  const stored = new Counter({
    name: `${PREFIX}storage_operations_total`,
    help: 'Calls of the storage (put, get, delete) by outcome: success, missing (nothing to get) or failure, tries together',
    labelNames: ['operation', 'outcome'],
    registers,
  });
  const storedBytes = new Counter({
    name: `${PREFIX}storage_bytes_total`,
    help: 'Bytes that were put into the storage, or begun to be read from it',
    labelNames: ['operation'],
    registers,
  });

  const webhooks = new Counter({
    name: `${PREFIX}webhook_attempts_total`,
    help: 'Attempts at webhooks by outcome: delivered, retry (tried again later) or ended (given up)',
    labelNames: ['outcome'],
    registers,
  });

  return {
    ...addJobMetrics(registry),
    recordWebhook: (outcome) => {
      webhooks.inc({ outcome });
    },
    recordStorage: ({ operation, outcome, bytes }) => {
      stored.inc({ operation, outcome });
      if (bytes > 0) storedBytes.inc({ operation }, bytes);
    },
    recordRequest: ({ route, status, errorType, routeClass, cache, seconds }) => {
      requests.inc({ route, status, error_type: errorType ?? 'none' });
      requestSeconds.observe({ route }, seconds);
      if (cache !== undefined) cacheAnswers.inc({ result: cache.toLowerCase() });
      // Who was not let in, or signs, draws from the bucket of captures.
      if (errorType === 'RateLimitError') rateLimited.inc({ class: routeClass ?? 'capture' });
    },
    recordCapture: ({ format, outcome, timings, blockedRequests, filteredRequests }) => {
      captures.inc({ format, outcome });
      blocked.inc(blockedRequests);
      filtered.inc(filteredRequests);
      if (timings === undefined) return;
      for (const phase of PHASES) {
        const seconds = timings[phase] / 1_000;
        if (phase === 'queue') queueSeconds.observe(seconds);
        else phaseSeconds.observe({ phase }, seconds);
      }
    },
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
