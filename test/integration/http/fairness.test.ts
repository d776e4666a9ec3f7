import { once } from 'node:events';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { eventually } from '../../support/eventually.ts';
import { readHealth, type RunningService, startService } from '../../support/service.ts';

const [HOG, OTHER] = ['127.0.0.1', '127.0.0.2'];

// On Linux, every address of 127.0.0.0/8 belongs to this machine.
describe.runIf(process.platform === 'linux')('a client that requests far more than the capacity', () => {
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createFixtureSite(),
      startService({ HOST: '0.0.0.0', POOL_SIZE: '2', MAX_QUEUE: '6' }),
    ]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  const sendRequest = async (client: string, path: string, signal?: AbortSignal) => {
    const pending = request({
      host: '127.0.0.1',
      port: new URL(service.url).port,
      path: `/capture?url=${encodeURIComponent(site.url(path))}`,
      localAddress: client,
      agent: false,
      ...(signal !== undefined && { signal }),
    }).end();
    const [response] = await once(pending, 'response');
    const body = await buffer(response);
    return { status: response.statusCode, body };
  };

  it('gets every slot and half of the queue, and no other client waits for it', async () => {
    const leaving = new AbortController();
    const hogging = Array.from({ length: 10 }, () => sendRequest(HOG, '/never', leaving.signal));
    const refused = hogging.map((each) => each.catch(() => undefined));
    await eventually(async () => expect((await readHealth(service.url)).pool).toMatchObject({ busy: 2, waiting: 3 }));

    const ready = await fetch(`${service.url}/health/ready`);
    const others: unknown[] = [];
    for (let turn = 0; turn < 4; turn++) others.push((await sendRequest(OTHER, '/plain')).status);
    const { pool } = await readHealth(service.url);

    expect(ready.status).toBe(200);
    expect(others).toEqual([200, 200, 200, 200]);
    expect(pool).toMatchObject({ size: 2, waiting: 3 }); // the captures of the first client keep their slots
    leaving.abort();
    const answers = await Promise.all(refused);
    expect(answers.filter((answer) => answer?.status === 503)).toHaveLength(5);
    expect(String(answers.find((answer) => answer !== undefined)?.body)).toContain('of this client');
  });
});
