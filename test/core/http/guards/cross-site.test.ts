import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { appWith, type GivenApp } from '../../../support/app.ts';

type Headers = Readonly<Record<string, string>>;

const CAPTURE = '/capture?html_content=x';
const PATHS = [CAPTURE, '/', '/docs', '/openapi.json', '/metrics', '/health', '/nothing'];

/** Returns the status of an answer and the number of captures. */
async function sendRequest(headers: Headers, { path = CAPTURE, ...app }: GivenApp & { path?: string } = {}) {
  let captures = 0;
  const answer = await request(appWith({ ...app, onCapture: () => captures++ }))
    .get(path)
    .set(headers);
  return { status: answer.status, type: answer.body.error_type as unknown, captures };
}

const REFUSED = { status: 403, type: 'CrossSiteRequestError', captures: 0 };
const TAKEN = { status: 200, type: undefined, captures: 1 };

describe('a service without a token', () => {
  it.each<Headers>([
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' },
    { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' },
    { Origin: 'https://attacker.example' },
    { Origin: 'null' },
    { Origin: 'http://127.0.0.1:1' },
    { Origin: 'file://' },
    { Host: 'rebound.example' },
    { Host: 'rebound.example:8080' },
    { Host: '127.0.0.1.rebound.example' },
    { Host: 'localhost.rebound.example' },
    { Host: 'user@rebound.example' },
    { Host: 'captures.example.rebound.example' },
    { Host: 'rebound.example', Origin: 'http://rebound.example', 'Sec-Fetch-Site': 'same-origin' },
    // Browsers connect them to this machine, and send no Sec-Fetch-Site there.
    { Host: '0.0.0.0:8080' },
    { Host: '[::]:8080' },
    { Host: '[::ffff:127.0.0.1]:8080' },
    { Host: '[::ffff:7f00:1]' },
  ])('refuses %j', async (headers) => {
    expect(await sendRequest(headers, { allowedHosts: ['captures.example'] })).toEqual(REFUSED);
  });

  it.each<Headers>([
    {},
    { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' },
    { 'Sec-Fetch-Site': 'same-origin' },
    // A page behind a proxy that changes the host name. Browsers send this header; pages cannot set it.
    { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://captures.example' },
    { Host: 'localhost', Origin: 'http://localhost' },
    { Host: 'localhost:8080', Origin: 'http://localhost:8080' },
    { Host: '10.1.2.3:8080' },
    { Host: '[::1]:8080' },
    { Host: 'capture-service:8080' },
    { Host: 'Captures.Example', Origin: 'https://captures.example' },
    { Host: 'captures.example.:443' },
    { Host: 'listen.example' },
    { Origin: 'https://app.example', 'Sec-Fetch-Site': 'cross-site' },
  ])('accepts %j', async (headers) => {
    const settings = {
      host: 'listen.example',
      allowedHosts: ['captures.example'],
      corsOrigins: ['https://app.example'],
    };

    expect(await sendRequest(headers, settings)).toEqual(TAKEN);
  });

  it('accepts 0.0.0.0 only if ALLOWED_HOSTS lists it, although it listens there', async () => {
    const headers = { Host: '0.0.0.0:8080' };

    expect(await sendRequest(headers, { host: '0.0.0.0' })).toEqual(REFUSED);
    expect(await sendRequest(headers, { allowedHosts: ['0.0.0.0'] })).toEqual(TAKEN);
  });

  it.each(PATHS)('applies the same rules to %s', async (path) => {
    const answers = await Promise.all([
      sendRequest({ 'Sec-Fetch-Site': 'cross-site' }, { path }),
      sendRequest({ Host: 'rebound.example' }, { path }),
    ]);

    expect(answers).toEqual([REFUSED, REFUSED]);
  });

  it('refuses a form of another page at POST /capture and /sign', async () => {
    for (const path of ['/capture', '/sign']) {
      const answer = await request(appWith())
        .post(path)
        .set({ Origin: 'https://attacker.example', 'Content-Type': 'text/plain' })
        .send('{"url":"https://example.com"}');

      expect(answer).toMatchObject({ status: 403, body: { error_type: 'CrossSiteRequestError' } });
    }
  });

  it.each(['/', '/docs'])('shows %s to a user who follows a link', async (path) => {
    const visit = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' };

    expect((await sendRequest({ ...visit, 'Sec-Fetch-Dest': 'document' }, { path })).status).toBe(200);
    expect((await sendRequest({ ...visit, 'Sec-Fetch-Dest': 'iframe' }, { path })).status).toBe(403);
  });

  it('shows a stored file to a user who follows a link, but not embedded in another page', async () => {
    const path = '/stored/a.png?expires=1&signature=x';
    const app = { path, checkStoredLink: async () => undefined };
    const visit = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' };

    expect((await sendRequest({ ...visit, 'Sec-Fetch-Dest': 'document' }, app)).type).toBe('NotFoundError');
    expect(await sendRequest({ ...visit, 'Sec-Fetch-Dest': 'iframe' }, app)).toEqual(REFUSED);
    expect(await sendRequest({ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }, app)).toEqual(REFUSED);
    expect(await sendRequest({ ...visit, 'Sec-Fetch-Dest': 'document', Host: 'a.example' }, app)).toEqual(REFUSED);
  });

  it('names the setting that allows the request', async () => {
    const [name, origin] = await Promise.all([
      request(appWith()).get('/').set('Host', 'a.example'),
      request(appWith()).get('/').set('Origin', 'https://a.example'),
    ]);

    expect(name.body).toMatchObject({ error_details: expect.stringContaining('ALLOWED_HOSTS') });
    expect(origin.body).toMatchObject({ error_details: expect.stringContaining('CORS_ORIGINS') });
  });
});

describe('a service with a token', () => {
  const authToken = 'token';
  const authorization = { Authorization: `Bearer ${authToken}` };

  it('requires only the token', async () => {
    const headers = { ...authorization, 'Sec-Fetch-Site': 'cross-site', Origin: 'null', Host: 'a.example' };

    expect(await sendRequest(headers, { authToken })).toEqual(TAKEN);
  });

  it('accepts the host names of ALLOWED_HOSTS', async () => {
    const settings = { authToken, allowedHosts: ['captures.example'] };

    expect(await sendRequest({ ...authorization, Host: 'captures.example' }, settings)).toEqual(TAKEN);
    expect(await sendRequest({ ...authorization, Host: '10.0.0.1' }, settings)).toEqual(TAKEN);
    expect(await sendRequest({ ...authorization, Host: 'a.example' }, settings)).toEqual(REFUSED);
  });
});

describe('Cross-Origin-Resource-Policy', () => {
  it('prevents other sites from embedding a capture', async () => {
    const answer = await request(appWith()).get(CAPTURE);

    expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
  });
});
