import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invalid, readError } from '../../support/errors.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { PROTECTED_PAGE } from '../../support/pages/own-origin.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

type Seen = FixtureSite['requests'][number];

describe('request data for the origin of the page', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), sharedService()]);
  });
  afterAll(() => site.close());

  const captureOf = (path: string, fields: Readonly<Record<string, unknown>>): Promise<CaptureAnswer> =>
    capture(service.url, { url: site.url(path), format: 'html', wait_for_network: 'idle', ...fields });
  /** Returns the requests of one capture, to the page's own origin and to the other site. */
  const requestsOf = async (
    path: string,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<{ own: readonly Seen[]; foreign: readonly Seen[] }> => {
    const before = site.requests.length;
    const { status } = await captureOf(path, fields);
    expect(status).toBe(200);
    const seen = site.requests.slice(before);
    const isOwn = ({ headers }: Seen): boolean => `http://${headers.host}` === site.origin;
    return { own: seen.filter(isOwn), foreign: seen.filter((each) => !isOwn(each)) };
  };
  const crossing = (path: string): string => `/redirect-to?url=${encodeURIComponent(`${site.crossSiteOrigin}${path}`)}`;

  it.each([{}, { block_media: true }, { http_auth: PROTECTED_PAGE }])(
    'sends custom_headers to the origin alone, together with %j',
    async (others) => {
      const custom_headers = { 'X-Secret': 'secret-1', 'accept-language': 'tlh' };

      const { own, foreign } = await requestsOf('/mixed', { custom_headers, ...others });

      expect(own.map(({ path }) => path)).toEqual(expect.arrayContaining(['/mixed', '/own/script.js']));
      for (const { headers } of own)
        expect(headers).toMatchObject({ 'x-secret': 'secret-1', 'accept-language': 'tlh' });
      expect(foreign.length).toBeGreaterThan(0);
      for (const { headers } of foreign) expect(Object.values(headers)).not.toContain('secret-1');
      for (const { headers } of foreign) expect(headers['accept-language']).not.toBe('tlh');
    },
  );

  it('does not send custom_headers along with a redirect to another origin', async () => {
    const { own, foreign } = await requestsOf(crossing('/headers'), {
      custom_headers: { 'X-Secret': 'secret-1', Authorization: 'Bearer secret-2' },
    });

    expect(own.map(({ headers }) => headers['x-secret'])).toEqual(['secret-1']);
    expect(foreign.map(({ path }) => path)).toEqual(['/headers']);
    expect(JSON.stringify(foreign[0]?.headers)).not.toMatch(/secret/);
  });

  it('sends custom_headers with every redirect within the origin', async () => {
    const { own } = await requestsOf('/redirect/2', { custom_headers: { 'X-Secret': 'secret-1' } });

    expect(own.map(({ headers }) => headers['x-secret'])).toEqual(['secret-1', 'secret-1', 'secret-1']);
  });

  it('sends custom_headers to a URL that contains credentials', async () => {
    const before = site.requests.length;
    await capture(service.url, {
      url: site.url('/headers').replace('http://', 'http://user:word@'),
      custom_headers: { 'X-Secret': 'secret-1' },
    });

    expect(site.requests[before]?.headers['x-secret']).toBe('secret-1');
  });

  it('blocks media together with custom_headers', async () => {
    const { own } = await requestsOf('/media', {
      block_media: true,
      custom_headers: { 'X-Secret': 'secret-1' },
    });

    expect(own.map(({ path }) => path)).toEqual(['/media']);
  });

  it('answers HTTP authentication of its origin only', async () => {
    const allowed = await captureOf('/protected', { http_auth: PROTECTED_PAGE });
    expect(allowed.headers.get('x-target-status')).toBe('200');

    const { foreign } = await requestsOf('/mixed', { http_auth: PROTECTED_PAGE });
    expect(foreign.map(({ path }) => path)).toContain('/foreign/protected');
    for (const { headers } of foreign) expect(headers.authorization).toBeUndefined();

    const crossed = await captureOf(crossing('/protected'), { http_auth: PROTECTED_PAGE });
    expect(crossed.headers.get('x-target-status')).toBe('401');
  });

  it('tries a wrong password once', async () => {
    const before = site.requests.length;

    const answer = await captureOf('/protected', { http_auth: { username: 'reader', password: 'wrong' } });

    expect(answer.headers.get('x-target-status')).toBe('401');
    expect(site.requests.length - before).toBe(2);
  });

  it('sets the cookies before the first request, and sends none to other origins', async () => {
    const { own, foreign } = await requestsOf('/mixed', {
      cookies: [
        { name: 'a', value: '1' },
        { name: 'b', value: '2', http_only: true, same_site: 'lax', expires: 4_000_000_000 },
        { name: 'elsewhere', value: '3', path: '/own' },
        { name: 'd', value: '4', domain: '127.0.0.1' },
      ],
    });

    const cookieOf = (requestedPath: string): string | undefined =>
      own.find(({ path }) => path === requestedPath)?.headers.cookie;
    expect(cookieOf('/mixed')?.split('; ').toSorted()).toEqual(['a=1', 'b=2', 'd=4']);
    expect(cookieOf('/own/script.js')).toContain('elsewhere=3');
    for (const { headers } of foreign) expect(headers.cookie).toBeUndefined();
  });

  it.each([
    [{ name: 'a', value: '1', domain: 'example.com' }, 'cookies[1].domain: must be the host of url or a parent of it'],
    [{ name: 'a', value: '1', domain: '1.127.0.0.1' }, 'cookies[1].domain: must be the host of url or a parent of it'],
    [
      { name: '__Host-a', value: '1' },
      'cookies[1]: is not a cookie that the browser accepts: check its name, value, path, secure and same_site',
    ],
    [
      { name: 'a', value: '1', same_site: 'none' },
      'cookies[1]: is not a cookie that the browser accepts: check its name, value, path, secure and same_site',
    ],
  ])('refuses the cookie %j', async (cookie, details) => {
    const answer = await captureOf('/headers', { cookies: [{ name: 'fine', value: '' }, cookie] });

    expect(readError(answer)).toEqual(invalid(details));
  });
});
