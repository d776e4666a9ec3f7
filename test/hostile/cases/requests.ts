import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { send, sendJson } from '../../support/raw-http.ts';
import { type CaseAnswer, documentOf, type HostileCase, type Outcome, type Scene } from '../hostile-case.ts';
import { MAX_BODY_BYTES } from '../world.ts';

const INVALID = '400 ValidationError';
const CROSS_SITE = '403 CrossSiteRequestError';
const TOO_LARGE = '413 PayloadTooLargeError';
const JSON_TYPE = { 'content-type': 'application/json' };
const RAW_LIMIT_MS = 20_000; // longer than the service waits for headers
const PAGE = { '': documentOf('page') };

/** Sends each of these bodies unchanged. */
function bodies(
  id: string,
  title: string,
  given: readonly (string | Buffer)[],
  outcomes: readonly Outcome[],
  isCore = false,
): HostileCase {
  return {
    id,
    title,
    isCore,
    outcomes,
    requests: ({ service }) => given.map((body) => () => sendJson(service, body)),
  };
}

/** Adds each of these fields to an otherwise valid request. */
function fields(id: string, title: string, given: readonly string[], isCore = false): HostileCase {
  return bodies(
    id,
    title,
    given.map((field) => `{"html_content":"x",${field}}`),
    [INVALID],
    isCore,
  );
}

/** A multipart body with a part `request`, and a boundary of one letter. */
function multipart(json: string, headers = ''): string {
  return `--x\r\n${headers}Content-Disposition: form-data; name="request"\r\n\r\n${json}\r\n--x--\r\n`;
}

/** Writes to a raw connection and returns the first answer; the client leaves the connection open. */
function sendRaw({ service }: Scene, text: string): Promise<CaseAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      const [head = '', body] = received.split('\r\n\r\n', 2);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
      if (body === undefined || body.length < length) return;
      const [statusLine = '', ...lines] = head.split('\r\n');
      const headers = lines
        .map((line) => line.split(': ', 2))
        .map(([name = '', value = '']): [string, string] => [name, value]);
      resolve({
        status: Number(statusLine.split(' ')[1]),
        headers: new Headers(headers),
        body: body.slice(0, length),
      });
      socket.destroy();
    });
    socket.setTimeout(RAW_LIMIT_MS, () => socket.destroy());
    socket.on('error', reject).on('close', () => reject(new Error(`closed without an answer: ${received}`)));
  });
}

export const REQUEST_CASES: readonly HostileCase[] = [
  {
    id: 'A01',
    title: 'oversized bodies: by one byte, chunked, by Content-Length',
    requests: (scene) => {
      const { service } = scene;
      const body = JSON.stringify({ html_content: 'x'.repeat(MAX_BODY_BYTES) });
      return [
        () => sendJson(service, body.slice(0, MAX_BODY_BYTES + 1)),
        () => send(service, { headers: JSON_TYPE, body, chunked: true }),
        () =>
          sendRaw(
            scene,
            `POST /capture HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 1000000000000\r\n\r\n{`,
          ),
      ];
    },
    outcomes: [TOO_LARGE],
  },
  {
    id: 'A01a',
    title: 'an endless chunked body',
    requests: (scene) => {
      const chunk = 'x'.repeat(MAX_BODY_BYTES + 1);
      const head =
        'POST /capture HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
      return [() => sendRaw(scene, `${head}${chunk.length.toString(16)}\r\n${chunk}\r\n`)];
    },
    outcomes: [TOO_LARGE],
  },
  {
    id: 'A02',
    title: 'compressed bodies',
    requests: ({ service }) => [
      () =>
        send(service, {
          headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
          body: gzipSync(Buffer.alloc(100_000_000)),
        }),
    ],
    outcomes: ['415 UnsupportedMediaTypeError'],
  },
  bodies(
    'A03',
    'JSON that is deep, wide, truncated or not an object',
    [
      '['.repeat(100_000),
      `{${'"a":'.repeat(50_000)}`,
      `{${Array.from({ length: 300_000 }, (_, n) => `"${n}":1`).join()}}`,
      '[]',
      '1',
      'null',
      '"x"',
      '',
      ' ',
      '{',
      '{"html_content":"x",}',
      '{"html_content":"x"}{}',
    ],
    [INVALID],
    true,
  ),
  {
    id: 'A04',
    title: 'other content types',
    requests: ({ service }) =>
      [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/mixed; boundary=x',
        'application/json;charset=utf-16',
        'application/json; charset=utf-7',
        'application/xml',
        'application/jsonp',
      ].map((type) => () => send(service, { headers: { 'content-type': type }, body: '{"html_content":"x"}' })),
    outcomes: ['415 UnsupportedMediaTypeError'],
  },
  {
    id: 'A04a',
    title: 'multipart bodies: broken, without an end, with 100,000 parts or headers, with paths as names',
    requests: ({ service }) =>
      [
        '{"html_content":"x"}',
        '--x\r\n',
        '--x--\r\n',
        multipart(''),
        multipart('{'),
        multipart('['.repeat(100_000)),
        multipart('{"html_content":"x"}').slice(0, -6),
        multipart('{"html_content":"x"}', 'Content-Type: text/plain\r\n'.repeat(100_000)),
        '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(100_000),
        ...['../a', '/etc/passwd', 'a\\b', '__proto__/../a', ''].map(
          (name) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n\r\n${multipart('{}')}`,
        ),
      ].map((body) => () => send(service, { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body })),
    outcomes: [INVALID],
  },
  bodies(
    'A05',
    'bodies that are not UTF-8',
    [
      Buffer.from('{"html_content":"\xff\xfe"}', 'latin1'),
      Buffer.from('{"html_content":"x"}', 'utf16le'),
      Buffer.from([0xc0, 0xaf]),
    ],
    [INVALID],
  ),
  fields(
    'A07',
    'values of the wrong type or size',
    [
      '"window_width":"800"',
      '"window_width":1e400',
      '"window_width":-1',
      '"window_width":0',
      '"window_width":1.5',
      '"window_width":9007199254740993',
      '"window_width":null',
      '"full_page":"true"',
      '"full_page":1',
      '"image_quality":-0.5',
      '"pixel_density":0',
      '"format":["png"]',
      '"format":{"a":1}',
      '"selector":1',
      '"teapot":1',
      '"__proto__":{"format":"pdf"}',
      '"constructor":1',
    ],
    true,
  ),
  bodies(
    'A08',
    'both and neither of url and html_content',
    ['{}', '{"url":"http://site.example.net/","html_content":"x"}', '{"format":"png"}', '{"url":null}'],
    [INVALID],
  ),
  {
    id: 'A09',
    title: 'queries: brackets, capitals, thousands of parameters, invalid escapes, prototype names',
    requests: ({ service }) =>
      [
        'url[]=http://a/',
        'URL=http://site.example.net/',
        'html_content=x&a[b]=c',
        'html_content=x&__proto__=1',
        `html_content=x&${'a=1&'.repeat(2_000)}`,
        'html_content=%',
        'html_content=%ff',
        'html_content=x&full_page=yes',
      ].map((query) => () => send(service, { method: 'GET', path: `/capture?${query}` })),
    outcomes: [INVALID],
  },
  {
    id: 'A10-A17',
    title: 'signatures: changed, widened, replayed, expired, ambiguous; no secret',
    elsewhere: 'test/integration/http/auth.test.ts and test/core/access/signature.test.ts',
  },
  {
    id: 'A18',
    title: 'HEAD, which would make a capture without sending it',
    requests: ({ service }) => [() => send(service, { method: 'HEAD', path: '/capture?html_content=x' })],
    outcomes: ['405 '],
  },
  {
    id: 'A20',
    title: 'bearer tokens in every invalid form',
    elsewhere: 'test/integration/http/auth.test.ts and test/core/access/bearer.test.ts',
  },
  {
    id: 'A21-A22',
    title: 'forged or rotating client addresses',
    elsewhere: 'test/integration/http/limits.test.ts and test/core/http/guards/limiter.test.ts',
  },
  {
    id: 'A28',
    title: '1,000 pipelined requests, and 1,000 silent connections',
    requests: (scene) => [
      () => sendRaw(scene, 'GET /health/live HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(1_000)),
      async () => {
        const { hostname, port } = new URL(scene.service);
        const idle = Array.from({ length: 1_000 }, () => connect(Number(port), hostname).on('error', () => undefined));
        const answer = await send(scene.service, { method: 'GET', path: '/health/live' });
        for (const socket of idle) socket.destroy();
        return answer;
      },
    ],
    blocked: 'any',
  },
  {
    id: 'A29',
    title: 'headers and bodies that never end',
    withinMs: 14_000,
    requests: (scene) => [() => sendRaw(scene, 'POST /capture HTTP/1.1\r\nhost: a\r\nx-a: ')],
    outcomes: ['408 ValidationError'],
  },
  {
    id: 'A30-A31',
    title: 'clients that disconnect at every stage, or read slowly',
    elsewhere: 'test/integration/http/overload.test.ts',
  },
  {
    id: 'A32',
    title: 'a missing and a foreign Host header',
    requests: (scene) => [
      () => sendRaw(scene, 'GET /capture?url=x HTTP/1.1\r\n\r\n'),
      () => send(scene.service, { method: 'GET', path: '/capture?url=x', headers: { host: 'evil.example.net' } }),
    ],
    outcomes: [INVALID, CROSS_SITE],
    verify: ({ answers }) => {
      for (const answer of answers) expect(JSON.stringify(answer)).not.toContain('evil');
    },
  },
  {
    id: 'A33',
    title: 'requests that two parsers read differently (request smuggling)',
    isCore: true,
    requests: (scene) =>
      [
        'content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET',
        'content-length: 5\r\ncontent-length: 6\r\n\r\n{}',
        'transfer-encoding: xchunked\r\n\r\n0\r\n\r\n',
        'content-length: +5\r\n\r\n{}',
        'a b: c\r\n\r\n',
        'x-a: b\nx-c: d\r\n\r\n',
        'x: \u0000\r\n\r\n',
      ].map(
        (text) => () =>
          sendRaw(scene, `POST /capture HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${text}`),
      ),
    outcomes: [INVALID],
  },
  {
    id: 'A34',
    title: 'cross-origin preflight and request',
    requests: ({ service }) => [
      () =>
        send(service, {
          method: 'OPTIONS',
          headers: { origin: 'https://evil.example.net', 'access-control-request-method': 'POST' },
        }),
      () => send(service, { method: 'GET', path: '/nothing', headers: { origin: 'null' } }),
    ],
    outcomes: ['405 MethodNotAllowedError', CROSS_SITE],
    verify: ({ answers }) => {
      for (const { headers } of answers) expect(headers).not.toHaveProperty('access-control-allow-origin');
    },
  },
  fields('A36', 'invalid and endless waits', [
    '"wait_for_timeout":0',
    '"wait_for_timeout":1e9',
    '"wait_for_timeout":-1',
    '"wait_for_timeout":"∞"',
    '"wait_for_network":"never"',
  ]),
  {
    id: 'A37',
    title: '400 concurrent captures with two slots and a queue of 64',
    pages: () => PAGE,
    requests: ({ service, site }) => {
      const body = JSON.stringify({ url: site, window_width: 64, window_height: 64 });
      return Array.from({ length: 400 }, () => () => sendJson(service, body)); // one connection each
    },
    atOnce: true,
    outcomes: ['200', '503 OverloadedError', '500 TimeoutError'],
    verify: ({ answers }) => {
      const captured = answers.filter(({ status }) => status === 200);
      expect(captured.length).toBeGreaterThan(10);
      expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThanOrEqual(300);
    },
  },
  {
    id: 'A38',
    title: 'a flood with one token against another token',
    elsewhere: 'test/core/http/guards/keys.test.ts',
  },
  {
    id: 'A39',
    title: 'html output opened in a browser',
    isCore: true,
    pages: () => ({ '': documentOf('<script>alert(1)</script>') }),
    requests: ({ site }) => [{ url: site, format: 'html' }],
    verify: ({ answers }) => {
      const headers = answers[0]?.headers;
      expect(headers instanceof Headers && Object.fromEntries(headers)).toMatchObject({
        'content-security-policy': expect.stringContaining('sandbox'),
        'content-disposition': 'attachment; filename=screenshot.html',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
    },
  },
  fields('A40', 'markup in values that an error quotes', [
    '"<script>alert(1)</script>":1',
    '"format":"\\"><script>alert(1)</script>"',
  ]),
  { id: 'A41', title: 'secrets in logs', elsewhere: 'test/integration/http/auth.test.ts' },
];
