import { execFileSync, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedQuery } from '../../../src/core/access/signature.ts';
import { eventually } from '../../support/eventually.ts';
import { readExposition } from '../../support/exposition.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { send } from '../../support/raw-http.ts';
import { readHealth, type RunningService, startService } from '../../support/service.ts';

const TOKEN = 'token';
const SECRET = 's3cret';
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

describe('METRICS_PORT', () => {
  let site: FixtureSite;
  let service: RunningService;
  let metricsUrl: string;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createFixtureSite(),
      startService({
        AUTH_TOKEN: TOKEN,
        URL_SIGNING_SECRET: SECRET,
        METRICS_PORT: '0',
        RATE_LIMIT_ENABLED: 'true',
        RATE_LIMIT_CAPTURE: '100 per hour',
        RATE_LIMIT_SIGNED: '3 per hour',
      }),
    ]);
    metricsUrl = await eventually(() => {
      const listening = service.logs().find(({ msg }) => msg === 'metrics listening');
      if (listening === undefined) throw new Error('not yet');
      return `http://127.0.0.1:${String(listening['port'])}/metrics`;
    });
    await scriptedRun();
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  /** Causes every request outcome a known number of times. */
  async function scriptedRun(): Promise<void> {
    const sendRequest = (fields: Readonly<Record<string, unknown>>): Promise<unknown> =>
      capture(service.url, fields, { token: TOKEN });
    const url = site.url('/plain');
    await sendRequest({ url });
    await sendRequest({ url, format: 'pdf' });
    await sendRequest({ url, format: 'html', cache_ttl: 600 });
    for (let hit = 0; hit < 4; hit++) await sendRequest({ url, format: 'html', cache_ttl: 600 });
    await sendRequest({ url: site.url('/empty') });
    await sendRequest({ url, selector: '#nothing-of-the-kind' });
    await sendRequest({ url, no_such_field: 1 });
    await sendRequest({ url, no_such_field: 1 });
    await sendRequest({ url: 'http://10.0.0.1/' });
    await capture(service.url, { url });
    await capture(service.url, { url }, { token: 'wrong' });
    const query = signedQuery(new Map([['format', 'png']]), SECRET); // authenticated, but fails before the capture
    for (let link = 0; link < 5; link++) await readText(`${service.url}/capture?${query}`);
    for (const path of ['/health/live', '/nowhere', '/metrics', '/nowhere/2']) await readText(service.url + path);
  }

  const ask = (host: string) => send(metricsUrl, { method: 'GET', path: '/metrics', headers: { host } });
  it('refuses host names that a web page may have, because its name may resolve to this address', async () => {
    const { status, body } = await ask('page.example');
    expect([status, JSON.parse(body)]).toEqual([
      403,
      expect.objectContaining({
        error_type: 'CrossSiteRequestError',
        error_details: 'Host: ALLOWED_HOSTS lists the allowed host names',
      }),
    ]);
    for (const host of ['10.0.0.7:9090', 'capture-service:9090', 'localhost'])
      expect((await ask(host)).status).toBe(200);
  });

  it('counts every outcome of a scripted run', async () => {
    // The last page may still be closing.
    await eventually(async () => expect((await readHealth(service.url)).pool.busy).toBe(0));
    const samples = readExposition(await readText(metricsUrl));
    const counted = (name: string): object =>
      Object.fromEntries(
        samples
          .filter((sample) => sample.name === `capture_service_${name}`)
          .filter(({ labels }) => !labels['route']?.startsWith('health')) // polled until ready
          .map(({ labels, value }) => [Object.values(labels).join(' '), value]),
      );

    expect(counted('requests_total')).toEqual({
      'capture 200 none': 7,
      'capture 500 NavigationError': 1,
      'capture 400 ElementNotFoundError': 1,
      'capture 400 ValidationError': 5,
      'capture 400 DestinationNotAllowedError': 1,
      'capture 401 AuthenticationError': 1,
      'capture 403 AuthenticationError': 1,
      'capture 429 RateLimitError': 2,
      'metrics 404 NotFoundError': 1,
      'other 404 NotFoundError': 2,
    });
    expect(counted('captures_total')).toEqual({
      'png success': 1,
      'pdf success': 1,
      'html success': 1,
      'png NavigationError': 1,
      'png ElementNotFoundError': 1,
      'png DestinationNotAllowedError': 1,
    });
    expect(counted('cache_answers_total')).toEqual({ bypass: 2, miss: 1, hit: 4 });
    expect(counted('rate_limited_total')).toEqual({ signed: 2 });
    expect(counted('queue_wait_seconds_count')).toEqual({ '': 3 });
    expect(counted('phase_duration_seconds_count')).toEqual({ navigate: 3, ahead: 3, wait: 3, render: 3 });
    expect(counted('cache_entries')).toEqual({ '': 1 });
    expect(counted('pool_busy')).toEqual({ '': 0 });
    expect(counted('browser_up')).toEqual({ '': 1 });
    expect(counted('browser_restarts_total')).toEqual({
      crashed: 0,
      unresponsive: 0,
      page_stuck: 0,
      recycled: 0,
    });
  });

  it('serves metrics and nothing else', async () => {
    expect(await statusOf(`${service.url}/metrics`, TOKEN)).toBe(404);
    expect(await statusOf(metricsUrl)).toBe(200);
    expect(await statusOf(metricsUrl.replace('/metrics', '/capture'))).toBe(404);
    expect(await statusOf(metricsUrl.replace('/metrics', '/health'))).toBe(404);
  });

  it('cannot be reached by pages, even if they may reach this machine', async () => {
    const answer = await capture(service.url, { url: metricsUrl }, { token: TOKEN });

    expect(answer.json()).toMatchObject({ error_type: 'DestinationNotAllowedError' });
  });

  // promtool is part of Debian's package `prometheus`; readExposition checks most of the format without it.
  it.skipIf(!hasPromtool)('passes promtool (needs promtool)', async () => {
    const input = await readText(metricsUrl);

    expect(execFileSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })).toBe('');
  });
});

async function readText(address: string): Promise<string> {
  const response = await fetch(address);
  return await response.text();
}

async function statusOf(address: string, token?: string): Promise<number> {
  const response = await fetch(address, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  await response.body?.cancel();
  return response.status;
}
