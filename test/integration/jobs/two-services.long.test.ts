import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { readExposition } from '../../support/exposition.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type RunningService, startService } from '../../support/service.ts';

const JOBS = 24;

// oxlint-disable-next-line no-explicit-any -- any JSON: each test checks the fields that it needs
type Json = any;

describe('two services with one DATA_DIR', () => {
  let folder: string;
  let site: FixtureSite;
  let services: readonly [RunningService, RunningService];

  const startBoth = async (): Promise<readonly [RunningService, RunningService]> => {
    const settings = { DATA_DIR: folder, JOB_CONCURRENCY: '2' };
    return await Promise.all([startService(settings), startService(settings)]);
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'two-services-'));
    [site, services] = await Promise.all([createFixtureSite(), startBoth()]);
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service[Symbol.asyncDispose]()));
    await site.close();
    await rm(folder, { recursive: true });
  });

  const serviceAt = (index: number): string => services[index % 2 === 0 ? 0 : 1].url;
  it('share the jobs: each runs once, and both answer with the right result and link', async () => {
    const urls = Array.from({ length: JOBS }, (_, index) => site.url(`/plain?job=${index}`));
    const texts = urls.map((_, index) => `<p>text of job ${index}</p>`);
    const byUrl = await Promise.all(urls.map((url, index) => submit(serviceAt(index), { url })));
    const byText = await Promise.all(texts.map((html, index) => submit(serviceAt(index), { html_content: html })));

    const jobs = await Promise.all([...byUrl, ...byText].map((id, at) => becomes(serviceAt(at + 1), id, 'done')));
    const results = await Promise.all(
      jobs.map(async (job, at) => {
        const result = await fetch(`${serviceAt(at)}/jobs/${job.id}/result`);
        const link = new URL(job.result.url);
        const linked = await fetch(`${serviceAt(at)}${link.pathname}${link.search}`); // made by the other service
        return {
          target: result.headers.get('x-target-url'),
          text: await result.text(),
          same: await linked.text(),
        };
      }),
    );

    expect(results.slice(0, JOBS).map(({ target }) => target)).toEqual(urls);
    expect(results.slice(JOBS).map(({ text }) => /text of job \d+/.exec(text)?.[0])).toEqual(
      texts.map((text) => text.slice(3, -4)),
    );
    expect(results.filter(({ text, same }) => text !== same)).toEqual([]);
    expect(jobs.map(({ attempts }) => attempts)).toEqual(jobs.map(() => 1));
    const visits = site.requests.filter(({ path }) => path.startsWith('/plain?job='));
    expect(visits.map(({ path }) => site.url(path)).toSorted()).toEqual(urls.toSorted());
    const shares = await Promise.all(services.map(attemptsOf));
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(2 * JOBS);
    expect(Math.min(...shares)).toBeGreaterThan(0);
  });

  it('cancel jobs of each other, whichever of them runs them, and store nothing', async () => {
    const url = site.url('/slow?ms=1500');
    const paths = Array.from({ length: 4 }, (_, index) => `cancelled-${index}.html`);
    const ids = await Promise.all(paths.map((path, at) => submit(serviceAt(at), { url }, { store_path: path })));
    await Promise.all(ids.map((id, at) => becomes(serviceAt(at), id, 'running')));

    const answers = await Promise.all(
      ids.map((id, at) => fetch(`${serviceAt(at + 1)}/jobs/${id}`, { method: 'DELETE' })),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const next = await Promise.all(ids.map((_, at) => submit(serviceAt(at), { html_content: '<p>next</p>' })));
    for (const [at, id] of next.entries()) await becomes(serviceAt(at), id, 'done');
    for (const [at, id] of ids.entries()) await becomes(serviceAt(at), id, 'cancelled');
    await eventually(async () => {
      const ended = services.flatMap(({ logs }) => logs().filter((line) => line['end'] === 'lost'));
      expect(ended.map(({ job }) => String(job)).toSorted()).toEqual(ids.toSorted());
    });
    const stored = await readdir(join(folder, 'storage'), { recursive: true });
    expect(stored.filter((path) => path.includes('cancelled-'))).toEqual([]);
  });
});

async function submit(base: string, fields: object, more: object = {}): Promise<string> {
  const response = await fetch(`${base}/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ capture: { format: 'html', ...fields }, ...more }),
  });
  const { id }: Json = await response.json();
  return id;
}

function becomes(base: string, id: string, state: string): Promise<Json> {
  return eventually(async () => {
    const job: Json = await (await fetch(`${base}/jobs/${id}`)).json();
    if (job.state !== state) throw new Error(`the job is ${job.state}: ${JSON.stringify(job.error)}`);
    return job;
  });
}

/** Attempts of this service that have completed a job. */
async function attemptsOf({ url }: RunningService): Promise<number> {
  const samples = readExposition(await (await fetch(`${url}/metrics`)).text());
  const done = samples.find(
    ({ name, labels }) => name === 'capture_service_job_attempts_total' && labels['end'] === 'done',
  );
  return done?.value ?? 0;
}
