import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invalid, readError } from '../../support/errors.ts';
import { type RawAnswer, send } from '../../support/raw-http.ts';
import { type RunningService, startService } from '../../support/service.ts';

const TOKEN = 'f00d'.repeat(16);
const SECRET = 'ключ-secret-鍵';
const HTML = '<p>Hello & good day</p>';

const NO_CREDENTIALS = {
  status: 401,
  error_type: 'AuthenticationError',
  message: 'Authentication is required: a bearer token or a signed URL',
};
const BAD_TOKEN = { status: 403, error_type: 'AuthenticationError', message: 'Invalid authentication token' };
const MISSING = { status: 403, error_type: 'InvalidSignatureError', message: 'Missing signature' };
const BAD_SIGNATURE = { status: 403, error_type: 'InvalidSignatureError', message: 'Invalid signature' };
const EXPIRED = { status: 403, error_type: 'SignatureExpiredError', message: 'Signature has expired' };

describe('with AUTH_TOKEN and URL_SIGNING_SECRET', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ AUTH_TOKEN: TOKEN, URL_SIGNING_SECRET: SECRET });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const get = (query: string, authorization?: string): Promise<RawAnswer> =>
    send(service.url, {
      method: 'GET',
      path: `/capture?${query}`,
      headers: authorization === undefined ? {} : { authorization },
    });
  const post = (query: string, body: string, authorization?: string): Promise<RawAnswer> =>
    send(service.url, {
      path: `/capture${query === '' ? '' : `?${query}`}`,
      headers: {
        'content-type': 'application/json',
        ...(authorization === undefined ? {} : { authorization }),
      },
      body,
    });
  const capture = { format: 'html', html_content: HTML };
  const unsigned = new URLSearchParams(capture).toString();

  it.each(['Bearer', 'bearer'])('accepts the token after %s, for GET and POST', async (scheme) => {
    const answers = await Promise.all([
      get(unsigned, `${scheme} ${TOKEN}`),
      post('', JSON.stringify(capture), `${scheme} ${TOKEN}`),
    ]);

    expect(answers.map(isCaptured)).toEqual([true, true]);
  });

  it('accepts a valid token together with any signature', async () => {
    expect(isCaptured(await get(`${unsigned}&signature=wrong&expires=1`, `Bearer ${TOKEN}`))).toBe(true);
  });

  it('requires credentials if the request has none', async () => {
    const answer = await get(unsigned);

    expect(readError(answer)).toEqual(NO_CREDENTIALS);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('sends an unauthenticated client the whole answer while it still uploads a long body', async () => {
    const body = 'x'.repeat(8_000_000);
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(service.url, { body })));

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });

  it.each([
    ['another token', `Bearer ${TOKEN.replace('f', '0')}`],
    ['a longer token', `Bearer ${TOKEN}0`],
    ['a prefix of the token', `Bearer ${TOKEN.slice(0, 10)}`],
    ['an empty token', 'Bearer '],
    ['no scheme', TOKEN],
    ['another scheme', `Basic ${TOKEN}`],
    ['an empty header', ''],
  ])('refuses %s', async (_name, authorization) => {
    expect(readError(await get(unsigned, authorization))).toEqual(BAD_TOKEN);
  });

  it.each(['Bearer wrong', undefined])(
    'answers an empty signature like a missing one, authorization: %s',
    async (authorization) => {
      expect(readError(await get(`${unsigned}&signature=`, authorization))).toEqual(MISSING);
      expect(readError(await get(`${unsigned}&signature=&expires=1`, authorization))).toEqual(MISSING);
    },
  );

  it.each(['Bearer wrong', undefined])('accepts a signed GET, authorization: %s', async (authorization) => {
    expect(isCaptured(await get(signed({ ...capture, expires: inAMinute() }), authorization))).toBe(true);
  });

  it('accepts a signed POST, and a link that does not expire', async () => {
    const answer = await send(service.url, { path: `/capture?${signed(capture)}` });

    expect(isCaptured(answer)).toBe(true);
  });

  it.each([
    ['an expired link', signed({ ...capture, expires: '1700000000' }), EXPIRED],
    ['an expired link with a wrong signature', `${unsigned}&expires=1700000000&signature=x`, EXPIRED],
    ['a signature of another key', signed(capture, 'another'), BAD_SIGNATURE],
    ['a short signature', `${unsigned}&signature=x`, BAD_SIGNATURE],
    ['a long signature', `${unsigned}&signature=${'x'.repeat(2_000)}`, BAD_SIGNATURE],
    ['a padded signature', `${signed(capture)}=`, BAD_SIGNATURE],
    ['an added field', `${signed(capture)}&full_page=true`, BAD_SIGNATURE],
    ['an unknown added field', `${signed(capture)}&x=1`, BAD_SIGNATURE],
    ['a changed value', signed(capture).replace('good', 'bad'), BAD_SIGNATURE],
    ['an added expires', `${signed(capture)}&expires=9999999999`, BAD_SIGNATURE],
    ['an expires that is not a number', signed({ ...capture, expires: '9e9' }), BAD_SIGNATURE],
  ])('refuses %s', async (_name, query, expected) => {
    expect(readError(await get(query))).toEqual(expected);
  });

  it('uses the first value of each repeated parameter, for the check and for the capture', async () => {
    const answer = await get(`${signed(capture)}&format=pdf&html_content=other`);

    expect(isCaptured(answer)).toBe(true);
  });

  it('does not sign a link to an address that a capture would refuse', async () => {
    const [forbidden, unknown] = await Promise.all([
      signBy(service.url, 'http://10.0.0.1/'),
      signBy(service.url, 'https://no-such-name.example.com/'),
    ]);

    expect(readError(forbidden)).toMatchObject({
      status: 400,
      error_type: 'DestinationNotAllowedError',
      error_details: expect.stringContaining('EGRESS_ALLOW'),
    });
    expect(unknown.status).toBe(200); // the address may exist when the link is opened
  });

  it('accepts capture fields in the body of a POST if the signed query has none', async () => {
    const pass = signed({ expires: inAMinute() });

    expect(isCaptured(await post(pass, JSON.stringify(capture)))).toBe(true);
  });

  it('refuses a body that adds fields to the signed query', async () => {
    const answer = await post(signed(capture), '{"full_page":true}');

    expect(readError(answer)).toEqual(invalid(expect.stringMatching(/must not have a body$/)));
  });

  it('refuses a link whose signed text can be parsed in two ways', async () => {
    const url = 'https://example.com/?a=1&window_width=9';

    const answer = await get(signed({ url }));

    expect(readError(answer)).toEqual(invalid(expect.stringMatching(/^The value of "url" contains .*%26/)));
  });

  it('authenticates before it validates', async () => {
    expect(readError(await post('', '{', 'Bearer wrong'))).toEqual(BAD_TOKEN);
    expect(readError(await post('', '{'))).toEqual(NO_CREDENTIALS);
    expect(readError(await post('', '{', `Bearer ${TOKEN}`))).toMatchObject({ status: 400 });
  });

  it.each(['/health', '/health/live', '/health/ready'])('serves %s without authentication', async (path) => {
    expect(await send(service.url, { method: 'GET', path })).toMatchObject({ status: 200 });
  });

  it('logs no token, secret, signature or query', () => {
    const output = service.output();

    expect(output).toContain('/capture');
    for (const secret of [TOKEN, TOKEN.slice(0, 10), SECRET, 'signature=', 'html_content=', 'good day', 'expires']) {
      expect(output).not.toContain(secret);
    }
  });
});

describe('without URL_SIGNING_SECRET', () => {
  it('refuses every signature, also one made with an empty key', async () => {
    await using service = await startService({ AUTH_TOKEN: TOKEN });
    const path = `/capture?${signed({ html_content: HTML }, '')}`;

    expect(readError(await send(service.url, { method: 'GET', path }))).toEqual(BAD_SIGNATURE);
    expect(readError(await send(service.url, { method: 'GET', path: '/capture?html_content=x&signature=' }))).toEqual(
      MISSING,
    );
  });
});

describe('without AUTH_TOKEN', () => {
  it('accepts every request, and warns if other machines can reach it', async () => {
    await using service = await startService({ URL_SIGNING_SECRET: SECRET, HOST: '0.0.0.0' });
    const path = '/capture?html_content=x&format=html';

    const answers = await Promise.all([
      send(service.url, { method: 'GET', path }),
      send(service.url, { method: 'GET', path, headers: { authorization: 'Bearer wrong' } }),
      send(service.url, { method: 'GET', path: `${path}&signature=wrong&expires=1` }),
    ]);

    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(service.logs().map(({ level, msg }) => `${level}: ${msg}`)).toContain(
      'warn: AUTH_TOKEN is not set: anyone who can reach this address can capture',
    );
  });
});

/** Signs a link as docs/signed-links.md describes it, without code of the service. */
function signed(params: Readonly<Record<string, string>>, secret = SECRET): string {
  const text = Object.entries(params)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const signature = createHmac('sha256', secret).update(text, 'utf8').digest('base64url');
  return new URLSearchParams({ ...params, signature }).toString();
}

function inAMinute(): string {
  return `${Math.floor(Date.now() / 1_000) + 60}`;
}

function isCaptured({ status, body }: RawAnswer): boolean {
  return status === 200 && body.includes('good day');
}

function signBy(base: string, url: string): Promise<RawAnswer> {
  return send(base, {
    path: '/sign',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ params: { url } }),
  });
}
