import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedQuery } from '../../../../src/core/access/signature.ts';
import { type KeyedApp, secretOf, startKeyedApp, tokenOf } from '../../../support/keyed-app.ts';

const PAGE = { url: 'https://example.com/' };
const KEYS = ['reader', 'worker', 'other'];

const linkOf = (fields: Readonly<Record<string, string>>, secret: string): string =>
  `/capture?${signedQuery(new Map(Object.entries({ ...PAGE, ...fields })), secret)}`;

describe('a service with KEYS_FILE and URL_SIGNING_SECRET, but without AUTH_TOKEN', () => {
  let service: KeyedApp;
  beforeAll(async () => {
    service = await startKeyedApp({ authToken: undefined });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const get = (path: string, token?: string) => {
    const sent = request(service.app).get(path);
    return token === undefined ? sent : sent.set('Authorization', `Bearer ${token}`);
  };
  const post = (path: string, token: string, body: object) =>
    request(service.app).post(path).set('Authorization', `Bearer ${token}`).send(body);

  it('verifies links without a key by URL_SIGNING_SECRET, and links of keys by their own secrets', async () => {
    expect((await get(linkOf({}, secretOf('default')))).status).toBe(200);
    expect((await get(linkOf({ key: 'worker' }, secretOf('worker')))).status).toBe(200);

    for (const key of [...KEYS, 'default']) {
      const { body } = await get(linkOf({ key }, secretOf('default')));
      expect(body.error_type).toBe('InvalidSignatureError');
    }
  });

  it('signs links of keys with their own secrets', async () => {
    const { body } = await post('/sign', tokenOf('worker'), { params: PAGE });
    const { signature: _, ...params } = Object.fromEntries(new URL(body.signed_url).searchParams);

    expect(body.signed_url).toContain(signedQuery(new Map(Object.entries(params)), secretOf('worker')));
    expect(params).toMatchObject({ key: 'worker' });
  });

  it.each(['default', 'undefined', tokenOf('default'), secretOf('default')])(
    'has no key default with the token %s',
    async (token) => {
      const answers = [await post('/capture', token, PAGE), await get('/metrics', token)];

      for (const { status, body } of answers) expect([status, body.error_type]).toEqual([403, 'AuthenticationError']);
    },
  );

  it('refuses /metrics to every key and every link', async () => {
    const { search } = new URL(linkOf({}, secretOf('default')), 'http://localhost');
    const answers = await Promise.all([
      ...KEYS.map((id) => get('/metrics', tokenOf(id))),
      get('/metrics'),
      get(`/metrics${search}`),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 401, 401]);
    expect(answers.filter(({ text }) => text.includes('captures_total'))).toEqual([]);
  });

  it('hides files and usage of such links from every key', async () => {
    const fields = { store: 'true', store_path: 'a.png' };
    const { headers } = await get(linkOf(fields, secretOf('default')));
    const { pathname, search } = new URL(String(headers['x-stored-url']));
    const file = pathname + search;

    expect(pathname).toBe('/stored/a.png');
    expect((await get(file)).body.toString()).toBe('picture of default');
    for (const id of KEYS) {
      expect((await get(file, tokenOf(id))).status).toBe(404);
      expect((await get('/usage?key=default', tokenOf(id))).status).toBe(403);
      const own = await post('/capture', tokenOf(id), { ...PAGE, store: true, store_path: 'a.png' });
      expect(own.headers['x-stored-url']).toContain(`/stored/~owners/${id}/a.png?`);
    }
    expect((await get(file)).body.toString()).toBe('picture of default');
  });

  it('gives such links no other route', async () => {
    const { search } = new URL(linkOf({}, secretOf('default')), 'http://localhost');

    for (const path of ['/jobs', '/usage', '/templates']) expect((await get(`${path}${search}`)).status).toBe(401);
  });
});
