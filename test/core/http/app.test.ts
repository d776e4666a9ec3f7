import { once } from 'node:events';
import { connect } from 'node:net';
import pino from 'pino';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import type { CaptureOptions } from '../../../src/core/capture/request/options.ts';
import { ServiceError } from '../../../src/core/ground/errors.ts';
import { appWith } from '../../support/app.ts';

const TARGET = '/capture?url=https://example.com/';

describe('createApp', () => {
  it('sends every header of a capture', async () => {
    const answer = await request(
      appWith({ result: { facts: { warnings: ['network_not_idle', 'fonts_not_ready'] } } }),
    ).get(TARGET);

    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'attachment; filename=screenshot.png',
      'content-length': '7',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/),
      'x-image-width': '3',
      'x-image-height': '2',
      'x-target-status': '200',
      'x-target-url': 'https://example.com/',
      'x-capture-warnings': 'network_not_idle,fonts_not_ready',
      'server-timing': 'queue;dur=0.0, navigate;dur=1.3, ahead;dur=0.0, wait;dur=20.0, render;dur=3.1',
    });
    for (const name of ['x-powered-by', 'etag', 'access-control-allow-origin', 'vary']) {
      expect(answer.headers).not.toHaveProperty(name);
    }
  });

  it('omits headers without a value', async () => {
    const result = { facts: { size: undefined, targetStatus: undefined, targetUrl: undefined } };

    const { headers } = await request(appWith({ result })).get('/capture?html_content=x&format=html');

    expect(Object.keys(headers).filter((name) => /^x-(image|target|capture)/.test(name))).toEqual([]);
    expect(headers['content-security-policy']).toBe('sandbox');
  });

  it.each([
    ['https://example.com/\u{1F600} x', 'https://example.com/%F0%9F%98%80%20x'],
    ['https://example.com/\r\nSet-Cookie: a=b', 'https://example.com/%0D%0ASet-Cookie:%20a=b'],
    ['https://example.com/\uD800', 'https://example.com/%EF%BF%BD'],
    [`https://example.com/${'a'.repeat(2_000)}`, `https://example.com/${'a'.repeat(980)}`],
  ])('sends the target %j as %j', async (targetUrl, expected) => {
    const { headers } = await request(appWith({ result: { facts: { targetUrl } } })).get(TARGET);

    expect(headers['x-target-url']).toBe(expected);
  });

  it.each(['abc', 'A.b:c-d_9', 'x'.repeat(128)])('keeps the request id %s', async (id) => {
    const { headers } = await request(appWith()).get(TARGET).set('X-Request-Id', id);

    expect(headers['x-request-id']).toBe(id);
  });

  it.each(['', 'a b', 'a<b>', 'x'.repeat(129), 'a"b'])('replaces the request id %j', async (id) => {
    const { headers } = await request(appWith()).get('/nowhere').set('X-Request-Id', id);

    expect(headers['x-request-id']).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);
  });

  it('hides the details of a bug from the client and logs all of them', async () => {
    const lines: string[] = [];
    const app = appWith({
      capture: async () => {
        throw new TypeError('secret detail in /srv/app');
      },
      log: pino({}, { write: (line: string) => lines.push(line) }),
    });

    const answer = await request(app).get(TARGET);

    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({
      status: 'error',
      message: 'The service has an unexpected fault',
      error_type: 'InternalServerError',
      timestamp: expect.any(String),
      request_id: answer.headers['x-request-id'],
    });
    expect(answer.text).not.toContain('secret detail');
    const logged = lines.find((line) => line.includes('unexpected failure'));
    expect(logged).toContain('secret detail');
    expect(logged).toContain('"stack"');
  });

  it('logs one line for each request, without query and headers', async () => {
    const lines: string[] = [];
    const app = appWith({ log: pino({}, { write: (line: string) => lines.push(line) }) });

    await request(app).get('/capture?url=https://example.com/secret&format=pdf').set('Cookie', 'a=hidden');

    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'request',
      method: 'GET',
      path: '/capture',
      status: 200,
      format: 'pdf',
      target: 'example.com',
      reqId: expect.any(String),
      durationMs: expect.any(Number),
    });
    expect(lines[0]).not.toMatch(/secret|hidden/);
  });

  it.each(['/stored/%ff', '/stored/a/b%2', '/jobs/%c0%af', '/jobs/%/result', '/playground/%ff', '/%zz'])(
    'reports the path %s as an error of the client',
    async (path) => {
      const { status, body } = await request(appWith({ authToken: 'token' })).get(path);

      expect([400, 404]).toContain(status);
      expect(body.error_type).toMatch(/^(?:ValidationError|NotFoundError)$/);
    },
  );

  it.each(['http://user:password@example.com/capture?secret#secret', '/capture#secret'])(
    'logs only the path of the target %s, and no terminal control characters',
    async (target) => {
      const lines: string[] = [];
      const log = pino({}, { write: (line: string) => lines.push(line) });
      const server = appWith({ log, trustProxy: 1 }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();

      const port = typeof address === 'object' ? address?.port : undefined;
      const socket = connect(port ?? 0, '127.0.0.1');
      const headers = ['Host: 127.0.0.1', 'X-Forwarded-For: \u009b31m', 'Connection: close'];
      socket.end([`GET ${target} HTTP/1.1`, ...headers, '\r\n'].join('\r\n'), 'latin1');
      await once(socket.resume(), 'close');
      server.close();

      expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ path: '/capture', ip: '?31m' }]);
      expect(lines.join('')).not.toMatch(/secret|password|\u009b/);
    },
  );

  it('passes typed options to the capture, from the query and from a body', async () => {
    const seen: CaptureOptions[] = [];
    const app = appWith({ onCapture: (options) => seen.push(options) });
    const fields = { url: 'https://example.com/', full_page: true, pixel_density: 1.5, window_width: 9 };
    const query = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, `${value}`]));

    await request(app).get(`/capture?${query.toString()}`);
    await request(app).post('/capture').send(fields);
    await request(app).get('/capture?html_content=x&full_page=0&block_media=1');

    expect(seen[0]).toMatchObject(fields);
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toMatchObject({ full_page: false, block_media: true });
  });

  it('cancels the capture when the client disconnects', async () => {
    const started = Promise.withResolvers<AbortSignal>();
    const app = appWith({
      capture: (_options, { signal }) => {
        started.resolve(signal);
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('gone')));
        });
      },
    });

    const pending = request(app).get(TARGET);
    const ended = pending.then(
      () => 'answered',
      () => 'aborted',
    );
    const signal = await started.promise;
    const fired = new Promise((resolve) => signal.addEventListener('abort', resolve));
    pending.abort();

    await fired;
    expect(signal.aborted).toBe(true);
    void ended;
  });

  it.each([
    ['https://app.example.com', 'https://app.example.com'],
    ['https://evil.example.com', undefined],
    ['null', undefined],
  ])('allows CORS requests from listed origins: %s', async (origin, allowed) => {
    const app = appWith({ corsOrigins: ['https://app.example.com'] });

    const answer = await request(app).get(TARGET).set('Origin', origin);
    const preflight = await request(app)
      .options('/capture')
      .set('Origin', origin)
      .set('Access-Control-Request-Method', 'POST');

    expect(answer.headers['access-control-allow-origin']).toBe(allowed);
    expect(answer.headers['vary']).toBe('Origin');
    expect(preflight.headers['access-control-allow-origin']).toBe(allowed);
    expect(preflight.status).toBe(allowed === undefined ? 405 : 204);
  });

  it('reports retry_after in Retry-After, too', async () => {
    const error = new ServiceError('OverloadedError', undefined, { retryAfterSeconds: 7 });

    const answer = await request(appWith({ capture: () => Promise.reject(error) })).get(TARGET);

    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '7' }, body: { retry_after: 7 } });
  });
});
