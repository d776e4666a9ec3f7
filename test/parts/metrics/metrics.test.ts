import * as fc from 'fast-check';
import pino from 'pino';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { parseOptions } from '../../../src/core/capture/request/parse-options.ts';
import { ERROR_CATALOGUE, ServiceError } from '../../../src/core/ground/errors.ts';
import type { BudgetState, MemoryBudget } from '../../../src/core/ground/memory-budget.ts';
import { createMetrics, type Metrics } from '../../../src/parts/metrics/metrics.ts';
import { withMetrics } from '../../../src/parts/metrics/with-metrics.ts';
import { ALL_ROUTES, appWith } from '../../support/app.ts';
import { readExposition } from '../../support/exposition.ts';
import { keyWith } from '../../support/key.ts';
import { resultWith } from '../../support/stored-capture.ts';

const ROUTE_NAMES = [...ALL_ROUTES.flatMap(({ name }) => name ?? []), 'other'];
const log = pino({ level: 'silent' });

describe('createMetrics', () => {
  it('renders valid Prometheus text before the first event and afterwards', async () => {
    const metrics = metricsOfNothing();
    const before = readExposition(await metrics.render());

    metrics.recordRequest({
      route: 'capture',
      status: 200,
      errorType: undefined,
      routeClass: 'signed',
      cache: 'HIT',
      seconds: 0.01,
    });

    const after = readExposition(await metrics.render());
    expect(before.length).toBeGreaterThan(20);
    expect(valueOf(after, 'capture_service_cache_answers_total', { result: 'hit' })).toBe(1);
    expect(metrics.contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  it('reads current values at scrape time', async () => {
    const samples = readExposition(await metricsOfNothing().render());

    expect(valueOf(samples, 'capture_service_pool_size')).toBe(4);
    expect(valueOf(samples, 'capture_service_pool_busy')).toBe(3);
    expect(valueOf(samples, 'capture_service_pool_waiting')).toBe(2);
    expect(valueOf(samples, 'capture_service_browser_up')).toBe(1);
    expect(valueOf(samples, 'capture_service_cache_bytes')).toBe(1_000);
    expect(valueOf(samples, 'capture_service_cache_entries')).toBe(5);
    expect(valueOf(samples, 'capture_service_browser_restarts_total', { reason: 'recycled' })).toBe(7);
    expect(valueOf(samples, 'capture_service_memory_budget_bytes', { budget: 'bodies' })).toBe(300);
    expect(valueOf(samples, 'capture_service_memory_used_bytes', { budget: 'answers' })).toBe(500);
    expect(valueOf(samples, 'capture_service_memory_refusals_total', { budget: 'answers' })).toBe(6);
  });

  it('has a bounded number of series, whatever the requests', async () => {
    const metrics = metricsOfNothing();
    const app = appWith({ metrics, authToken: 'token', urlSigningSecret: 's3cret' });
    const anyPath = fc.oneof(
      fc.webPath(),
      fc.constantFrom('/capture', '/health', '/metrics', '/health/../capture', '//capture', '/CAPTURE'),
    );
    const anyRequest = fc.record({
      method: fc.constantFrom('get' as const, 'post' as const, 'delete' as const, 'options' as const),
      path: anyPath,
      query: fc.webQueryParameters(),
      token: fc.constantFrom('token', 'wrong', undefined),
    });

    await fc.assert(
      fc.asyncProperty(anyRequest, async ({ method, path, query, token }) => {
        const pending = request(app)[method](`${path.startsWith('/') ? '' : '/'}${path}?${query}`);
        if (token !== undefined) void pending.set('Authorization', `Bearer ${token}`);
        await pending;
      }),
      { numRuns: 200 },
    );

    const samples = readExposition(await metrics.render());
    const requests = samples.filter(({ name }) => name === 'capture_service_requests_total');
    const types = ['none', ...Object.keys(ERROR_CATALOGUE)];
    expect(requests.reduce((sum, { value }) => sum + value, 0)).toBe(200);
    for (const { labels } of requests) {
      expect(ROUTE_NAMES).toContain(labels['route']);
      expect(types).toContain(labels['error_type']);
      expect(labels['status']).toMatch(/^[2-5]\d\d$/);
    }
    expect(requests.length).toBeLessThan(30);
  });
});

describe('withMetrics', () => {
  const options = parseOptions({ url: 'https://example.com/', format: 'pdf' }, { maxWaitMs: 60_000 }).capture;

  it('counts captures, their phases and refused connections', async () => {
    const metrics = metricsOfNothing();
    const result = resultWith({ facts: { blockedRequests: 2, filteredRequests: 4 } });
    const capture = withMetrics(metrics)(async () => result);

    await capture(options, { log, signal: new AbortController().signal });

    const samples = readExposition(await metrics.render());
    expect(valueOf(samples, 'capture_service_captures_total', { format: 'pdf', outcome: 'success' })).toBe(1);
    expect(valueOf(samples, 'capture_service_blocked_requests_total')).toBe(2);
    expect(valueOf(samples, 'capture_service_filtered_requests_total')).toBe(4);
    expect(valueOf(samples, 'capture_service_queue_wait_seconds_count')).toBe(1);
    expect(valueOf(samples, 'capture_service_phase_duration_seconds_sum', { phase: 'render' })).toBe(0.00314159);
    expect(valueOf(samples, 'capture_service_phase_duration_seconds_count', { phase: 'queue' })).toBeUndefined();
  });

  it.each([
    [true, { format: 'pdf', outcome: 'success', key: 'shop' }],
    [false, { format: 'pdf', outcome: 'success' }],
  ])('labels captures with their key only if METRICS_PER_KEY is %s', async (metricsPerKey, labels) => {
    const metrics = metricsOfNothing(metricsPerKey);
    await withMetrics(metrics)(async () => resultWith())(options, {
      log,
      key: keyWith({ id: 'shop' }),
      signal: new AbortController().signal,
    });

    const captures = readExposition(await metrics.render()).filter(
      ({ name }) => name === 'capture_service_captures_total',
    );
    expect(captures.map((sample) => sample.labels)).toEqual([labels]);
  });

  it.each<[outcome: string, error: Error, signal: AbortSignal]>([
    ['TimeoutError', new ServiceError('TimeoutError'), new AbortController().signal],
    ['InternalServerError', new TypeError('a bug'), new AbortController().signal],
    ['cancelled', new Error('the client disconnected'), AbortSignal.abort()],
  ])('counts a failure as %s, and rethrows it', async (outcome, error, signal) => {
    const metrics = metricsOfNothing();
    const capture = withMetrics(metrics)(() => Promise.reject(error));

    await expect(capture(options, { log, signal })).rejects.toBe(error);

    const samples = readExposition(await metrics.render());
    expect(valueOf(samples, 'capture_service_captures_total', { format: 'pdf', outcome })).toBe(1);
  });
});

function metricsOfNothing(metricsPerKey = false): Metrics {
  const state: Parameters<typeof createMetrics>[0] = {
    pool: () => ({ size: 4, busy: 3, waiting: 2 }),
    browser: () => ({
      state: 'running',
      version: '1',
      captures: 0,
      restarts: 0,
      restartsByReason: { crashed: 0, unresponsive: 0, page_stuck: 0, recycled: 7 },
    }),
    cache: () => ({ entries: 5, bytes: 1_000 }),
    budgets: {
      bodies: fullBudget({ limitBytes: 300, usedBytes: 200, refusals: 3 }),
      answers: fullBudget({ limitBytes: 600, usedBytes: 500, refusals: 6 }),
    },
  };
  return createMetrics(state, { metricsPerKey });
}

function fullBudget(state: BudgetState): Pick<MemoryBudget, 'state'> {
  return { state: () => state };
}

function valueOf(
  samples: ReturnType<typeof readExposition>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  return samples.find(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value;
}
