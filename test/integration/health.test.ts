import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { eventually } from '../support/eventually.ts';
import { capture } from '../support/http.ts';
import { send } from '../support/raw-http.ts';
import { readHealth, type RunningService, startService } from '../support/service.ts';

describe('the health routes', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ POOL_SIZE: '3' });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it.each([
    ['/health/live', { status: 'alive' }],
    ['/health/ready', { status: 'ready' }],
  ])('answer %s', async (path, body) => {
    const response = await fetch(service.url + path);

    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(body);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/\S/),
    });
  });

  it('answer /health with the state that operators need', async () => {
    const before = await readHealth(service.url);
    await capture(service.url, { html_content: 'x' });

    const health = await readHealth(service.url);

    expect(health).toEqual({
      status: 'healthy',
      version: manifest.version,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      uptime_seconds: expect.any(Number),
      browser: {
        connected: true,
        version: expect.stringMatching(/Chrome\/\d+/),
        sandbox: expect.any(Boolean),
        captures: before.browser.captures + 1,
        restarts: 0,
      },
      pool: { size: 3, busy: expect.any(Number), waiting: 0 },
      memory: { rss_bytes: expect.any(Number) },
    });
    expect(health.memory.rss_bytes).toBeGreaterThan(10_000_000);
  });

  it.each(['/health', '/health/live', '/health/ready'])('answer HEAD %s without a body', async (path) => {
    expect(await send(service.url, { method: 'HEAD', path })).toMatchObject({ status: 200, body: '' });
  });

  it('are not logged', async () => {
    await fetch(`${service.url}/health/ready`);
    await fetch(`${service.url}/not-there`);
    await eventually(() => expect(service.logs()).toContainEqual(expect.objectContaining({ status: 404 })));

    expect(service.logs().filter(({ path }) => String(path).includes('health'))).toEqual([]);
    expect(service.logs().filter(({ path }) => path === '/ready')).toEqual([]);
  });
});
