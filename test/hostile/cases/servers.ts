import { expect } from 'vitest';
import { documentOf, type Handler, type HostileCase, scriptPage } from '../hostile-case.ts';

const TIMEOUT = '500 TimeoutError';
const NO_PAGE = '500 NavigationError';

/** Sends the same data repeatedly, on drain or after `everyMs`, until the other side disconnects. */
function endless(chunk: string | Buffer, headers: Readonly<Record<string, string>>, everyMs?: number): Handler {
  return (_request, response) => {
    response.writeHead(200, { 'cache-control': 'no-store', ...headers });
    if (everyMs !== undefined) {
      const timer = setInterval(() => response.write(chunk), everyMs);
      response.once('close', () => clearInterval(timer));
      return;
    }
    const pour = (): void => {
      while (!response.destroyed && response.write(chunk)) continue;
    };
    response.on('drain', pour);
    pour();
  };
}

/** Writes to the raw connection. */
function raw(...parts: readonly (string | Buffer)[]): Handler {
  return ({ socket }) => {
    for (const part of parts) socket.write(part);
    socket.end();
  };
}

const HTML = { 'content-type': 'text/html' };
const FILE =
  (headers: Readonly<Record<string, string>>, status = 200): Handler =>
  (_request, response) => {
    response.writeHead(status, headers).end(status === 204 || status === 205 ? undefined : 'bytes');
  };

export const SERVER_CASES: readonly HostileCase[] = [
  {
    id: 'H08',
    title: 'a page that never stops requests: polling, a long poll, server-sent events',
    pages: () => ({
      '': scriptPage(
        "setInterval(() => fetch('p').catch(() => {}), 50); fetch('long').catch(() => {}); new EventSource('events');",
      ),
      p: (_request, response) => response.end('x'),
      long: () => {},
      events: endless('data: x\n\n', { 'content-type': 'text/event-stream' }, 100),
    }),
    requests: ({ site }) => [{ url: site, wait_for_network: 'idle', wait_for_timeout: 1_000 }],
  },
  {
    id: 'H09',
    title: 'a server that accepts the connection and never answers',
    isCore: true,
    pages: () => ({ '': () => {} }),
    requests: ({ site }) => [{ url: site, wait_for_timeout: 1_500 }],
    outcomes: [TIMEOUT],
  },
  {
    id: 'H10',
    title: 'headers, then an endless body',
    pages: () => ({ '': endless(' ', HTML, 200) }),
    outcomes: [TIMEOUT],
  },
  {
    id: 'H11',
    title: 'one byte per second, in headers and in a body',
    pages: () => ({
      body: endless('x', HTML, 1_000),
      headers: ({ socket }) => {
        socket.write('HTTP/1.1 200 OK\r\nx-a: ');
        const timer = setInterval(() => socket.write('a'), 1_000);
        socket.once('close', () => clearInterval(timer));
      },
    }),
    requests: ({ site }) => ['body', 'headers'].map((path) => ({ url: `${site}${path}`, wait_for_timeout: 3_000 })),
    outcomes: [TIMEOUT],
  },
  {
    id: 'H12',
    title: 'pictures and fonts that never arrive',
    pages: () => ({
      '': documentOf(
        '<img src="never"><p style="font-family:F">x</p>',
        '<style>@font-face { font-family: F; src: url(never) }</style>',
      ),
      never: () => {},
    }),
    requests: ({ site }) => [{ url: site, wait_for_timeout: 1_500 }],
    outcomes: ['200'],
  },
  {
    id: 'H14',
    title: 'an endless document at full speed',
    pages: () => ({ '': endless(Buffer.alloc(65_536, ' '), HTML) }),
    outcomes: [NO_PAGE, TIMEOUT, '500 PageCrashedError'],
  },
  {
    id: 'H14a',
    title: 'an endless download through fetch',
    pages: () => ({
      '': scriptPage("fetch('pour').then(async (r) => { for await (const x of r.body); });"),
      pour: endless(Buffer.alloc(65_536), { 'content-type': 'application/octet-stream' }),
    }),
    requests: ({ site }) => [{ url: site, wait_for_network: 'idle', wait_for_timeout: 3_000 }],
    outcomes: ['200', NO_PAGE, TIMEOUT],
  },
  {
    id: 'H30',
    title: 'downloads, and answers that are not pages',
    isCore: true,
    pages: () => ({
      attachment: FILE({
        'content-disposition': 'attachment; filename="../../evil.sh"',
        'content-type': 'text/html',
      }),
      binary: FILE({ 'content-type': 'application/octet-stream' }),
      zip: FILE({ 'content-type': 'application/zip' }),
      204: FILE({}, 204),
      205: FILE({}, 205),
    }),
    requests: ({ site }) => ['attachment', 'binary', 'zip', '204'].map((path) => ({ url: `${site}${path}` })),
    outcomes: [NO_PAGE],
  },
  {
    id: 'H30a',
    title: 'thousands of downloads from a page',
    pages: () => ({
      '': scriptPage(
        `onload = () => { for (let n = 0; n < 1000; n++) { const a = document.createElement('a'); a.href = 'data:application/octet-stream,x'; a.download = n + '.bin'; a.click(); } };`,
      ),
    }),
    outcomes: ['200', TIMEOUT],
  },
  {
    id: 'H32',
    title: 'HTTP authentication: Basic, Digest, Negotiate, invalid schemes',
    isCore: true,
    pages: () =>
      Object.fromEntries(
        ['Basic realm="x"', 'Digest realm="x", nonce="y"', 'Negotiate', 'NTLM', 'x'].map((challenge, index) => [
          `${index}`,
          (_request, response) => {
            response.writeHead(401, { 'www-authenticate': challenge, ...HTML }).end(documentOf('who are you?'));
          },
        ]),
      ),
    requests: ({ site }) => [0, 1, 2, 3, 4].map((path) => ({ url: `${site}${path}`, format: 'html' })),
    verify: ({ answers }) => {
      for (const { body } of answers) expect(body.toString()).toContain('who are you?');
    },
  },
  {
    id: 'H33',
    title: 'an untrusted certificate',
    isCore: true,
    requests: ({ tls }) => [{ url: tls }],
    outcomes: [NO_PAGE],
  },
  {
    id: 'H33a',
    title: 'plain HTTP at an https address, and an endless TLS handshake',
    requests: ({ site }) => [{ url: site.replace('http:', 'https:'), wait_for_timeout: 2_000 }],
    outcomes: [NO_PAGE, TIMEOUT],
  },
  {
    id: 'H34',
    title: 'a service worker that intercepts every request and never answers',
    pages: () => ({
      '': scriptPage(
        "navigator.serviceWorker?.register('worker').then(() => navigator.serviceWorker.ready).then(() => { location = '?again'; });",
      ),
      worker: (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/javascript' });
        response.end(
          'oninstall = () => skipWaiting(); onactivate = (e) => e.waitUntil(clients.claim()); onfetch = (e) => e.respondWith(new Promise(() => {}));',
        );
      },
    }),
    requests: ({ port }) => [
      { url: `http://site.example.net:${port}/H34/`, wait_for_network: 'idle', wait_for_timeout: 2_500 },
    ],
    outcomes: ['200', TIMEOUT],
  },
  {
    id: 'H45',
    title: 'titles and final addresses that are invalid header values',
    isCore: true,
    pages: () => ({
      '': scriptPage(
        "document.title = 'a\\r\\nset-cookie: b=c' + '😀'.repeat(30000); history.replaceState(0, '', '?' + '😀\\u0085\\u2028'.repeat(2000) + '%0d%0aset-cookie:%20b=c');",
      ),
    }),
    verify: ({ answers }) => {
      const headers = answers[0]?.headers;
      if (!(headers instanceof Headers)) throw new TypeError('no headers');
      expect(headers.get('set-cookie')).toBeNull();
      expect((headers.get('x-target-url') ?? '').length).toBeLessThanOrEqual(1_000);
    },
  },
  {
    id: 'H46',
    title: 'malformed HTTP answers',
    pages: () => ({
      noise: raw(Buffer.alloc(10_000, 0xa5)),
      empty: raw(),
      length: raw('HTTP/1.1 200 OK\r\ncontent-length: 99999\r\ncontent-type: text/html\r\n\r\nshort'),
      lengths: raw('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'),
      chunks: raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'),
      gzip: raw('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nxxxx'),
      headers: raw(`HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(400_000)}\r\n\r\n`),
      status: raw('HTTP/1.1 999 \r\ncontent-length: 0\r\n\r\n'),
      continue: raw('HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000)),
      location: raw('HTTP/1.1 302 Found\r\nlocation: http://[\r\n\r\n'),
    }),
    requests: ({ site }) =>
      ['noise', 'empty', 'length', 'lengths', 'chunks', 'gzip', 'headers', 'status', 'continue', 'location'].map(
        (path) => ({ url: `${site}${path}`, wait_for_timeout: 3_000 }),
      ),
    outcomes: ['200', NO_PAGE, TIMEOUT],
  },
  {
    id: 'H49',
    title: 'supplied markup whose resources never arrive',
    pages: () => ({ never: () => {} }),
    requests: ({ site }) => [
      {
        html_content: `<img src="${site}never"><script src="${site}never"></script>`,
        wait_for_timeout: 1_500,
      },
    ],
    outcomes: ['200'],
  },
];
