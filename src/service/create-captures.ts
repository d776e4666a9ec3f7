import { availableParallelism } from 'node:os';
import { localeByCalls } from '../browser/locale.ts';
import { createFilterLists, type FilterLists } from '../blocklists/filter-lists.ts';
import { createCache } from '../cache/redis-cache.ts';
import { type Capture, type CaptureAnswer, createCapture } from '../capture/capture.ts';
import { createParseFields, type ParseFields } from '../capture/request/request-parser.ts';
import type { Key } from '../keys/key.ts';
import { createEncodeLimit } from '../capture/formats/pictures/encode-limit.ts';
import { settingsOfCaptures } from '../config/settings.ts';
import { createJobsOf } from '../jobs/create-jobs.ts';
import { createMetrics, type Metrics } from '../metrics/metrics.ts';
import { createStorage, type OpenStorage } from '../storage/create-storage.ts';
import { createUsageOf } from '../usage/create-usage.ts';
import type { Usage } from '../usage/usage.ts';
import type { ServiceBrowser } from './create-browser.ts';
import type { ServicePool } from './create-pool.ts';
import type { ServiceContext } from './service-context.ts';
import { createDeliverWebhook } from '../webhooks/deliver-webhook.ts';
import type { DeliverWebhook } from '../webhooks/webhook.ts';
import { createRunningWork, type RunningWork, wrapCapture } from './wrap-capture.ts';

/** Captures with cache and metrics, and the stores for results and jobs. */
export interface ServiceCaptures {
  readonly capture: Capture;
  readonly parseFields: ParseFields;
  readonly running: RunningWork;
  readonly lists: FilterLists;
  readonly metrics: Metrics;
  /** Undefined without KEYS_FILE. */
  readonly usage: Usage | undefined;
  /** Undefined if the setting is missing. */
  readonly results: OpenStorage | undefined;
  readonly deliver: DeliverWebhook;
  readonly jobs: Awaited<ReturnType<typeof createJobsOf>>;
}

/** Creates filter lists, cache, storage and jobs, and the function that captures. */
export async function createCaptures(
  { config, keys, lifecycle, log, version, shutdown, templates, tracer }: ServiceContext,
  { executable, host, budgets }: ServiceBrowser,
  { pool, openDestinations, reach }: ServicePool,
  locale: string,
): Promise<ServiceCaptures> {
  const lists = createFilterLists({ paths: config.blockLists, log });
  lifecycle.onClose({ name: 'filter lists', timeoutMs: 2_000, close: lists.close });

  const cache = await createCache({ ...config, log });
  lifecycle.onClose({ name: 'cache', timeoutMs: 1_000, close: cache.close });

  const sources = { pool: pool.state, browser: host.state, cache: cache.usage, budgets };
  const metrics = createMetrics(sources, config);
  const results = await createStorage({ ...config, log, record: metrics.recordStorage });
  lifecycle.onClose({
    name: 'storage',
    timeoutMs: 100,
    close: async () => results?.storage[Symbol.asyncDispose](),
  });

  const usage = await createUsageOf({ ...config, log });
  lifecycle.onClose({ name: 'usage', timeoutMs: 4_000, close: async () => usage?.close() });

  const captureInPool = createCapture({
    pool,
    openDestinations,
    locale: localeByCalls(executable.kind, locale),
    lists: lists.engine,
    encodeLimit: createEncodeLimit(availableParallelism()),
    ...config,
  });
  const running = createRunningWork();
  const capture = wrapCapture(captureInPool, {
    usage,
    cache,
    scope: JSON.stringify({ version, ...settingsOfCaptures(config) }),
    isRefusing: () => shutdown.isRefusing,
    metrics,
    running,
    ...config,
  });
  const deliver = createDeliverWebhook({
    secrets: config.webhookSecret,
    openDestinations,
    reach,
    log,
    record: metrics.recordWebhook,
  });
  const limits = { ...config, canStore: results !== undefined };
  const parseFields = createParseFields(templates.expand, limits, config.defaultFields);
  const parts = {
    host,
    pool,
    keys,
    storage: results?.storage,
    deliver,
    memory: budgets.answers,
    capture,
    onLostResult: async (key: Key | undefined, answer: CaptureAnswer) => await usage?.countAs('failed', key, answer),
    metrics,
    parseFields,
    tracer,
    log,
  };
  const jobs = await createJobsOf(config, parts);
  lifecycle.onClose({ name: 'job store', timeoutMs: 2_000, close: jobs.close });
  return { capture, parseFields, running, lists, metrics, usage, results, deliver, jobs };
}
