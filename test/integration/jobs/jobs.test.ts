import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { type RunningService, startService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';

const TOKEN = 'token-of-the-test';
const markup = { html_content: '<h1>Hello</h1>', window_width: 200, window_height: 100 };

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line no-explicit-any -- any JSON: each test checks the fields that it needs
  readonly json: any;
}

describe('jobs of a service with DATA_DIR', () => {
  let folder: string;
  let site: FixtureSite;
  let service: RunningService;

  const startIt = (): Promise<RunningService> =>
    startService({ DATA_DIR: folder, AUTH_TOKEN: TOKEN, JOB_CONCURRENCY: '1' });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'jobs-test-'));
    [site, service] = [await createFixtureSite(), await startIt()];
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await site.close();
    await rm(folder, { recursive: true });
  });

  const call = async (
    method: string,
    path: string,
    { body, headers = {}, token = TOKEN }: { body?: unknown; headers?: Record<string, string>; token?: string } = {},
  ): Promise<Answer> => {
    const response = await fetch(service.url + path, {
      method,
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, headers: response.headers, json: isJson ? JSON.parse(text) : text };
  };
  const submit = async (fields: unknown = markup, more: object = {}): Promise<string> => {
    const { json } = await call('POST', '/jobs', { body: { capture: fields, ...more } });
    return json.id;
  };
  const becomes = (id: string, state: string): Promise<Answer['json']> =>
    eventually(async () => {
      const { json } = await call('GET', `/jobs/${id}`);
      if (json.state !== state) throw new Error(`the job is ${json.state}: ${JSON.stringify(json.error)}`);
      return json;
    });

  it('accepts a job, runs it, and returns the same result as /capture', async () => {
    const { status, headers, json } = await call('POST', '/jobs', { body: { capture: markup } });
    expect([status, headers.get('location')]).toEqual([202, `/jobs/${json.id}`]);
    expect(['queued', 'running']).toContain(json.state);

    const done = await becomes(json.id, 'done');

    const result = await fetch(`${service.url}/jobs/${json.id}/result`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const direct = await capture(service.url, markup, { token: TOKEN });
    const linked = await fetch(done.result.url);
    const [own, stored] = [Buffer.from(await result.arrayBuffer()), Buffer.from(await linked.arrayBuffer())];
    expect([own.equals(direct.body), stored.equals(direct.body)]).toEqual([true, true]);
    expect(namesOf(result.headers)).toEqual(namesOf(direct.headers));
    expect(result.headers.get('x-image-width')).toBe('200');
    expect(done).toMatchObject({
      id: json.id,
      attempts: 1,
      result: { content_type: 'image/png', bytes: direct.body.length },
    });
    expect(new URL(done.result.url).origin).toBe(service.url);
  });

  it('names the result as the request says', async () => {
    const id = await submit({ ...markup, file_name: 'Hello wörld.png', disposition: 'inline' });
    await becomes(id, 'done');

    const { headers } = await call('GET', `/jobs/${id}/result`);

    expect(headers.get('content-disposition')).toMatch(/^inline; .*filename\*=UTF-8''Hello%20w%C3%B6rld\.png$/);
  });

  it('accepts a whole batch or none of it', async () => {
    const bad = { defaults: { window_width: 100 }, captures: [markup, { ...markup, window_height: 0 }] };
    const refused = await call('POST', '/jobs/batch', { body: bad });
    const taken = await call('POST', '/jobs/batch', { body: { ...bad, captures: [markup, markup] } });

    expect([refused.status, refused.json.error_type]).toEqual([400, 'ValidationError']);
    expect(refused.json.error_details).toMatch(/^captures\[1\]: window_height: must be/);
    expect([taken.status, taken.json.jobs.length]).toEqual([202, 2]);
    for (const { id } of taken.json.jobs) await becomes(id, 'done');
    const { json } = await call('GET', '/jobs');
    expect(json.jobs.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining(taken.json.jobs.map(({ id }: { id: string }) => id)),
    );
  });

  it.each<[string, { readonly capture: object; readonly label?: string }, string | undefined]>([
    ['of the request', { capture: markup, label: 'Rechnung № 4711 – März' }, 'Rechnung № 4711 – März'],
    [
      'host and path of the page',
      { capture: { url: 'http://me:secret@127.0.0.1:9/private/?token=geheim' } },
      '127.0.0.1:9/private',
    ],
    ['none for markup', { capture: markup }, undefined],
  ])('has a label: %s', async (_what, body, label) => {
    const { json } = await call('POST', '/jobs', { body });
    const read = await call('GET', `/jobs/${json.id}`);
    const batch = await call('POST', '/jobs/batch', { body: { captures: [body.capture], label: body.label } });

    expect([json.label, read.json.label, batch.json.jobs[0].label]).toEqual([label, label, label]);
  });

  it('has a label of its own in a batch', async () => {
    const captures = [markup, { capture: markup, label: 'Second' }, { capture: { ...markup, format: 'pdf' } }];
    const { json } = await call('POST', '/jobs/batch', { body: { captures, label: 'All' } });
    const wrong = await call('POST', '/jobs/batch', { body: { captures: [markup, { capture: markup, name: 'x' }] } });

    expect(json.jobs.map(({ label }: { readonly label: string }) => label)).toEqual(['All', 'Second', 'All']);
    expect([wrong.status, wrong.json.error_details]).toEqual([400, 'captures[1]: name: is not a known field']);
  });

  it.each([
    ['no capture', {}, 'capture: must be an object'],
    ['an unknown field', { capture: markup, when: 1 }, 'when: is not a known field'],
    [
      'an unknown field of the capture',
      { capture: { ...markup, widow_width: 1 } },
      'capture: widow_width: is not a known field',
    ],
    ['an empty label', { capture: markup, label: '' }, 'label: must be a text of 1 to 200 characters'],
    ['a label of two lines', { capture: markup, label: 'a\nb' }, 'label: must be a text of 1 to 200 characters'],
    ['a long label', { capture: markup, label: 'x'.repeat(201) }, 'label: must be a text of 1 to 200 characters'],
    ['a path out of the folder', { capture: markup, store_path: '../x' }, 'store_path: must be'],
    ['a webhook without a secret', { capture: markup, webhook_url: 'https://a.example/' }, 'WEBHOOK_SECRET'],
    ['an invalid webhook', { capture: markup, webhook_url: 'ftp://a.example/' }, 'webhook_url: must be an absolute'],
  ])('refuses %s', async (_what, body, details) => {
    const { status, json } = await call('POST', '/jobs', { body });

    expect([status, json.error_type]).toEqual([400, 'ValidationError']);
    expect(json.error_details).toContain(details);
  });

  it('refuses a blocked address', async () => {
    const { status, json } = await call('POST', '/jobs', { body: { capture: { url: 'http://10.0.0.1/' } } });

    expect([status, json.error_type]).toEqual([400, 'DestinationNotAllowedError']);
  });

  it('reports the error of the capture as job error and as result', async () => {
    const id = await submit({ ...markup, selector: '#none' });

    const { error, attempts } = await becomes(id, 'failed');

    const direct = await capture(service.url, { ...markup, selector: '#none' }, { token: TOKEN });
    const result = await call('GET', `/jobs/${id}/result`);
    const { request_id: _id, timestamp: _time, ...expected }: Answer['json'] = direct.json();
    expect([error, attempts]).toEqual([expected, 1]);
    expect([result.status, result.json]).toMatchObject([direct.status, expected]);
  });

  it('creates one job for repeated requests with the same key, and refuses another request with it', async () => {
    const headers = { 'idempotency-key': 'once' };
    const body = { capture: markup };
    const first = await call('POST', '/jobs', { body, headers });
    const { html_content: html, ...size } = markup;
    const again = await call('POST', '/jobs', {
      body: { capture: { ...size, html_content: html } },
      headers,
    });
    const other = await call('POST', '/jobs', { body: { capture: { ...markup, window_width: 1 } }, headers });

    expect([again.status, again.json.id]).toEqual([202, first.json.id]);
    expect([other.status, other.json.error_type]).toEqual([422, 'IdempotencyError']);
    expect((await call('POST', '/jobs', { body, headers: { 'idempotency-key': 'a b' } })).status).toBe(400);
  });

  it('cancels queued and running jobs', async () => {
    const running = await submit({ url: site.url('/never') });
    await becomes(running, 'running');
    const waiting = await submit();
    const early = await call('GET', `/jobs/${waiting}/result`);

    const cancelled = [await call('DELETE', `/jobs/${waiting}`), await call('DELETE', `/jobs/${running}`)];

    expect(cancelled.map(({ status, json }) => [status, json.state])).toEqual([
      [200, 'cancelled'],
      [200, 'cancelled'],
    ]);
    expect([early.status, early.json.error_type, early.json.error_details]).toEqual([
      409,
      'JobNotFinishedError',
      'The job is queued',
    ]);
    expect((await call('GET', `/jobs/${waiting}/result`)).status).toBe(409);
    await becomes(await submit(), 'done'); // the page of the running job is free again
    const { json } = await call('GET', '/jobs?state=cancelled');
    expect(json.jobs.map(({ id }: { id: string }) => id)).toEqual([waiting, running]);
  });

  it.each(['?state=lost', '?cursor=x', '?state=done&cursor=queued.1'])('refuses a list of %s', async (query) => {
    expect((await call('GET', `/jobs${query}`)).json.error_type).toBe('ValidationError');
  });

  it('distinguishes an unknown job from a deleted one', async () => {
    const fresh = await call('GET', '/jobs/ffffffff-0000-7000-8000-000000000000');
    const old = await call('GET', '/jobs/01800000-0000-7000-8000-000000000000/result');
    const none = await call('DELETE', '/jobs/1');

    expect([fresh, none].map(({ status, json }) => [status, json.error_type])).toEqual([
      [404, 'NotFoundError'],
      [404, 'NotFoundError'],
    ]);
    expect([old.status, old.json.error_type]).toEqual([410, 'JobExpiredError']);
  });

  it('refuses requests without the token', async () => {
    const requested = await Promise.all([
      call('POST', '/jobs', { body: { capture: markup }, token: '' }),
      call('GET', '/jobs', { token: '' }),
      call('DELETE', '/jobs/1', { token: 'wrong' }),
    ]);

    expect(requested.map(({ status }) => status)).toEqual([401, 401, 403]);
  });

  it('reveals to no client what a job captures', async () => {
    const secret = 'geheimnis';
    const id = await submit({ url: site.url('/plain'), custom_headers: { 'x-secret': secret } });
    await becomes(id, 'done');

    const answers = [await call('GET', `/jobs/${id}`), await call('GET', '/jobs')].map(({ json }) =>
      JSON.stringify(json),
    );

    expect([...answers, service.output()].filter((text) => text.includes(secret))).toEqual([]);
  });

  it('keeps results that a client stored at a path', async () => {
    const id = await submit(markup, { store_path: 'mine/a.png' });

    const { result } = await becomes(id, 'done');

    expect(new URL(result.url).pathname).toBe('/stored/mine/a.png');
  });

  it('counts jobs in the metrics', async () => {
    const { json: metrics } = await call('GET', '/metrics');

    expect(metrics).toMatch(/^capture_service_jobs_waiting \d+$/m);
    expect(metrics).toMatch(/^capture_service_job_attempts_total\{end="done"\} [1-9]/m);
  });

  it('continues queued and running jobs after a kill and after a graceful stop', async () => {
    const ids = [await submit({ url: site.url('/slow?ms=700') }), await submit(), await submit()];
    await becomes(ids[0] ?? '', 'running');
    await service[Symbol.asyncDispose]();
    expect(service.logs()).toContainEqual(expect.objectContaining({ msg: 'job', end: 'returned', job: ids[0] }));

    service = await startIt();
    for (const id of ids) await becomes(id, 'done');
    const lost = await submit({ url: site.url('/never') }); // until its lease expires
    await becomes(lost, 'running');
    const later = await submit();
    await service.stop('SIGKILL');
    await service[Symbol.asyncDispose]();
    service = await startIt();

    await becomes(later, 'done');
    expect((await call('GET', `/jobs/${ids[0]}`)).json.attempts).toBe(1);
  });
});

describe('a service without a jobs store', () => {
  it('names the setting that jobs need', async () => {
    const service = await sharedService();

    const response = await fetch(`${service.url}/jobs`);

    expect(await response.json()).toMatchObject({
      error_type: 'ValidationError',
      message: 'Jobs are off',
      error_details: 'DATA_DIR, or REDIS_URL and STORAGE, must be set',
    });
    expect(response.status).toBe(400);
  });
});

/** Returns the names of the headers of the capture, without those of the request or connection. */
function namesOf(headers: Headers): string[] {
  const other = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length', 'server-timing']);
  return [...headers.keys()].filter((name) => !other.has(name));
}
