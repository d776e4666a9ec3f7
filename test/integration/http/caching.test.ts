import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedQuery } from '../../../src/core/access/signature.ts';
import { eventually } from '../../support/eventually.ts';
import { readError } from '../../support/errors.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { readHealth, type RunningService, startService } from '../../support/service.ts';

const TOKEN = 'token';
const SECRET = 's3cret';

const head = async (address: string): Promise<Response> => await fetch(address, { method: 'HEAD' });
/** Returns status and headers that a reader of a link sees. */
const seenOf = ({ status, headers }: Response): readonly unknown[] => {
  const names = ['content-type', 'cross-origin-resource-policy', 'x-cache', 'etag', 'cache-control'];
  return [status, ...names.map((name) => headers.get(name))];
};

describe('a service with signed links and a cache', () => {
  let site: FixtureSite;
  let service: RunningService;
  let page = 0;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createFixtureSite(),
      startService({ AUTH_TOKEN: TOKEN, URL_SIGNING_SECRET: SECRET, CACHE_TTL: '600' }),
    ]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  /** Returns a new URL for each test, because the cache outlives them. */
  const ownUrl = (path = '/plain'): string => `${site.url(path)}?page=${++page}`;
  const linkTo = (fields: Readonly<Record<string, string>>, expiresIn = 600): string => {
    const expires = `${Math.floor(Date.now() / 1_000) + expiresIn}`;
    const query = signedQuery(new Map(Object.entries({ expires, ...fields })), SECRET);
    return `${service.url}/capture?${query}`;
  };
  const visitsTo = (url: string): number => site.requests.filter(({ path }) => `${site.origin}${path}` === url).length;
  const capturesSince = async (before: number): Promise<number> =>
    (await readHealth(service.url)).browser.captures - before;

  it('captures once for 1,000 concurrent requests, although each link expires at its own time', async () => {
    const url = ownUrl();
    const { browser } = await readHealth(service.url);
    const links = [linkTo({ url }), linkTo({ url }, 900)];

    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => get(links[index % links.length] ?? '')),
    );

    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(1);
    expect(await capturesSince(browser.captures)).toBe(1);
    expect(visitsTo(url)).toBe(1);
  });

  it('describes a link by HEAD, from the cache or without a capture', async () => {
    const url = ownUrl();
    const link = linkTo({ url, format: 'jpeg' });

    const before = await head(link);
    expect(visitsTo(url)).toBe(0);
    const made = await get(link);
    const after = await head(link);
    const wrong = await head(link.replace('signature=', 'signature=x'));
    const refused = await head(linkTo({ url, widow_width: '1' }));

    expect(seenOf(before)).toEqual([200, 'image/jpeg', 'cross-origin', null, null, 'no-store']);
    expect(seenOf(after).slice(0, 5)).toEqual([200, 'image/jpeg', 'cross-origin', 'HIT', made.headers.get('etag')]);
    expect([await after.text(), after.headers.get('content-length')]).toEqual(['', `${made.body.length}`]);
    const known = await fetch(link, { method: 'HEAD', headers: { 'if-none-match': made.headers.get('etag') ?? '' } });
    const forbidden = await head(linkTo({ url: 'http://10.0.0.1/' }));
    expect([known.status, forbidden.status]).toEqual([304, 400]);
    expect([wrong.status, refused.status, visitsTo(url)]).toEqual([403, 400, 1]);
  });

  it('serves a cached capture with its headers and age, and 304 for a matching ETag', async () => {
    const link = linkTo({ url: ownUrl() });

    const first = await get(link);
    const second = await get(link);
    const known = await get(link, { 'if-none-match': `"other", ${second.headers.get('etag')}` });

    expect([first, second, known].map(({ status }) => status)).toEqual([200, 200, 304]);
    expect([first, second].map(({ headers }) => headers.get('x-cache'))).toEqual(['MISS', 'HIT']);
    expect(second.body).toEqual(first.body);
    expect(known.body).toHaveLength(0);
    expect(second.headers.get('age')).toMatch(/^\d$/);
    for (const name of ['etag', 'content-type', 'x-target-status', 'x-target-url', 'x-image-width'])
      expect(second.headers.get(name)).toBe(first.headers.get(name));
    expect(maxAgeOf(second)).toBeGreaterThan(590);
    expect(maxAgeOf(second)).toBeLessThanOrEqual(600);
  });

  it('serves nothing after the link has expired, cached or not', async () => {
    const url = ownUrl();
    const link = linkTo({ url, expires: `${Math.floor(Date.now() / 1_000) + 6}` });
    const inTime = await get(link);
    expect(inTime.status).toBe(200);
    expect(maxAgeOf(inTime)).toBeLessThanOrEqual(6);

    const late = await untilRefused(link);

    expect(readError(late)).toMatchObject({ status: 403, error_type: 'SignatureExpiredError' });
    expect(late.headers.get('etag')).toBeNull();
    expect((await get(linkTo({ url }))).headers.get('x-cache')).toBe('HIT'); // it was in the cache all along
  });

  it('captures again if a field differs', async () => {
    const url = ownUrl();
    const fields: readonly Readonly<Record<string, string>>[] = [
      {},
      { window_width: '900' },
      { image_quality: '89' },
      { wait_for_timeout: '9999' },
      { cache_ttl: '60' },
    ];

    const answers = await Promise.all(fields.map((field) => get(linkTo({ url, ...field }))));

    expect(answers.map(({ headers }) => headers.get('x-cache'))).toEqual(fields.map(() => 'MISS'));
    expect(visitsTo(url)).toBe(fields.length);
  });

  it('does not cache errors', async () => {
    const link = linkTo({ url: ownUrl('/empty') });

    const answers = [await get(link), await get(link)];

    for (const answer of answers)
      expect(readError(answer)).toMatchObject({ status: 500, error_type: 'NavigationError' });
    expect(answers[1]?.headers.get('x-cache')).toBeNull();
  });

  it('caches the picture of an error page for a minute at most', async () => {
    const answer = await get(linkTo({ url: ownUrl('/status/500') }));

    expect(answer.headers.get('x-target-status')).toBe('500');
    expect(maxAgeOf(answer)).toBe(60);
  });

  it('shares cached captures between the token and links, except those that a link may not request', async () => {
    const url = ownUrl();
    const script = 'document.title';
    const withToken = async (fields: object): Promise<CaptureAnswer> =>
      await capture(service.url, { url, ...fields }, { token: TOKEN });
    await withToken({});
    await withToken({ custom_js: script });

    const [plain, scripted, nobody] = await Promise.all([
      get(linkTo({ url })),
      get(linkTo({ url, custom_js: script })),
      get(`${service.url}/capture?url=${encodeURIComponent(url)}`),
    ]);

    expect([plain.status, plain.headers.get('x-cache')]).toEqual([200, 'HIT']);
    expect(readError(scripted)).toMatchObject({ status: 400, error_type: 'ValidationError' });
    expect(readError(nobody)).toMatchObject({ status: 401 });
  });

  it('captures again with cache_ttl=0', async () => {
    const url = ownUrl();
    const requestCapture = async (): Promise<CaptureAnswer> => await get(linkTo({ url, cache_ttl: '0' }));

    const answers = [await requestCapture(), await requestCapture()];

    expect(answers.map(({ headers }) => [headers.get('x-cache'), headers.get('cache-control')])).toEqual([
      ['BYPASS', 'no-store'],
      ['BYPASS', 'no-store'],
    ]);
    expect(visitsTo(url)).toBe(2);
  });

  it('cancels a capture when the last waiting client has disconnected, and not before', async () => {
    const url = ownUrl('/never');
    const link = linkTo({ url });
    const { browser } = await readHealth(service.url);
    const clients = [new AbortController(), new AbortController()];
    const requested = clients.map(async ({ signal }) => {
      await expect(fetch(link, { signal })).rejects.toThrow('abort');
    });
    // the previous capture is still busy and counts its visit later
    await eventually(() => expect(visitsTo(url)).toBe(1));

    clients[0]?.abort();
    await requested[0];
    expect((await readHealth(service.url)).pool.busy).toBe(1);
    clients[1]?.abort();

    await untilBusy(service.url, 0);
    expect(await capturesSince(browser.captures)).toBe(1);
  });
});

async function get(link: string, headers: Readonly<Record<string, string>> = {}): Promise<CaptureAnswer> {
  const response = await fetch(link, { headers });
  const body = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    headers: response.headers,
    body,
    json: () => JSON.parse(body.toString('utf8')),
  };
}

function maxAgeOf({ headers }: CaptureAnswer): number {
  return Number(/max-age=(\d+)/.exec(headers.get('cache-control') ?? '')?.[1] ?? 0);
}

/** Repeats the request until the status is no longer 200. Uses real time: the service has no other clock. */
async function untilRefused(link: string): Promise<CaptureAnswer> {
  return await eventually(async () => {
    const answer = await get(link);
    expect(answer.status).not.toBe(200);
    return answer;
  });
}

async function untilBusy(base: string, busy: number): Promise<void> {
  await eventually(async () => {
    expect((await readHealth(base)).pool.busy).toBe(busy);
  });
}
