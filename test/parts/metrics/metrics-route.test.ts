import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { signedQuery } from '../../../src/core/access/signature.ts';
import { appWith, NO_METRICS } from '../../support/app.ts';

const metrics = { ...NO_METRICS, render: async () => 'a 1\n' };
const SECRETS = { authToken: 'token', urlSigningSecret: 's3cret' };

describe('GET /metrics', () => {
  it('is public if the service has no token', async () => {
    const answer = await request(appWith({ metrics })).get('/metrics');

    expect(answer).toMatchObject({ status: 200, text: 'a 1\n' });
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
    });
  });

  it('requires the token if one is set, and accepts no signed link', async () => {
    const app = appWith({ metrics, ...SECRETS });
    const query = signedQuery(new Map([['format', 'png']]), SECRETS.urlSigningSecret);

    const answers = await Promise.all([
      request(app).get('/metrics').set('Authorization', 'Bearer token'),
      request(app).get('/metrics'),
      request(app).get('/metrics').set('Authorization', 'Bearer wrong'),
      request(app).get(`/metrics?${query}`),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([200, 401, 403, 401]);
    expect(answers[1]?.headers['www-authenticate']).toBe('Bearer');
    expect(answers[1]?.text).not.toContain('a 1');
  });

  it('does not exist if metrics have their own port', async () => {
    const answer = await request(appWith({ metrics, metricsPort: 9_090 })).get('/metrics');

    expect(answer.status).toBe(404);
  });

  it('has no other methods', async () => {
    const answer = await request(appWith({ metrics })).post('/metrics');

    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});
