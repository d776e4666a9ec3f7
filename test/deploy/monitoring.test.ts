import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { createMemoryBudget } from '../../src/core/ground/memory-budget.ts';
import { createMetrics } from '../../src/parts/metrics/metrics.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const HAS_PROMTOOL = spawnSync('promtool', ['--version'], { stdio: 'ignore' }).status === 0;
/** Metrics of the process itself, and those that Prometheus adds per target. */
const OTHERS = /^(process_\w+|up)$/;

const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8');

const dashboard = z
  .looseObject({
    title: z.string(),
    panels: z.array(
      z.looseObject({
        title: z.string(),
        gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
        targets: z.array(z.looseObject({ expr: z.string() })).min(1),
      }),
    ),
  })
  .parse(JSON.parse(read('grafana/dashboards/capture-service.json')));
const alerts = z
  .looseObject({
    groups: z.array(z.looseObject({ rules: z.array(z.looseObject({ alert: z.string(), expr: z.string() })) })),
  })
  .parse(parse(read('prometheus/alerts.yml')))
  .groups.flatMap(({ rules }) => rules);

/** Returns the metric names in an expression, without the suffixes of histograms. */
function namesIn(expression: string): string[] {
  const names = expression.replaceAll(/\{[^}]*\}/g, '').match(/\b(capture_service_\w+|process_\w+|up)\b/g) ?? [];
  return names.map((name) => name.replace(/_(bucket|sum|count)$/, ''));
}

async function namesOfOurs(): Promise<string[]> {
  const text = await createMetrics({
    pool: () => ({ size: 1, busy: 0, waiting: 0 }),
    browser: () => ({
      state: 'running',
      version: undefined,
      captures: 0,
      restarts: 0,
      restartsByReason: { crashed: 0, unresponsive: 0, page_stuck: 0, recycled: 0 },
    }),
    cache: () => ({ entries: 0, bytes: 0 }),
    budgets: { bodies: createMemoryBudget(1), answers: createMemoryBudget(1) },
  }).render();
  return [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
}

describe('the monitoring setup', () => {
  it.each([
    ['the dashboard', dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))],
    ['the alerts', alerts.map(({ expr }) => expr)],
  ])('queries in %s only existing metrics', async (_what, expressions) => {
    const known = await namesOfOurs();
    const requested = expressions.flatMap(namesIn);

    expect(requested.length).toBeGreaterThanOrEqual(expressions.length);
    expect(requested.filter((name) => !known.includes(name) && !OTHERS.test(name))).toEqual([]);
  });

  it('shows every metric of the service', async () => {
    const shown = new Set(dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => namesIn(expr))));
    const ours = (await namesOfOurs()).filter((name) => name.startsWith('capture_service_'));

    expect(ours.filter((name) => !shown.has(name))).toEqual(['capture_service_cache_entries']);
  });

  it('alerts if the service is missing, if jobs only wait or fail, and if webhooks are given up', () => {
    const expressions = Object.fromEntries(alerts.map(({ alert, expr }) => [alert, expr]));

    expect(expressions['CaptureServiceAway']).toContain('or absent(up{job="capture-service"})');
    expect(expressions['CaptureServiceJobsWait']).toContain('jobs_waiting');
    expect(expressions['CaptureServiceJobsFail']).toContain('end="failed"');
    expect(expressions['CaptureServiceWebhooksGivenUp']).toContain('outcome="ended"');
  });

  it('has no overlapping panels', () => {
    const places = dashboard.panels.map(({ gridPos }) => gridPos);
    const covering = places.flatMap((a, index) =>
      places.slice(index + 1).filter((b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h),
    );

    expect(covering).toEqual([]);
    expect(places.every(({ x, w }) => x + w <= 24)).toBe(true);
  });

  it.skipIf(!HAS_PROMTOOL)('has rules that promtool accepts (needs promtool)', () => {
    const { status, stdout, stderr } = spawnSync(
      'promtool',
      ['check', 'rules', join(DEPLOY, 'prometheus/alerts.yml')],
      {
        encoding: 'utf8',
      },
    );

    expect({ status, output: stdout + stderr }).toMatchObject({ status: 0 });
  });
});
