import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readError } from '../../support/errors.ts';
import { type RawAnswer, send } from '../../support/raw-http.ts';
import { type RunningService, startService } from '../../support/service.ts';

const LIMITED = {
  status: 429,
  error_type: 'RateLimitError',
  message: 'Rate limit exceeded',
  retry_after: expect.any(Number),
};
const SECRET = 's3cret';
const TOKEN = 'token';

describe('RATE_LIMIT_CAPTURE="3 per 6 seconds", RATE_LIMIT_SIGNED="2 per 6 seconds"', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_CAPTURE: '3 per 6 seconds',
      RATE_LIMIT_SIGNED: '2 per 6 seconds',
      TRUST_PROXY: '1', // lets each test be a separate client
      AUTH_TOKEN: TOKEN,
      URL_SIGNING_SECRET: SECRET,
    });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  /** Cheap request: the limit applies before validation, which fails. */
  const sendRequest = (client: string, path = '/capture'): Promise<RawAnswer> =>
    send(service.url, {
      method: 'GET',
      path,
      headers: { 'x-forwarded-for': client, authorization: `Bearer ${TOKEN}` },
    });
  const sendSigned = (client: string): Promise<RawAnswer> => {
    const signature = createHmac('sha256', SECRET).update('format=png').digest('base64url');
    const path = `/capture?format=png&signature=${signature}`;
    return send(service.url, { method: 'GET', path, headers: { 'x-forwarded-for': client } });
  };

  it('accepts three quick requests, then one after retry_after seconds', async () => {
    const client = '192.0.2.1';
    const startedAt = Date.now();

    const answers = await sendTimes(5, () => sendRequest(client));

    expect(answers.map((answer) => answer.status)).toEqual([400, 400, 400, 429, 429]);
    const refused = answers[3];
    expect(refused && readError(refused)).toEqual(LIMITED);
    expect(answers.map(({ headers }) => headers['x-ratelimit-limit'])).toEqual(['3', '3', '3', '3', '3']);
    expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['2', '1', '0', '0', '0']);
    for (const { headers } of answers) {
      const fullAt = Number(headers['x-ratelimit-reset']);
      expect(fullAt).toBeGreaterThanOrEqual(Math.floor(startedAt / 1_000));
      expect(fullAt).toBeLessThanOrEqual(Math.ceil(Date.now() / 1_000) + 6);
    }
    const wait = Number(refused?.headers['retry-after']);
    expect(wait).toBe(2);
    await delay(wait * 1_000); // real time: the service has no other clock

    expect((await sendRequest(client, '/capture?html_content=x&format=html')).status).toBe(200);
  });

  it('counts signed requests separately', async () => {
    const client = '192.0.2.2';
    await sendTimes(4, () => sendRequest(client));

    const answers = await sendTimes(3, () => sendSigned(client));

    expect(answers.map((answer) => answer.status)).toEqual([400, 400, 429]);
    expect(answers.map(({ headers }) => headers['x-ratelimit-limit'])).toEqual(['2', '2', '2']);
  });

  it('counts each client separately, and IPv6 clients by /56', async () => {
    const first = await sendTimes(4, () => sendRequest('2001:db8:0:100::1'));
    const neighbour = await sendRequest('2001:db8:0:1ff::2');
    const other = await sendRequest('2001:db8:0:200::1');

    expect([first.at(-1)?.status, neighbour.status, other.status]).toEqual([429, 429, 400]);
  });

  it('does not count refused requests or health checks', async () => {
    const client = '192.0.2.3';
    const path = '/capture';
    await sendTimes(5, () => send(service.url, { method: 'GET', path, headers: { 'x-forwarded-for': client } }));
    const health = await sendTimes(5, () => sendRequest(client, '/health/live'));

    const answer = await sendRequest(client);

    expect(health.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(health[0]?.headers).not.toHaveProperty('x-ratelimit-limit');
    expect(answer.headers['x-ratelimit-remaining']).toBe('2');
  });

  it('sends the remaining count on captures, too', async () => {
    const answer = await sendRequest('192.0.2.4', '/capture?html_content=x&format=html');

    expect(answer).toMatchObject({ status: 200, headers: { 'x-ratelimit-remaining': '2' } });
  });
});

describe('without TRUST_PROXY', () => {
  it('takes the client address from no header', async () => {
    await using service = await startService({
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_CAPTURE: '2 per minute',
    });

    const spoofed: readonly Readonly<Record<string, string>>[] = [
      { 'x-forwarded-for': '192.0.2.1' },
      { 'x-forwarded-for': '192.0.2.2, 192.0.2.3' },
      { 'x-forwarded-for': '[2001:db8::1]:4711' },
      { 'x-real-ip': '192.0.2.4' },
      { forwarded: 'for=192.0.2.5' },
      { 'cf-connecting-ip': '192.0.2.6', 'true-client-ip': '192.0.2.7', 'x-client-ip': '192.0.2.8' },
    ];
    const answers = await Promise.all(spoofed.map((headers) => send(service.url, { method: 'GET', headers })));

    expect(answers.filter(({ status }) => status === 429)).toHaveLength(4);
  });
});

describe('RATE_LIMIT_ENABLED=false', () => {
  it('limits nothing and sends no headers', async () => {
    await using service = await startService({
      RATE_LIMIT_ENABLED: 'false',
      RATE_LIMIT_CAPTURE: '1 per hour',
    });

    const answers = await sendTimes(3, () => send(service.url, { method: 'GET' }));

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(Object.keys(answers[0]?.headers ?? {}).filter((name) => name.includes('ratelimit'))).toEqual([]);
  });
});

async function sendTimes(count: number, sendRequest: () => Promise<RawAnswer>): Promise<RawAnswer[]> {
  const answers: RawAnswer[] = [];
  for (let turn = 0; turn < count; turn++) answers.push(await sendRequest());
  return answers;
}
