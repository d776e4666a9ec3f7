import request from 'supertest';
import { describe, expect, it } from 'vitest';
import type { Caching } from '../../../../src/core/capture/capture.ts';
import { signedQuery } from '../../../../src/core/access/signature.ts';
import { cacheHeaders } from '../../../../src/core/http/routes/send-capture.ts';
import { createMemoryBudget } from '../../../../src/core/ground/memory-budget.ts';
import { appWith } from '../../../support/app.ts';

const NOW = 1_700_000_000;
const TARGET = '/capture?url=https://example.com/';
const SECRET = 's3cret';
const CACHING: Caching = { isHit: true, etag: '"tag"', capturedAtMs: (NOW - 10) * 1_000, ttlSeconds: 100 };

describe('cacheHeaders', () => {
  it.each<[what: string, caching: Caching | undefined, expires: string | undefined, expected: object]>([
    ['a capture without the cache', undefined, 'unsigned', { 'X-Cache': 'BYPASS' }],
    [
      'a hit with the token',
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
      'a miss, which has no age',
      { ...CACHING, isHit: false },
      'unsigned',
      { 'X-Cache': 'MISS', ETag: '"tag"', 'Cache-Control': 'private, max-age=100, must-revalidate' },
    ],
    ['a link without expiry', CACHING, undefined, { 'Cache-Control': 'public, max-age=100, must-revalidate' }],
    ['a valid link', CACHING, `${NOW + 500}`, { 'Cache-Control': 'public, max-age=100, must-revalidate' }],
    ['a link that expires earlier', CACHING, `${NOW + 7}`, { 'Cache-Control': 'public, max-age=7, must-revalidate' }],
    ['a link that expires now', CACHING, `${NOW}`, { 'Cache-Control': 'no-store' }],
    ['a link that expired meanwhile', CACHING, `${NOW - 1}`, { 'Cache-Control': 'no-store' }],
    [
      'a link that expires far in the future',
      CACHING,
      '9'.repeat(400),
      { 'Cache-Control': expect.stringContaining('max-age=100,') },
    ],
    [
      'a capture before a clock jump of a day',
      { ...CACHING, capturedAtMs: (NOW - 86_400) * 1_000 },
      'unsigned',
      { Age: `${CACHING.ttlSeconds}` },
    ],
    ['a clock that runs behind', { ...CACHING, capturedAtMs: (NOW + 5) * 1_000 }, 'unsigned', { Age: '0' }],
  ])('reports for %s how long an answer is fresh', (_what, caching, expires, expected) => {
    const signed = expires === 'unsigned' ? undefined : { expires };

    const headers = cacheHeaders(caching, { nowSeconds: NOW, signed });

    expect(headers).toMatchObject(expected);
    expect('Age' in headers).toBe(caching?.isHit === true);
  });
});

describe('createApp, with a cached capture', () => {
  const app = appWith({ result: { caching: CACHING }, now: () => NOW });

  it('sends the cached result without timings that do not apply to this answer', async () => {
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

  // A shared cache stored the error as the picture, and the service confirmed it by the tag.
  it('sends no header of the capture with an error that comes after them', async () => {
    const budgets = { bodies: createMemoryBudget(1e9), answers: createMemoryBudget(1_000) };
    const result = { caching: CACHING, file: Buffer.alloc(70_000) };

    const answer = await request(appWith({ result, budgets, now: () => NOW })).get(TARGET);

    expect([answer.status, answer.body.error_type]).toEqual([503, 'OverloadedError']);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'retry-after': '5',
      'x-content-type-options': 'nosniff',
    });
    expect(Object.keys(answer.headers).toSorted()).toEqual([
      'cache-control',
      'connection',
      'content-length',
      'content-type',
      'date',
      'retry-after',
      'x-content-type-options',
      'x-request-id',
    ]);
  });

  it.each(['"tag"', 'W/"tag"', '*', '"other", "tag"', '"a","tag" , "b"', 'W/"other", W/"tag"'])(
    'answers 304 to If-None-Match: %s',
    async (known) => {
      // `fetch` always sends such a Cache-Control, which Express would obey.
      const answer = await request(app).get(TARGET).set({ 'If-None-Match': known, 'Cache-Control': 'no-cache' });

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

  it.each(['"other"', 'tag', '"ta', ''])('sends the whole result for If-None-Match: %j', async (known) => {
    const answer = await request(app).get(TARGET).set('If-None-Match', known);

    expect(answer.status).toBe(200);
  });

  it('sends the whole result to a POST, which has no 304', async () => {
    const answer = await request(app)
      .post('/capture')
      .set('If-None-Match', '"tag"')
      .send({ url: 'https://example.com/' });

    expect(answer.status).toBe(200);
  });

  it('lets shared caches store the answer of a signed link until the link expires', async () => {
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

describe('createApp, with an uncached capture', () => {
  it('sends the whole result with no-store and without an ETag', async () => {
    const answer = await request(appWith()).get(TARGET).set('If-None-Match', '*');

    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'x-cache': 'BYPASS', 'cache-control': 'no-store' });
    for (const name of ['etag', 'age']) expect(answer.headers).not.toHaveProperty(name);
  });

  it('passes the default cache_ttl to the capture', async () => {
    const seen: number[] = [];
    const app = appWith({ cacheTtl: 300, onCapture: ({ cache_ttl: seconds }) => seen.push(seconds) });

    await request(app).get(TARGET);
    await request(app).get(`${TARGET}&cache_ttl=0`);
    await request(app).post('/capture').send({ url: 'https://example.com/', cache_ttl: 5 });

    expect(seen).toEqual([300, 0, 5]);
  });

  describe('with a token and signed links', () => {
    const keyedApp = appWith({
      result: { caching: CACHING },
      now: () => NOW,
      authToken: 'token',
      urlSigningSecret: SECRET,
      corsOrigins: ['https://app.example.com'],
    });
    const fields = new Map([['url', 'https://example.com/']]);
    const linkFor = (expires: number, secret = SECRET): string =>
      `/capture?${signedQuery(new Map([...fields, ['expires', `${expires}`]]), secret)}`;
    const valid = linkFor(NOW + 20);

    it.each<[what: string, path: string, authorization: string | undefined, status: number]>([
      ['no token', TARGET, undefined, 401],
      ['another token', TARGET, 'Bearer other', 403],
      ['the token in another scheme', TARGET, 'Basic token', 403],
      ['two tokens', TARGET, 'Bearer token, Bearer other', 403],
      ['an expired link', linkFor(NOW - 1), undefined, 403],
      ['a link of another secret', linkFor(NOW + 20, 'other'), undefined, 403],
      ['a link to another page', valid.replace('example.com', 'example.org'), undefined, 403],
      ['an expired link and another token', linkFor(NOW - 1), 'Bearer other', 403],
    ])('answers %s with an error, although the ETag matches', async (_, path, authorization, status) => {
      const known = await request(keyedApp).get(TARGET).set('Authorization', 'Bearer token');
      const answer = await request(keyedApp)
        .get(path)
        .set({ 'If-None-Match': '*', ...(authorization !== undefined && { Authorization: authorization }) });

      expect([known.status, answer.status]).toEqual([200, status]);
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
      expect(answer.headers).not.toHaveProperty('etag');
      expect(answer.text).not.toContain('picture');
    });

    it.each([
      ['200', '"other"'],
      ['304', '"tag"'],
    ])('binds the answer %s to the token in caches of browsers', async (status, known) => {
      const answer = await request(keyedApp)
        .get(TARGET)
        .set({ Authorization: 'Bearer token', 'If-None-Match': known, Origin: 'https://app.example.com' });

      expect([`${answer.status}`, answer.headers['vary']]).toEqual([status, 'Origin, Authorization']);
      expect(answer.headers['cache-control']).toMatch(/^private, /);
    });

    it('binds the answer to the token if the request also has a valid link', async () => {
      const answer = await request(keyedApp).get(valid).set('Authorization', 'Bearer token');

      expect(answer.headers).toMatchObject({
        vary: 'Origin, Authorization',
        'cache-control': 'private, max-age=100, must-revalidate',
      });
    });

    it('keeps the answer of a link independent of other headers of the request', async () => {
      const answer = await request(keyedApp).get(valid).set('Authorization', 'Bearer other');

      expect(answer.headers).toMatchObject({
        vary: 'Origin',
        'cache-control': 'public, max-age=20, must-revalidate',
      });
    });
  });
});
