import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createCaptureClient,
  ElementNotFoundError,
  IdempotencyError,
  JobExpiredError,
  JobNotFinishedError,
  StorageError,
} from '../../../src/programs/client/index.ts';
import { eventually } from '../../support/eventually.ts';
import { readPicture } from '../../support/pixels.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis.ts';
import { runService, type RunningService, startService } from '../../support/service.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const markup = { html_content: '<h1>Hello</h1>', window_width: 200, window_height: 100 } as const;

describe.skipIf(!HAS_REDIS)('jobs of a service with REDIS_URL (needs redis-server)', () => {
  let folder: string;
  let redis: TestRedis;
  let service: RunningService;
  let receiver: Server;
  const received: unknown[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'jobs-redis-test-'));
    redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always', '--dir', folder]);
    receiver = createServer((request, response) => {
      void text(request).then((body) => {
        const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = request.headers;
        received.push(
          new Webhook(SECRET).verify(body, {
            'webhook-id': String(id),
            'webhook-timestamp': String(timestamp),
            'webhook-signature': String(signature),
          }),
        );
        response.writeHead(204).end();
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    service = await startService({
      REDIS_URL: redis.url,
      DATA_DIR: join(folder, 'data'),
      WEBHOOK_SECRET: SECRET,
    });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
    receiver.close();
    await rm(folder, { recursive: true });
  });

  const clientOf = () => createCaptureClient({ service: service.url, retries: 0 });
  const ready = async (): Promise<unknown> => {
    const response = await fetch(`${service.url}/health/ready`);
    return [response.status, await response.json()];
  };
  const hook = (): string => {
    const address = receiver.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/hook`;
  };

  it('can be submitted and awaited by the client, and send a signed webhook', async () => {
    const client = clientOf();

    const job = await client.submit(markup, { webhookUrl: hook() });
    const { bytes, width, contentType } = await client.wait(job.id);

    expect(await readPicture(Buffer.from(bytes))).toMatchObject({ width: 200, height: 100 });
    expect([width, contentType]).toEqual([200, 'image/png']);
    expect(await client.job(job.id)).toMatchObject({
      id: job.id,
      state: 'done',
      attempts: 1,
      error: undefined,
    });
    await eventually(() => expect(received).toMatchObject([{ id: job.id, state: 'done' }]));
  });

  it('fail with the error of the capture', async () => {
    const client = clientOf();
    const { id } = await client.submit({ ...markup, selector: '#none' });

    await expect(client.wait(id)).rejects.toBeInstanceOf(ElementNotFoundError);
    expect((await client.job(id)).error).toMatchObject({ errorType: 'ElementNotFoundError' });
  });

  it('can be awaited until the abort signal fires', async () => {
    const client = clientOf();
    const { id } = await client.submit({ ...markup, wait_for_selector: '#never' });
    const caller = new AbortController();
    const waiting = client.wait(id, { signal: caller.signal });

    caller.abort(new Error('no longer wanted'));

    await expect(waiting).rejects.toThrow('no longer wanted');
    expect(await client.cancel(id)).toMatchObject({ id, state: 'cancelled' });
    await expect(client.wait(id)).rejects.toBeInstanceOf(JobNotFinishedError);
  });

  it('are submitted once per idempotency key, and refused if the key comes with another request', async () => {
    const client = clientOf();
    const options = { idempotencyKey: 'mine' };

    const [one, two] = [await client.submit(markup, options), await client.submit(markup, options)];
    const other = client.submit({ ...markup, window_width: 1 }, options);

    expect(two.id).toBe(one.id);
    await expect(other).rejects.toBeInstanceOf(IdempotencyError);
    await expect(client.job('01800000-0000-7000-8000-000000000000')).rejects.toBeInstanceOf(JobExpiredError);
  });

  it('are refused with a clear error while Redis is unavailable, and accepted jobs survive its death', async () => {
    const client = clientOf();
    const busy = await Promise.all([1, 2].map(() => client.submit({ ...markup, wait_for_selector: '#never' })));
    await eventually(async () => {
      const jobs = await Promise.all(busy.map(({ id }) => client.job(id)));
      expect(jobs.map(({ state }) => state)).toContain('running');
    });
    const taken = await Promise.all([1, 2, 3].map(() => client.submit(markup)));

    await redis.kill();
    await expect(client.submit(markup)).rejects.toBeInstanceOf(StorageError);
    expect((await client.capture(markup)).contentType).toBe('image/png');
    expect(await ready()).toEqual([200, { status: 'ready', jobs: 'unavailable' }]);
    await redis.restart();
    await eventually(async () => expect(await ready()).toEqual([200, { status: 'ready' }]));
    for (const { id } of busy) await eventually(() => client.cancel(id));

    for (const { id } of taken) expect((await client.wait(id)).contentType).toBe('image/png');
    expect(service.logs().map(({ msg }) => msg)).toContain("the job store fails: jobs can't be accepted or run");
  });

  it('are accepted after a restart and SCRIPT FLUSH, and refused without a trace while Redis is full', async () => {
    const client = clientOf();
    await redis.restart();
    await eventually(async () => expect(await ready()).toEqual([200, { status: 'ready' }]));
    const afterRestart = await client.submit(markup, { webhookUrl: hook() });
    await redis.send(['SCRIPT', 'FLUSH', 'SYNC']);
    const afterFlush = await client.submit(markup);
    for (const { id } of [afterRestart, afterFlush]) expect((await client.wait(id)).contentType).toBe('image/png');

    await redis.send(['CONFIG', 'SET', 'maxmemory', '1']);
    const secret = { url: 'https://example.com/', custom_headers: { 'X-Key': 'hidden-word' } };
    // By the memory that Redis reported last, or by Redis itself.
    await expect(client.submit(secret)).rejects.toMatchObject({
      errorType: expect.stringMatching(/^(?:Storage|Overloaded)Error$/),
    });
    expect(await ready()).toEqual([200, { status: 'ready', jobs: 'unavailable' }]);
    await redis.send(['CONFIG', 'SET', 'maxmemory', '0']);

    expect(await ready()).toEqual([200, { status: 'ready' }]);
    expect([await redis.send(['HVALS', 'capture-service:jobs:captures'])].flat()).toEqual([]);
  });

  it('counts a record that cannot be read in the metrics', async () => {
    const id = '01800000-0000-7000-8000-000000000001';
    await redis.send(['HSET', 'capture-service:jobs:work:' + id, 'data', '{"secret":']);

    expect((await fetch(`${service.url}/jobs/${id}`)).status).toBe(502);

    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/^capture_service_job_records_unreadable_total 1$/m);
    await redis.send(['DEL', 'capture-service:jobs:work:' + id]);
  });

  it('wait for a Redis that starts after the service', async () => {
    await using later = await startRedis();
    await later.kill();
    await using early = await startService({ REDIS_URL: later.url, DATA_DIR: join(folder, 'early') });
    const client = createCaptureClient({ service: early.url, retries: 0 });
    await expect(client.submit(markup)).rejects.toBeInstanceOf(StorageError);

    await later.restart();
    const job = await eventually(() => client.submit(markup));

    expect((await client.wait(job.id)).contentType).toBe('image/png');
  });

  it('are refused if Redis may evict them', async () => {
    await using full = await startRedis(['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru']);

    const { code, errors } = await runService({ REDIS_URL: full.url, DATA_DIR: join(folder, 'evicting') });

    expect(errors).toContain('REDIS_URL: this Redis has maxmemory-policy allkeys-lru');
    expect(errors).toContain('Set maxmemory-policy to noeviction');
    expect(code).toBe(1);
  });
});
