import request from 'supertest';
import { describe, expect, it } from 'vitest';
import type { Caching } from '../../../src/capture/capture.ts';
import { signedQuery } from '../../../src/auth/signature.ts';
import { cacheHeaders } from '../../../src/http/routes/cache-headers.ts';
import { appWith } from '../../support/app.ts';

const NOW = 1_700_000_000;
const TARGET = '/capture?url=https://example.com/';
const SECRET = 's3cret';
const CACHING: Caching = { isHit: true, etag: '"tag"', capturedAtMs: (NOW - 10) * 1_000, ttlSeconds: 100 };

describe('cacheHeaders', () => {
  it.each<[what: string, caching: Caching | undefined, expires: string | undefined, expected: object]>([
    ['without a part of the cache', undefined, 'unsigned', { 'X-Cache': 'BYPASS' }],
    [
      'for a hit with the token',
      CACHING,
      'unsigned',
      {
        'X-Cache': 'HIT',
        Age: '10',
        ETag: '"tag"',
        'Cache-Control': 'private, max-age=100, must-revalidate',
      },
    ],
    [
      'for a miss, which has no age',
      { ...CACHING, isHit: false },
      'unsigned',
      { 'X-Cache': 'MISS', ETag: '"tag"', 'Cache-Control': 'private, max-age=100, must-revalidate' },
    ],
    [
      'by a link without end',
      CACHING,
      undefined,
      { 'Cache-Control': 'public, max-age=100, must-revalidate' },
    ],
    [
      'by a link that lasts',
      CACHING,
      `${NOW + 500}`,
      { 'Cache-Control': 'public, max-age=100, must-revalidate' },
    ],
    [
      'by a link that ends before',
      CACHING,
      `${NOW + 7}`,
      { 'Cache-Control': 'public, max-age=7, must-revalidate' },
    ],
    ['by a link that ends now', CACHING, `${NOW}`, { 'Cache-Control': 'no-store' }],
    ['by a link that ended meanwhile', CACHING, `${NOW - 1}`, { 'Cache-Control': 'no-store' }],
    [
      'by a link of a far age',
      CACHING,
      '9'.repeat(400),
      { 'Cache-Control': expect.stringContaining('max-age=100,') },
    ],
    ['with a clock behind', { ...CACHING, capturedAtMs: (NOW + 5) * 1_000 }, 'unsigned', { Age: '0' }],
  ])('says %s how long an answer lasts', (_what, caching, expires, expected) => {
    const signed = expires === 'unsigned' ? undefined : { expires };

    const headers = cacheHeaders(caching, { nowSeconds: NOW, signed });

    expect(headers).toMatchObject(expected);
    expect('Age' in headers).toBe(caching?.isHit === true);
  });
});

describe('createApp, with a capture that is in the cache', () => {
  const app = appWith({ result: { caching: CACHING }, now: () => NOW });

  it('sends what was stored, and no times that this answer did not take', async () => {
    const answer = await request(app).get(TARGET);

    expect(answer.status).toBe(200);
    expect(answer.body.toString()).toBe('picture');
    expect(answer.headers).toMatchObject({
      'x-cache': 'HIT',
      age: '10',
      etag: '"tag"',
      'cache-control': 'private, max-age=100, must-revalidate',
      'x-target-url': 'https://example.com/',
      'x-image-width': '3',
    });
    expect(answer.headers).not.toHaveProperty('server-timing');
  });

  it.each(['"tag"', 'W/"tag"', '*', '"other", "tag"', '"a","tag" , "b"', 'W/"other", W/"tag"'])(
    'answers 304 to If-None-Match: %s',
    async (known) => {
      // As `fetch` sends it, always: with a Cache-Control that Express would heed.
      const answer = await request(app)
        .get(TARGET)
        .set({ 'If-None-Match': known, 'Cache-Control': 'no-cache' });

      expect(answer.status).toBe(304);
      expect(answer.text).toBe('');
      expect(answer.headers).toMatchObject({
        etag: '"tag"',
        age: '10',
        'x-cache': 'HIT',
        'cache-control': 'private, max-age=100, must-revalidate',
      });
      for (const name of ['content-type', 'content-length', 'content-disposition', 'x-image-width'])
        expect(answer.headers).not.toHaveProperty(name);
    },
  );

  it.each(['"other"', 'tag', '"ta', ''])('sends all of it for If-None-Match: %j', async (known) => {
    const answer = await request(app).get(TARGET).set('If-None-Match', known);

    expect(answer.status).toBe(200);
  });

  it('sends all of it to a POST, which has no 304', async () => {
    const answer = await request(app)
      .post('/capture')
      .set('If-None-Match', '"tag"')
      .send({ url: 'https://example.com/' });

    expect(answer.status).toBe(200);
  });

  it('lets shared caches keep what a signed link gets, until the link ends', async () => {
    const signedApp = appWith({
      result: { caching: CACHING },
      now: () => NOW,
      authToken: 'token',
      urlSigningSecret: SECRET,
    });
    const query = signedQuery(
      new Map([
        ['url', 'https://example.com/'],
        ['expires', `${NOW + 20}`],
      ]),
      SECRET,
    );

    const linked = await request(signedApp).get(`/capture?${query}`);
    const withToken = await request(signedApp).get(`/capture?${query}`).set('Authorization', 'Bearer token');

    expect(linked.headers['cache-control']).toBe('public, max-age=20, must-revalidate');
    expect(withToken.headers['cache-control']).toBe('private, max-age=100, must-revalidate');
  });
});

describe('createApp, with a capture that is not in the cache', () => {
  it('is not stored, has no tag, and is sent whole', async () => {
    const answer = await request(appWith()).get(TARGET).set('If-None-Match', '*');

    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'x-cache': 'BYPASS', 'cache-control': 'no-store' });
    for (const name of ['etag', 'age']) expect(answer.headers).not.toHaveProperty(name);
  });

  it('hands the setting for requests without cache_ttl to the capture', async () => {
    const seen: number[] = [];
    const app = appWith({ cacheTtl: 300, onCapture: ({ cache_ttl: seconds }) => seen.push(seconds) });

    await request(app).get(TARGET);
    await request(app).get(`${TARGET}&cache_ttl=0`);
    await request(app).post('/capture').send({ url: 'https://example.com/', cache_ttl: 5 });

    expect(seen).toEqual([300, 0, 5]);
  });
});
