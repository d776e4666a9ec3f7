import request from 'supertest';
import { describe, expect, it } from 'vitest';
import type { CaptureOptions } from '../../../../src/core/capture/request/options.ts';
import { ServiceError } from '../../../../src/core/ground/errors.ts';
import { appWith, type GivenApp } from '../../../support/app.ts';

const NOW_SECONDS = 1_800_000_000;
const TOKEN = 'token';
const url = 'https://example.com/?q=a&page=2';
const CLIP = { x: 0, y: 0, width: 1, height: 1 };

function sign(body: object, given: GivenApp = {}): request.Test {
  const app = appWith({
    authToken: TOKEN,
    urlSigningSecret: 'secret',
    now: () => NOW_SECONDS,
    captureTimeoutMs: 30_000,
    ...given,
  });
  return request(app).post('/sign').set('Authorization', `Bearer ${TOKEN}`).set('Host', 'capture.example').send(body);
}

function refuseAddress({ url: address }: { readonly url?: string | undefined }): Promise<void> {
  return Promise.reject(new ServiceError('DestinationNotAllowedError', address));
}

const refuseGoTo: GivenApp['checkAddresses'] = async ({ actions = [] }) => {
  if (actions.some(({ type }) => type === 'goto')) throw new ServiceError('DestinationNotAllowedError');
};

describe('POST /sign', () => {
  it('creates a link that the service accepts, with the fields unchanged', async () => {
    const seen: CaptureOptions[] = [];
    const params = {
      url,
      full_page: true,
      pixel_density: 1.5,
      hide_selectors: ['.a', '[b="c&window_width=5&d"]'],
      clip: { x: 0, y: 1, width: 2, height: 3 },
    };
    const { body } = await sign({ params, expires_in: 600 });
    const app = appWith({
      authToken: TOKEN,
      urlSigningSecret: 'secret',
      now: () => body.expires,
      onCapture: (options) => seen.push(options),
    });

    const answer = await request(app).get(body.signed_url.replace('http://capture.example', ''));

    expect(body).toEqual({
      signed_url: expect.stringMatching(/^http:\/\/capture\.example\/capture\?url=https%3A/),
      expires: NOW_SECONDS + 600,
    });
    expect(answer.status).toBe(200);
    expect(seen[0]).toMatchObject(params);
  });

  it.each(['javascript', 'no scheme', 'https, http'])(
    "uses the service's own scheme if a proxy sends the scheme %j",
    async (scheme) => {
      const { body } = await sign({ params: { url } }, { trustProxy: ['loopback'] }).set('X-Forwarded-Proto', scheme);

      expect(body.signed_url).toMatch(/^http:\/\/capture\.example\/capture\?/);
    },
  );

  it('creates a link that is valid for an hour by default', async () => {
    const { body } = await sign({ params: { url } });

    expect(body.expires).toBe(NOW_SECONDS + 3600);
  });

  it.each<[problem: string, body: object, details: RegExp]>([
    ['nothing to capture', { params: {} }, /^Either url or html_content must be provided$/],
    ['an invalid field', { params: { url, window_width: 0 } }, /^window_width: must be a whole number/],
    ['text in place of a number', { params: { url, window_width: '800' } }, /^window_width: must be/],
    ['an unknown field', { params: { url, widow_width: 1 } }, /did you mean window_width/],
    ['signature fields', { params: { url, expires: '1' } }, /^expires: is not a known field/],
    ['conflicting fields', { params: { url, selector: 'p', clip: CLIP } }, /^clip: can't be combined/],
    ['a delay as long as a request', { params: { url, delay_capture: 30_000 } }, /^delay_capture: must be below/],
    ['custom code', { params: { url, wait_for_function: 'a' } }, /^wait_for_function: is not accepted in a signed URL/],
    ['a script', { params: { url, init_script: 'a' } }, /^init_script: is not accepted in a signed URL/],
    ['a log-in state', { params: { url, storage_state: {} } }, /^storage_state: is not accepted in a signed URL/],
    [
      'the log-in state of the page',
      { params: { url, response_type: 'json', include: ['storage_state'] } },
      /^include: storage_state is not accepted in a signed URL$/,
    ],
    ['a secret', { params: { url, cookies: [] } }, /^cookies: is not accepted in a signed URL/],
    ['an ambiguous field', { params: { url: 'https://a.example/?b&window_width=9' } }, /Percent-encode that "&"/],
    ['fields too long for a link', { params: { html_content: 'x'.repeat(57_344) } }, /characters long, more than/],
    ['a lifetime of zero', { params: { url }, expires_in: 0 }, /^expires_in: must be a whole number from 1/],
    ['an endless lifetime', { params: { url }, expires_in: 31_536_001 }, /^expires_in: must be/],
    ['no parameters', {}, /^params: must be an object/],
    ['a body of another type', { params: { url }, expire_in: 9 }, /^expire_in: is not a known field$/],
    ['a list', [], /^The request must be a JSON object with params/],
  ])('refuses %s', async (_problem, body, details) => {
    const answer = await sign(body, { maxBodyBytes: 100_000 });

    expect(answer).toMatchObject({ status: 400, body: { error_type: 'ValidationError' } });
    expect(answer.body.error_details).toMatch(details);
  });

  it('refuses oversized fields and blocked addresses, like a capture', async () => {
    const params = { url, window_width: 7680, window_height: 7680, pixel_density: 5 };

    const [large, forbidden] = await Promise.all([
      sign({ params }),
      sign({ params: { url } }, { checkAddresses: refuseAddress }),
    ]);

    expect(large).toMatchObject({ status: 400, body: { error_type: 'ResultTooLargeError' } });
    expect(forbidden).toMatchObject({
      status: 400,
      body: { error_type: 'DestinationNotAllowedError', message: url },
    });
  });

  it('refuses actions that go to blocked addresses', async () => {
    const params = { url, actions: [{ type: 'goto', url: 'http://10.0.0.1/' }] };

    const answer = await sign({ params }, { checkAddresses: refuseGoTo, signedUrlAllow: ['actions'] });

    expect(answer.body).toMatchObject({ error_type: 'DestinationNotAllowedError' });
  });

  it('signs secrets if the operator allows it', async () => {
    const params = { url, cookies: [{ name: 'a', value: 'b' }] };

    const answer = await sign({ params }, { signedUrlAllow: ['cookies'] });

    expect(answer.status).toBe(200);
  });

  it('reports that signing is disabled', async () => {
    const answer = await sign({ params: { url } }, { urlSigningSecret: undefined });

    expect(answer).toMatchObject({
      status: 403,
      body: { error_type: 'InvalidSignatureError', error_details: 'URL_SIGNING_SECRET is not set' },
    });
  });

  it('accepts only the token: a signed link cannot sign others', async () => {
    const { body } = await sign({ params: { url } });
    const query = new URL(body.signed_url).search;
    const app = appWith({ authToken: TOKEN, urlSigningSecret: 'secret', now: () => NOW_SECONDS });

    const answers = await Promise.all([
      request(app).post('/sign').send({ params: { url } }),
      request(app).post(`/sign${query}`).send({ params: { url } }),
      request(app).post('/sign').set('Authorization', 'Bearer x').send({ params: { url } }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 403]);
    expect(answers[0].headers['www-authenticate']).toBe('Bearer');
  });

  it('requires no token if none is set', async () => {
    const app = appWith({ urlSigningSecret: 'secret' });

    const answer = await request(app).post('/sign').send({ params: { url } });

    expect(answer.status).toBe(200);
  });

  it.each([
    ['believed from a trusted proxy', 1, 'https://public.example/capture'],
    ['not believed from anyone else', false, 'http://capture.example/capture'],
  ] as const)('uses the host name of the request: forwarded, %s', async (_case, trustProxy, expected) => {
    const { body } = await sign({ params: { url } }, { trustProxy })
      .set('X-Forwarded-Host', 'public.example')
      .set('X-Forwarded-Proto', 'https');

    expect(body.signed_url.split('?')[0]).toBe(expected);
  });

  it.each(['evil.example/x?', 'user@evil.example', 'a b', 'a"b', 'a:b'])('refuses the host %j', async (host) => {
    const answer = await sign({ params: { url } }).set('Host', host);

    expect(answer).toMatchObject({ status: 400, body: { error_details: /Host header/ } });
  });

  it.each(['capture.example:8080', '127.0.0.1', '[::1]:9', 'a_b.local.'])('accepts the host %s', async (host) => {
    const { body } = await sign({ params: { url } }).set('Host', host);

    expect(body.signed_url.split('/')[2]).toBe(host);
  });

  it('counts against the rate limit of captures', async () => {
    let counted = 0;
    const limits = {
      capture: (_request: unknown, _response: unknown, next: () => void) => {
        counted++;
        next();
      },
      signed: () => undefined,
    };

    await sign({ params: { url } }, { limits });

    expect(counted).toBe(1);
  });

  it('reads no body that is far longer than a link', async () => {
    const answer = await sign({ params: { html_content: 'x'.repeat(300_000) } }, { maxBodyBytes: 1e9 });

    expect(answer.status).toBe(413);
  });
});
