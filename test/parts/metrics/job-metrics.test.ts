import { Registry } from '@prometheus-io/client';
import { describe, expect, it } from 'vitest';
import { addJobMetrics } from '../../../src/parts/metrics/job-metrics.ts';
import { createSeries } from '../../../src/parts/metrics/series.ts';

describe('addJobMetrics', () => {
  it('counts jobs once per scrape', async () => {
    const registry = new Registry();
    let counts = 0;
    addJobMetrics(createSeries(registry)).countJobs(async () => {
      counts += 1;
      return { queued: 3, running: 2, webhooks: 1 };
    });

    const text = await registry.metrics();

    expect(text).toMatch(/^capture_service_jobs_waiting 3$/m);
    expect(text).toMatch(/^capture_service_jobs_running 2$/m);
    expect(text).toMatch(/^capture_service_jobs_available 1$/m);
    expect(text).toMatch(/^capture_service_webhooks_waiting 1$/m);
    expect(counts).toBe(1);
  });

  it('omits its values while the store is unavailable, and keeps all others', async () => {
    const registry = new Registry();
    const { countJobs, recordJob } = addJobMetrics(createSeries(registry));
    countJobs(() => Promise.reject(new Error('away')));
    recordJob('done');

    expect(await linesOf(registry, 'jobs_waiting')).toEqual(['capture_service_jobs_waiting Nan']);
    expect(await linesOf(registry, 'jobs_available')).toEqual(['capture_service_jobs_available 0']);
    expect(await linesOf(registry, 'job_attempts')).toEqual(['capture_service_job_attempts_total{end="done"} 1']);
  });
});

async function linesOf(registry: Registry, name: string): Promise<string[]> {
  const lines = (await registry.metrics()).split('\n');
  return lines.filter((line) => line.startsWith(`capture_service_${name}`));
}
