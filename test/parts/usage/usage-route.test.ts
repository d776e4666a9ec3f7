import pino from 'pino';
import request from 'supertest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryCache } from '../../../src/parts/cache/memory-cache.ts';
import { createCaching } from '../../../src/parts/cache/with-cache.ts';
import type { Key } from '../../../src/core/access/key.ts';
import { createMemoryUsageStore } from '../../../src/parts/usage/create-usage.ts';
import { createUsage, type Usage } from '../../../src/parts/usage/usage.ts';
import { withQuota, withUsage } from '../../../src/parts/usage/with-usage.ts';
import { appWith, type GivenApp } from '../../support/app.ts';
import { ServiceError } from '../../../src/core/ground/errors.ts';
import { createMemoryBudget } from '../../../src/core/ground/memory-budget.ts';
import { createMemoryStorage } from '../../support/memory-storage.ts';
import { comparable } from '../../support/errors.ts';
import { keyWith } from '../../support/key.ts';
import { CAPTURE_RESULT } from '../../support/stored-capture.ts';

const NOW_MS = Date.parse('2026-11-23T12:00:00Z');
const END_OF_MONTH = Date.parse('2026-12-01T00:00:00Z') / 1_000;
/** Too large to be sent at once. */
const LARGE_RESULT = { ...CAPTURE_RESULT, file: Buffer.alloc(1_000_000) };
const PAGE = { url: 'https://example.com/' };

const SHOP = keyWith({ quota: { captures: 10, per: 'month' } });
const FREE = keyWith({ id: 'free' });
const KEYS: readonly Key[] = [SHOP, FREE, keyWith({ id: 'default' }), keyWith({ id: 'mute', scopes: new Set() })];
/** The token of a key is its id. */
const keys: GivenApp['keys'] = {
  isRequired: true,
  byToken: (token) => KEYS.find(({ id }) => id === token),
  byId: (id) => KEYS.find((key) => key.id === id),
  acceptsLinks: () => false,
  reload: () => undefined,
  close: () => undefined,
};

let usage: Usage;
let agent: ReturnType<typeof request>;

beforeEach(async () => {
  usage = createUsage(await createMemoryUsageStore(), pino({ level: 'silent' }), () => NOW_MS);
  const cache = createMemoryCache({ maxBytes: 1e6, collectGarbage: () => undefined });
  const made = withQuota(usage)(async () => CAPTURE_RESULT);
  const capture = withUsage(usage)(createCaching({ cache, scope: '' }).around(made));
  agent = request(appWith({ usage, keys, capture, now: () => NOW_MS / 1_000 }));
});
afterEach(() => usage.close());

const get = (path: string, key = 'shop') => agent.get(path).set('Authorization', `Bearer ${key}`);
const post = (fields: object = {}, key = 'shop') =>
  agent
    .post('/capture')
    .set('Authorization', `Bearer ${key}`)
    .send({ ...PAGE, ...fields });
/** Captures with another app, for example one without storage. */
const sendTo = (given: GivenApp, fields: object) =>
  request(appWith({ usage, keys, capture: withQuota(usage)(async () => CAPTURE_RESULT), ...given }))
    .post('/capture')
    .set('Authorization', 'Bearer shop')
    .send({ ...PAGE, ...fields });
const quotaOf = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => [
  headers['x-quota-limit'],
  headers['x-quota-remaining'],
  headers['x-quota-reset'],
];

describe('captures of a key with a quota', () => {
  it('succeed exactly 10 times for 64 concurrent requests, and are refused until the period ends', async () => {
    const answers = await Promise.all(Array.from({ length: 64 }, () => post()));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(54);
    expect(refused[0]).toMatchObject({
      headers: { 'retry-after': `${END_OF_MONTH - NOW_MS / 1_000}` },
      body: {
        error_type: 'QuotaExceededError',
        error_details: 'The key shop may make 10 captures per month',
        retry_after: END_OF_MONTH - NOW_MS / 1_000,
      },
    });
    expect(quotaOf(refused[0] ?? { headers: {} })).toEqual(['10', '0', `${END_OF_MONTH}`]);
  });

  it('have the quota in the headers of all answers, but not without a key or quota', async () => {
    expect(quotaOf(await get('/usage'))).toEqual(['10', '10', `${END_OF_MONTH}`]);
    expect(quotaOf(await post())).toEqual(['10', '9', `${END_OF_MONTH}`]);
    const invalid = await post({ format: 'gif' });
    expect([invalid.status, ...quotaOf(invalid)]).toEqual([400, '10', '9', `${END_OF_MONTH}`]);
    expect(quotaOf(await get('/jobs/unknown'))).toEqual(['10', '9', `${END_OF_MONTH}`]);

    for (const [status, answer] of [
      [404, await get('/no/such/path')],
      [405, await agent.delete('/capture').set('Authorization', 'Bearer shop')],
      [200, await get('/openapi.json')],
    ] as const)
      expect([answer.status, ...quotaOf(answer)]).toEqual([status, '10', '9', `${END_OF_MONTH}`]);

    const none = [undefined, undefined, undefined];
    expect(quotaOf(await get('/no/such/path', 'unknown'))).toEqual(none);
    expect(quotaOf(await post({}, 'free'))).toEqual(none);
    expect(quotaOf(await post({}, 'unknown'))).toEqual(none);
    expect(quotaOf(await agent.get('/health/live'))).toEqual(none);
  });

  it('do not count with status 304, although the capture was made', async () => {
    const link = `/capture?url=${encodeURIComponent(PAGE.url)}&cache_ttl=60`;
    const { headers } = await get(link, 'free');
    const uncached = `${link}&window_width=100`; // another capture with the same bytes

    const answer = await get(uncached).set('If-None-Match', headers['etag'] ?? '');

    expect([answer.status, ...quotaOf(answer)]).toEqual([304, '10', '10', `${END_OF_MONTH}`]);
    expect((await get('/usage')).body).toMatchObject({
      days: [{ captures: 0, cached: 1, bytes: 0 }],
      quota: { used: 0 },
    });
  });

  // A client with one capture left could have all pages: this capture was taken back, and the answer stayed in the
  // cache.
  it('count with status 304 for `If-None-Match: *`, which does not show that the client has the bytes', async () => {
    const link = `/capture?url=${encodeURIComponent(PAGE.url)}&cache_ttl=60`;

    const answer = await get(link).set('If-None-Match', '*');

    expect([answer.status, ...quotaOf(await get('/usage'))]).toEqual([304, '10', '9', `${END_OF_MONTH}`]);
  });

  it('do not count if their result cannot be stored or sent', async () => {
    const broken = {
      ...createMemoryStorage(),
      put: () => Promise.reject(new ServiceError('StorageError')),
    };
    const full = { bodies: createMemoryBudget(1e9), answers: createMemoryBudget(0) };
    const answers = [
      await sendTo({ resultStorage: broken }, { store: true }),
      await sendTo({ budgets: full, capture: withQuota(usage)(async () => LARGE_RESULT) }, {}),
    ];

    expect(answers.map(({ status }) => status)).toEqual([502, 503]);
    expect((await get('/usage')).body).toMatchObject({
      days: [{ captures: 0, failed: 2, bytes: 0 }],
      quota: { used: 0 },
    });
  });
});

describe('GET /usage', () => {
  it('returns the days with usage of this month, and the quota', async () => {
    await post();
    await post({ cache_ttl: 60 });
    await post({ cache_ttl: 60 });

    expect((await get('/usage')).body).toEqual({
      key: 'shop',
      days: [
        {
          date: '2026-11-23',
          captures: 2,
          cached: 1,
          failed: 0,
          jobs: 0,
          bytes: 3 * CAPTURE_RESULT.file.length,
        },
      ],
      quota: { limit: 10, used: 2, resets_at: '2026-12-01T00:00:00.000Z' },
    });
    expect((await get('/usage?from=2026-10-01&to=2026-10-31')).body.days).toEqual([]);
    expect((await get('/usage', 'free')).body).toEqual({ key: 'free', days: [], quota: null });
  });

  it('lets only the key default read other keys', async () => {
    await post();

    expect((await get('/usage?key=shop', 'default')).body).toMatchObject({
      key: 'shop',
      days: [{ captures: 1 }],
      quota: { used: 1 },
    });
    expect((await get('/usage?key=removed', 'default')).body).toEqual({
      key: 'removed',
      days: [],
      quota: null,
    });
    expect((await get('/usage?key=shop')).status).toBe(200);
    expect(await get('/usage?key=free')).toMatchObject({
      status: 403,
      body: { error_type: 'ScopeError', error_details: expect.stringContaining('key: ') },
    });
    expect(await get('/usage', 'mute')).toMatchObject({ status: 403, body: { error_type: 'ScopeError' } });
  });

  it('answers other keys alike, whether the requested key exists or not', async () => {
    const known = comparable(await get('/usage?key=shop', 'free'));

    for (const key of ['none', 'default', 'removed', 'no%20id', '']) {
      expect(comparable(await get(`/usage?key=${key}`, 'free'))).toEqual(known);
    }
  });

  it.each([
    ['from=2026-11-31', 'from: must be a day such as 2026-11-23'],
    ['to=tomorrow', 'to: must be a day such as 2026-11-23'],
    ['from=2026-11-24', 'from: must not be after to, which is 2026-11-23'],
    ['from=2025-10-19', 'from: must be at most 400 days before to, because usage is kept for that long'],
    ['form=2026-11-01', 'form: unknown parameter; accepted are from, to, key'],
    ['constructor=1', 'constructor: unknown parameter; accepted are from, to, key'],
  ])('refuses ?%s with a clear error', async (query, details) => {
    expect(await get(`/usage?${query}`)).toMatchObject({
      status: 400,
      body: { error_type: 'ValidationError', error_details: details },
    });
  });

  it('accepts 400 days', async () => {
    expect((await get('/usage?from=2025-10-20')).status).toBe(200);
  });

  it('names the missing setting of a service without keys', async () => {
    expect(await request(appWith()).get('/usage')).toMatchObject({
      status: 400,
      body: { error_type: 'ValidationError', error_details: 'KEYS_FILE must be set' },
    });
  });

  it('is a page for browsers, without credentials', async () => {
    const page = await agent.get('/usage').set('Accept', 'text/html,*/*;q=0.8');
    expect(page).toMatchObject({ status: 200, type: 'text/html' });
    expect(page.headers['vary']).toContain('Accept');
    expect((await agent.get('/usage').set('Accept', '*/*')).status).toBe(401);

    const hidden = request(appWith({ usage, keys, playground: false }));
    expect((await hidden.get('/usage').set('Accept', 'text/html')).status).toBe(401);
  });
});
