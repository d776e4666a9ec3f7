import crypto, { createHash } from 'node:crypto';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Express } from 'express';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { signedQuery } from '../../../../src/core/access/signature.ts';
import { createLimits } from '../../../../src/core/http/guards/route-limits.ts';
import { createKeyRing } from '../../../../src/core/access/key-ring.ts';
import { createLog } from '../../../../src/core/ground/log.ts';
import { appWith, type GivenApp } from '../../../support/app.ts';
import { comparable } from '../../../support/errors.ts';

const ADMIN = 'token of the operator';
const SECRETS = { shop: 's'.repeat(32), shopBefore: 'b'.repeat(32), default: 'd'.repeat(32) };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const KEYS = [
  {
    id: 'shop',
    token_sha256: [sha256('shop'), sha256('shop-before')],
    signing_secrets: [SECRETS.shop, SECRETS.shopBefore],
    scopes: ['capture', 'sign'],
    deny_fields: ['custom_js'],
  },
  { id: 'jobs', token_sha256: [sha256('jobs')], scopes: ['jobs'] },
  { id: 'agent', token_sha256: [sha256('agent')], scopes: ['mcp'], signing_secrets: ['a'.repeat(32)] },
  { id: 'signer', token_sha256: [sha256('signer')], scopes: ['sign'], signing_secrets: ['g'.repeat(32)] },
  { id: 'plain', token_sha256: [sha256('plain')] },
  { id: 'off', token_sha256: [sha256('off')], signing_secrets: [SECRETS.shop], disabled: true },
  {
    id: 'old',
    token_sha256: [sha256('old')],
    signing_secrets: [SECRETS.shop],
    expires_at: '2020-01-01T00:00:00Z',
  },
  { id: 'slow', token_sha256: [sha256('slow')], signing_secrets: [SECRETS.shop], rate_limit: '2 per hour' },
];
const FIELDS = { url: 'https://example.com/' };

describe('keys', () => {
  let folder: Awaited<ReturnType<typeof mkdtempDisposable>>;
  beforeAll(async () => {
    folder = await mkdtempDisposable(join(tmpdir(), 'keys-test-'));
    await writeFile(join(folder.path, 'keys.json'), JSON.stringify({ keys: KEYS }));
  });
  afterAll(() => folder.remove());

  const app = (given: GivenApp = {}): Express =>
    appWith({
      keysFile: join(folder.path, 'keys.json'),
      authToken: ADMIN.replaceAll(' ', '-'),
      urlSigningSecret: SECRETS.default,
      mcp: true,
      ...given,
    });
  const capture = (token: string, fields: object = FIELDS, given?: GivenApp) =>
    request(app(given)).post('/capture').set('Authorization', `Bearer ${token}`).send(fields);
  const follow = (params: Readonly<Record<string, string>>, secret: string, given?: GivenApp) =>
    request(app(given)).get(`/capture?${signedQuery(new Map(Object.entries(params)), secret)}`);

  // Requests that the scope allows reach their handler, which answers with another error here.
  it.each([
    ['shop', { capture: 200, sign: 200, jobs: 403, mcp: 403, metrics: 403 }],
    ['jobs', { capture: 403, sign: 403, jobs: 400, mcp: 403, metrics: 403 }],
    ['agent', { capture: 403, sign: 403, jobs: 403, mcp: 200, metrics: 403 }],
    ['plain', { capture: 200, sign: 403, jobs: 403, mcp: 403, metrics: 403 }],
    [ADMIN.replaceAll(' ', '-'), { capture: 200, sign: 200, jobs: 400, mcp: 200, metrics: 200 }],
  ])('lets the key %s do what its scopes say', async (token, expected) => {
    const service = app();
    const as = `Bearer ${token}`;
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const answers = {
      capture: await request(service).post('/capture').set('Authorization', as).send(FIELDS),
      sign: await request(service).post('/sign').set('Authorization', as).send({ params: FIELDS }),
      jobs: await request(service).get('/jobs').set('Authorization', as),
      mcp: await request(service)
        .post('/mcp')
        .set('Authorization', as)
        .set('Accept', 'application/json, text/event-stream')
        .send(ping),
      metrics: await request(service).get('/metrics').set('Authorization', as),
    };

    const statuses = Object.entries(answers).map(([name, { status }]) => [name, status]);
    expect(Object.fromEntries(statuses)).toEqual(expected);
    const refused = Object.values(answers).filter(({ status }) => status === 403);
    // /mcp answers in the form of its protocol
    for (const { body } of refused) expect(body.error_type ?? body.error.data.error_type).toBe('ScopeError');
  });

  it('accepts every token of a key, and none of a disabled or expired one', async () => {
    for (const token of ['shop', 'shop-before']) expect((await capture(token)).status).toBe(200);
    for (const token of ['off', 'old', 'unknown']) {
      expect((await capture(token)).body.error_type).toBe('AuthenticationError');
    }
    expect((await request(app()).post('/capture').send(FIELDS)).status).toBe(401);
  });

  it('needs a token if there is only a file, and has no key default then', async () => {
    const given = { authToken: undefined, urlSigningSecret: undefined };

    expect((await request(app(given)).post('/capture').send(FIELDS)).status).toBe(401);
    expect((await capture('shop', FIELDS, given)).status).toBe(200);
    expect((await follow(FIELDS, SECRETS.default, given)).body.error_type).toBe('InvalidSignatureError');
  });

  it('verifies links with the secrets of the key that they name', async () => {
    for (const secret of [SECRETS.shop, SECRETS.shopBefore]) {
      expect((await follow({ ...FIELDS, key: 'shop' }, secret)).status).toBe(200);
    }
    expect((await follow(FIELDS, SECRETS.default)).status).toBe(200);

    const wrong = [
      follow(FIELDS, SECRETS.shop),
      follow({ ...FIELDS, key: 'shop' }, SECRETS.default),
      follow({ ...FIELDS, key: 'default' }, SECRETS.default),
      follow({ ...FIELDS, key: 'none' }, SECRETS.shop),
      follow({ ...FIELDS, key: 'plain' }, ''.padEnd(32, 'x')),
      follow({ ...FIELDS, key: 'off' }, SECRETS.shop),
      follow({ ...FIELDS, key: 'old' }, SECRETS.shop),
    ];
    for (const answer of await Promise.all(wrong)) expect(answer.body.error_type).toBe('InvalidSignatureError');
  });

  // Its holder could capture anything for ever, as with a link of URL_SIGNING_SECRET.
  it('refuses a link of a key without fields and without an end', async () => {
    const { status, body } = await follow({ key: 'shop' }, SECRETS.shop);

    expect([status, body.message]).toEqual([403, 'A signed URL without capture parameters needs expires']);
  });

  it.each([
    ['a wrong signature', {}, 'InvalidSignatureError'],
    ['an end in the past', { expires: '1' }, 'SignatureExpiredError'],
    ['an end that is no number', { expires: 'soon' }, 'InvalidSignatureError'],
  ])('answers a link with %s alike, whether the named key exists or not', async (_case, params, type) => {
    const answers = [];
    // The key `plain` has no secrets, `off` is disabled and `old` has expired. `default` has URL_SIGNING_SECRET.
    for (const key of ['none', 'shop', 'plain', 'off', 'old', 'default', 'no such id']) {
      answers.push(comparable(await follow({ ...FIELDS, ...params, key }, 'w'.repeat(32), { now: () => 1_000 })));
    }

    expect(answers[0]).toMatchObject({ status: 403, body: { error_type: type } });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  // `undefined` means a link without a key, or a service without KEYS_FILE.
  it.each([
    { key: undefined, given: { urlSigningSecret: undefined } },
    { key: undefined, given: { urlSigningSecret: undefined, keysFile: undefined } },
    { key: 'shop', given: { urlSigningSecret: undefined, keysFile: undefined } },
    { key: 'shop', given: { keysFile: undefined } },
  ])('answers links that are switched off as wrong, also after their end: %j', async ({ key, given }) => {
    const params = { ...FIELDS, ...(key !== undefined && { key }) };
    const service = { ...given, now: () => 1_000 };
    const valid = await follow({ ...params, expires: '2000' }, SECRETS.shop, service);
    const expired = await follow({ ...params, expires: '1' }, SECRETS.shop, service);

    expect(valid).toMatchObject({ status: 403, body: { error_type: 'InvalidSignatureError' } });
    expect(comparable(expired)).toEqual(comparable(valid));
  });

  it('computes as many HMACs for a wrong signature, whether the named key exists or not', async () => {
    const hmacs = vi.spyOn(crypto, 'createHmac');
    syncBuiltinESMExports();
    onTestFinished(() => {
      hmacs.mockRestore();
      syncBuiltinESMExports();
    });
    const service = app();

    const counts = new Map<string, number>();
    // The key `shop` has two secrets, `slow` has one, and `plain` has none.
    for (const key of ['none', 'shop', 'slow', 'plain', 'off', 'old', 'default', '']) {
      hmacs.mockClear();
      const query = new URLSearchParams({ ...FIELDS, ...(key !== '' && { key }), signature: 'wrong' });
      await request(service).get(`/capture?${query}`);
      counts.set(key, hmacs.mock.calls.length);
    }

    expect([...counts].filter(([, count]) => count !== 4)).toEqual([]);
  });

  it('ends the links of a key with the key', async () => {
    const file = join(folder.path, 'short-lived.json');
    await writeFile(file, JSON.stringify({ keys: KEYS }));
    const keys = createKeyRing({
      keysFile: file,
      authToken: undefined,
      urlSigningSecret: undefined,
      fieldNames: new Set(['custom_js']),
      now: Date.now,
      log: createLog({ level: 'silent', format: 'json' }),
    });
    const service = app({ keys });
    const link = `/capture?${signedQuery(new Map(Object.entries({ ...FIELDS, key: 'shop' })), SECRETS.shop)}`;
    expect((await request(service).get(link)).status).toBe(200);

    await writeFile(file, JSON.stringify({ keys: KEYS.slice(1) }));
    keys.reload();

    expect((await request(service).get(link)).body.error_type).toBe('InvalidSignatureError');
    keys.close();
  });

  it('signs no links that /capture would refuse: of a key without the scope capture, or without sign', async () => {
    const refused = await request(app()).post('/sign').set('Authorization', 'Bearer signer').send({ params: FIELDS });
    const tool = { name: 'page_to_pdf', arguments: FIELDS };
    const answer = await request(app())
      .post('/mcp')
      .set('Authorization', 'Bearer agent')
      .set('Accept', 'application/json, text/event-stream')
      .send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool });

    expect([refused.status, refused.body.error_details]).toEqual([403, 'needs the scope capture']);
    expect(answer.body.result.content[0].type).toBe('resource'); // the document itself
  });

  it('signs links with the first secret of the key, and refuses keys without one', async () => {
    const { body } = await request(app()).post('/sign').set('Authorization', 'Bearer shop').send({ params: FIELDS });
    const query = new URL(body.signed_url).searchParams;
    const { signature: _signature, ...params } = Object.fromEntries(query);

    expect(query.get('key')).toBe('shop');
    expect(signedQuery(new Map(Object.entries(params)), SECRETS.shop)).toContain(`signature=${query.get('signature')}`);
  });

  it('refuses denied fields everywhere, and names them', async () => {
    const fields = { ...FIELDS, custom_js: '1' };
    const given: GivenApp = { signedUrlAllow: ['custom_js'] };
    const answers = await Promise.all([
      capture('shop', fields, given),
      request(app(given)).post('/sign').set('Authorization', 'Bearer shop').send({ params: fields }),
      request(app(given))
        .get(`/capture?${new URLSearchParams(fields)}`)
        .set('Authorization', 'Bearer shop'),
      follow({ ...fields, key: 'shop' }, SECRETS.shop, given),
    ]);

    for (const { body } of answers) {
      expect(body).toMatchObject({
        error_type: 'FieldNotAllowedError',
        error_details: 'custom_js: is in deny_fields of this key',
      });
    }
    expect((await capture('plain', fields, given)).status).toBe(200);
  });

  it('has one bucket for the requests and links of a key with its own rate', async () => {
    const rate = { limit: 1, periodMs: 3_600_000 };
    const limits = createLimits({
      rateLimitEnabled: true,
      rateLimitCapture: rate,
      rateLimitSigned: rate,
      sharedStore: undefined,
    });
    const service = app({ limits });
    const asSlow = async () => await request(service).post('/capture').set('Authorization', 'Bearer slow').send(FIELDS);
    const link = `/capture?${signedQuery(new Map(Object.entries({ ...FIELDS, key: 'slow' })), SECRETS.shop)}`;

    expect((await asSlow()).status).toBe(200);
    expect((await request(service).get(link)).status).toBe(200);
    expect((await asSlow()).status).toBe(429);
    expect((await request(service).get(link)).status).toBe(429);
    const other = await request(service).post('/capture').set('Authorization', 'Bearer plain').send(FIELDS);
    expect(other.status).toBe(200);
    limits.close();
  });
});
