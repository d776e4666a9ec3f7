import express, { type ErrorRequestHandler, type Express } from 'express';
import request from 'supertest';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { ServiceError } from '../../../../src/core/ground/errors.ts';
import { createLimit } from '../../../../src/core/http/guards/limiter.ts';

const START_MS = 1_800_000_000_500;
const RATE = { limit: 3, periodMs: 30_000 };

describe('createLimit', () => {
  let nowMs: number;
  let closers: (() => void)[];

  beforeEach(() => {
    nowMs = START_MS;
    closers = [];
  });

  afterEach(() => {
    for (const close of closers) close();
    vi.restoreAllMocks();
  });

  it('accepts exactly N quick requests', async () => {
    const app = appWith({ enabled: true });

    expect(await statuses(app, 5)).toEqual([200, 200, 200, 429, 429]);
  });

  it('reports the limit, the remaining count, and when the bucket is full again', async () => {
    const app = appWith({ enabled: true });

    const first = await request(app).get('/');
    const second = await request(app).get('/');

    expect(first.headers).toMatchObject({
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '2',
      'x-ratelimit-reset': String(Math.ceil((START_MS + 10_000) / 1_000)),
    });
    expect(second.headers).toMatchObject({
      'x-ratelimit-remaining': '1',
      'x-ratelimit-reset': String(Math.ceil((START_MS + 20_000) / 1_000)),
    });
    expect(first.headers).not.toHaveProperty('ratelimit-policy');
    expect(first.headers).not.toHaveProperty('retry-after');
  });

  it('passes a RateLimitError with the wait for one token to the error handler', async () => {
    const app = appWith({ enabled: true });
    await statuses(app, 3);
    nowMs += 2_500;

    const refused = await request(app).get('/');

    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      type: 'RateLimitError',
      message: 'Rate limit exceeded',
      retryAfterSeconds: 8,
    });
    expect(refused.headers).toMatchObject({
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil((START_MS + 30_000) / 1_000)),
      'retry-after': '8',
    });
  });

  it('accepts one request after the reported wait, and no sooner', async () => {
    const app = appWith({ enabled: true });
    await statuses(app, 3);
    const refused = await request(app).get('/');

    nowMs += refused.body.retryAfterSeconds * 1_000 - 1;
    expect(await statuses(app, 1)).toEqual([429]);
    nowMs += 1;
    expect(await statuses(app, 2)).toEqual([200, 429]);
  });

  it.each([
    ['addresses of one IPv6 /56', '2001:db8:0:ff00::1', '2001:db8:0:ffff::2', 429],
    ['addresses of two IPv6 /56', '2001:db8:0:ff00::1', '2001:db8:0:fe00::1', 200],
    ['an IPv4 address and its IPv6 form', '192.0.2.1', '::ffff:192.0.2.1', 429],
    ['two IPv4 addresses', '192.0.2.1', '192.0.2.2', 200],
    ['two invalid addresses', 'somebody', 'somebody-else', 429],
  ])('sees %s (%s, %s): %i', async (_name, first, second, expected) => {
    const app = appWith({ enabled: true });
    app.set('trust proxy', 1);
    for (let sent = 0; sent < 3; sent += 1) await request(app).get('/').set('X-Forwarded-For', first);

    const response = await request(app).get('/').set('X-Forwarded-For', second);

    expect(response.status).toBe(expected);
  });

  it('counts by peer address and logs nothing if a proxy header is not trusted', async () => {
    const consoleCalls = [vi.spyOn(console, 'error'), vi.spyOn(console, 'warn')];
    const app = appWith({ enabled: true });

    const answers = [];
    for (let sent = 0; sent < 4; sent += 1) {
      answers.push((await request(app).get('/').set('X-Forwarded-For', `192.0.2.${sent}`)).status);
    }

    expect(answers).toEqual([200, 200, 200, 429]);
    for (const calls of consoleCalls) expect(calls).not.toHaveBeenCalled();
  });

  it('counts each route class separately', async () => {
    const app = express();
    app.get('/capture', limitOf({ enabled: true }), (_request, response) => void response.send('ok'));
    app.get('/signed', limitOf({ enabled: true }), (_request, response) => void response.send('ok'));
    app.use(answerError);

    await statuses(app, 3, '/capture');

    expect(await statuses(app, 1, '/capture')).toEqual([429]);
    expect(await statuses(app, 1, '/signed')).toEqual([200]);
  });

  it('accepts everything, without headers, when it is disabled', async () => {
    const app = appWith({ enabled: false });

    expect(await statuses(app, 9)).toEqual(Array(9).fill(200));
    expect((await request(app).get('/')).headers).not.toHaveProperty('x-ratelimit-limit');
  });

  it('can be closed twice', () => {
    const limit = createLimit(RATE, { enabled: true });
    limit.close();

    expect(() => limit.close()).not.toThrow();
  });

  function limitOf(options: { enabled: boolean }) {
    const limit = createLimit(RATE, { ...options, now: () => nowMs });
    closers.push(limit.close);
    return limit.middleware;
  }

  function appWith(options: { enabled: boolean }): Express {
    const app = express();
    app.get('/', limitOf(options), (_request, response) => void response.send('ok'));
    app.use(answerError);
    return app;
  }
});

const answerError: ErrorRequestHandler = (error, _request, response, next) => {
  if (error instanceof ServiceError) {
    const { type, message, retryAfterSeconds } = error;
    response.status(error.status).json({ type, message, retryAfterSeconds });
  } else {
    next(error);
  }
};

async function statuses(app: Express, count: number, path = '/'): Promise<number[]> {
  const answers: number[] = [];
  for (let sent = 0; sent < count; sent += 1) answers.push((await request(app).get(path)).status);
  return answers;
}
