import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { appWith } from '../../support/app.ts';

const NOWHERE = { status: 404, body: { error_type: 'NotFoundError' } };

describe('the playground', () => {
  it.each(['/', '/docs', '/queue', '/comparison'])('has a strict policy on %s', async (path) => {
    const answer = await request(appWith({ authToken: 'token' })).get(path);

    const policy = answer.headers['content-security-policy'];
    expect(answer).toMatchObject({ status: 200, type: 'text/html' });
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    for (const directive of ["frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'", "connect-src 'self'"])
      expect(policy).toContain(directive);
    expect(answer.text).not.toMatch(/ style=|<style|<script>|javascript:/);
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  it.each(['/', '/playground/styles/base.css'])('is sent once, and revalidated afterwards: %s', async (path) => {
    const first = await request(appWith()).get(path);
    const second = await request(appWith())
      .get(path)
      .set('If-None-Match', first.headers['etag'] ?? '');

    expect(first).toMatchObject({ status: 200, headers: { 'cache-control': 'no-cache' } });
    expect(second.status).toBe(304);
  });

  it.each(['/', '/docs', '/queue', '/comparison'])('is read-only: %s', async (path) => {
    expect(await request(appWith()).post(path)).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    });
  });

  it.each([
    '/playground',
    '/playground/',
    '/playground/nothing.js',
    '/playground/..%2fmain.js',
    '/playground/%00',
    '/docs/',
  ])('answers 404 at %s', async (path) => {
    expect(await request(appWith()).get(path)).toMatchObject(NOWHERE);
  });

  it.each(['/', '/docs', '/queue', '/comparison', '/playground/styles/base.css'])(
    'is disabled with PLAYGROUND=false: %s',
    async (path) => {
      const app = appWith({ playground: false });

      expect(await request(app).get(path)).toMatchObject(NOWHERE);
      expect((await request(app).get('/openapi.json')).status).toBe(200);
    },
  );
});
