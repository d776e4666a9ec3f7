import type { Express } from 'express';
import pino from 'pino';
import request from 'supertest';
import { afterEach, describe, expect, it } from 'vitest';
import { signedQuery } from '../../../../src/core/access/signature.ts';
import { createGuessLimit, createLimit, type Limit } from '../../../../src/core/http/guards/limiter.ts';
import { createMemoryStore } from '../../../../src/core/access/memory-limit-store.ts';
import type { FinishedRequest } from '../../../../src/core/ground/finished-request.ts';
import { createMemoryUsageStore } from '../../../../src/parts/usage/create-usage.ts';
import { createUsage } from '../../../../src/parts/usage/usage.ts';
import { appWith, type GivenApp, NO_METRICS } from '../../../support/app.ts';

const TOKEN = 'token';
const SECRET = 'secret';
const PATH = '/capture?html_content=x';
const RATE = { limit: 3, periodMs: 3_600_000 };

describe('the limit for guesses', () => {
  const limits: Limit[] = [];
  const finished: FinishedRequest[] = [];
  afterEach(() => {
    for (const { close } of limits.splice(0)) close();
    finished.length = 0;
  });
  /** An app that allows three captures per address, and three signed ones. */
  const limitedApp = (given: GivenApp = {}): Express => {
    const [capture, signed] = [createTestLimit(), createTestLimit()];
    const store = createMemoryStore(RATE, { now: () => 0 });
    limits.push(capture, signed, { middleware: capture.middleware, close: store.shutdown });
    return appWith({
      authToken: TOKEN,
      urlSigningSecret: SECRET,
      now: () => 1_000,
      limits: {
        capture: capture.middleware,
        signed: signed.middleware,
        guesses: createGuessLimit(capture.middleware, store),
      },
      metrics: { ...NO_METRICS, recordRequest: (each) => finished.push(each) },
      ...given,
    });
  };

  it('applies to tokens where none is needed, if the answer could show the quota of their key', async () => {
    const usage = createUsage(await createMemoryUsageStore(), pino({ level: 'silent' }));
    const app = limitedApp({ usage });
    const ask = async (method: 'get' | 'delete', path: string, token: string) =>
      (await request(app)[method](path).set('Authorization', `Bearer ${token}`)).status;

    expect(await ask('get', '/no/such/path', 'a')).toBe(404);
    expect(await ask('delete', '/capture', 'b')).toBe(405);
    expect(await ask('get', '/openapi.json', 'c')).toBe(200);
    for (const [method, path] of [
      ['get', '/no/such/path'],
      ['delete', '/capture'],
      ['get', '/openapi.json'],
    ] as const)
      expect(await ask(method, path, TOKEN)).toBe(429);
    expect(await ask('get', '/health/live', TOKEN)).toBe(200);
    await usage.close();
  });

  it.each([
    ['/capture', 'get', PATH, 'AuthenticationError'],
    ['/sign', 'post', '/sign', 'AuthenticationError'],
    ['/metrics', 'get', '/metrics', 'AuthenticationError'],
    ['the signature of a link', 'get', `${PATH}&signature=wrong`, 'InvalidSignatureError'],
  ] as const)('applies to tokens for %s as to captures', async (_what, method, path, expected) => {
    const app = limitedApp();

    const types: unknown[] = [];
    for (let guess = 0; guess < 5; guess++) {
      const { body } = await request(app)[method](path).set('Authorization', `Bearer ${guess}`);
      types.push(body.error_type);
    }
    const right = await request(app).get(PATH).set('Authorization', `Bearer ${TOKEN}`);

    expect(types).toEqual([expected, expected, expected, 'RateLimitError', 'RateLimitError']);
    expect(right.status).toBe(429); // the answer does not reveal that the token was right
    expect(finished.at(3)).toMatchObject({ errorType: 'RateLimitError', status: 429 });
  });

  // Every guess was still compared, and only the answer to a wrong one changed.
  it('compares no credentials of an address that has guessed too often, on routes without a limit as well', async () => {
    const app = limitedApp();
    const devices = (token: string) => request(app).get('/devices').set('Authorization', `Bearer ${token}`);

    for (let guess = 0; guess < 3; guess++) await devices(`${guess}`);
    const right = await devices(TOKEN);
    const signed = await request(app).get(`/capture?${signedQuery(new Map([['html_content', 'x']]), SECRET)}`);
    const open = await request(app).get('/health');

    expect([right.status, right.body.error_type]).toEqual([429, 'RateLimitError']);
    expect(Number(right.headers['retry-after'])).toBeGreaterThan(0);
    expect([signed.status, open.status]).toEqual([429, 200]);
  });

  it('does not refuse the token of a client that captures as much as it may', async () => {
    const app = limitedApp();
    const get = (path: string) => request(app).get(path).set('Authorization', `Bearer ${TOKEN}`);

    const captures: number[] = [];
    for (let sent = 0; sent < 4; sent++) captures.push((await get(PATH)).status);

    expect(captures).toEqual([200, 200, 200, 429]);
    expect((await get('/devices')).status).toBe(200);
  });

  it('ignores requests without credentials and expired links', async () => {
    const app = limitedApp();
    const expired = signedQuery(
      new Map([
        ['html_content', 'x'],
        ['expires', '1'],
      ]),
      SECRET,
    );
    const paths = [PATH, `/capture?${expired}`];

    for (let round = 0; round < 3; round++) for (const path of paths) await request(app).get(path);
    const right = await request(app).get(PATH).set('Authorization', `Bearer ${TOKEN}`);

    expect(right).toMatchObject({ status: 200, headers: { 'x-ratelimit-remaining': '2' } });
  });

  it('reports /sign separately in the metrics', async () => {
    await request(limitedApp()).post('/sign').set('Authorization', `Bearer ${TOKEN}`).send({});

    expect(finished).toMatchObject([{ route: 'sign', status: 400 }]);
  });
});

describe('a signature over no fields', () => {
  const app = appWith({ authToken: TOKEN, urlSigningSecret: SECRET });
  const post = (query: string) => request(app).post(`/capture?${query}`).send({ html_content: 'x' });

  it('is refused without an expiry', async () => {
    expect(await post(signedQuery(new Map(), SECRET))).toMatchObject({
      status: 403,
      body: { error_type: 'InvalidSignatureError', message: expect.stringContaining('needs expires') },
    });
  });

  it('is accepted until it expires', async () => {
    expect((await post(signedQuery(new Map([['expires', '100']]), SECRET))).status).toBe(200);
  });
});

describe('Cross-Origin-Resource-Policy of a signed capture', () => {
  it('allows every page to embed it', async () => {
    const app = appWith({ authToken: TOKEN, urlSigningSecret: SECRET });

    const answer = await request(app).get(`/capture?${signedQuery(new Map([['html_content', 'x']]), SECRET)}`);

    expect(answer.status).toBe(200);
    expect(answer.headers['cross-origin-resource-policy']).toBe('cross-origin');
  });
});

function createTestLimit(): Limit {
  return createLimit(RATE, { enabled: true });
}
