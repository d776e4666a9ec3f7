import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type RunningService, startService } from '../../support/service.ts';
import { startTwoSites, type TwoSites } from '../../support/two-sites.ts';

describe('state, scripts and values in jobs', () => {
  let folder: string;
  let sites: TwoSites;
  let service: RunningService;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'jobs-test-'));
    [sites, service] = [await startTwoSites(), await startService({ DATA_DIR: folder, URL_SIGNING_SECRET: 'secret' })];
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await sites[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return Object({ ...Object(await answer.json()), status: answer.status });
  };
  const resultOf = (id: unknown): Promise<unknown> =>
    eventually(async () => {
      const answer = await fetch(`${service.url}/jobs/${String(id)}/result`);
      if (answer.status !== 200) throw new Error(`the result has the status ${answer.status}: ${await answer.text()}`);
      return await answer.json();
    });
  const stateOf = (value: string) => ({
    origins: [{ origin: sites.origin, localStorage: [{ name: 'token', value }] }],
  });
  const shared = (): object => ({
    url: `${sites.origin}/show`,
    format: 'html',
    response_type: 'json',
    init_script: 'self.flag = 7',
    extract: { shown: 'body' },
  });

  it('come with the result of a job, and their secrets are in no answer and log line', async () => {
    const canary = 'canary-of-a-job';
    const { id } = await post('/jobs', { capture: { ...shared(), storage_state: stateOf(canary) } });

    expect(await resultOf(id)).toMatchObject({ extract: { shown: expect.stringContaining(`["token","${canary}"]`) } });
    expect(await resultOf(id)).toMatchObject({ extract: { shown: expect.stringContaining('"flag":7') } });
    const view = await fetch(`${service.url}/jobs/${String(id)}`);
    expect(await view.text()).not.toContain(canary);
    expect(JSON.stringify(service.logs())).not.toContain(canary);
  });

  it('come with each job of a batch, from its defaults', async () => {
    const captures = [{}, { extract: { flag: 'body' }, init_script: 'self.flag = 8' }];
    const { jobs } = await post('/jobs/batch', {
      defaults: { ...shared(), storage_state: stateOf('of all') },
      captures,
    });
    const [first, second] = await Promise.all(Object(jobs).map(({ id }: { id: string }) => resultOf(id)));

    expect(first).toMatchObject({ extract: { shown: expect.stringContaining('of all') } });
    expect(second).toMatchObject({ extract: { flag: expect.stringContaining('"flag":8') } });
  });

  it.each<[object, string]>([
    [{ extract: { a: 1 } }, 'extract.a: must be a CSS selector, or an object with selector'],
    [
      { storage_state: { origins: [{ origin: 'x' }] } },
      'storage_state.origins[0].origin: must be an origin such as https://app.example.com',
    ],
    [{ selector_padding: 5 }, 'selector_padding: needs selector, and the format of a picture'],
  ])('are refused at once: %j', async (fields, details) => {
    const capture = { ...shared(), ...fields };
    const [one, all] = [await post('/jobs', { capture }), await post('/jobs/batch', { captures: [capture] })];

    for (const { status, error_details: text } of [one, all])
      expect([status, String(text).endsWith(details)]).toEqual([400, true]);
  });
});
