import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../../../src/core/ground/errors.ts';
import { createHttpServer, type HttpServer } from '../../../../src/core/http/server.ts';
import { createMemoryBudget } from '../../../../src/core/ground/memory-budget.ts';
import { appWith } from '../../../support/app.ts';

const TOKEN = 'token';
const JSON_TYPE = 'Content-Type: application/json';
const GOOD = `Authorization: Bearer ${TOKEN}`;
const BODY = '{"url":"https://example.com/"}';

type Refusal = readonly [status: number, line: string, headers: readonly string[]];

const REFUSALS: readonly Refusal[] = [
  [401, 'POST /capture', [JSON_TYPE]],
  [403, 'POST /capture', [JSON_TYPE, 'Authorization: Bearer wrong']],
  [403, 'POST /capture?signature=x', [JSON_TYPE]],
  [404, 'POST /nowhere', [JSON_TYPE]],
  [405, 'DELETE /capture', [JSON_TYPE]],
  [413, 'POST /capture', [JSON_TYPE, GOOD, 'Content-Length: 999999']],
  [415, 'POST /capture', ['Content-Type: text/plain', GOOD]],
  [415, 'POST /jobs', [JSON_TYPE, GOOD, 'Content-Encoding: gzip']],
  [429, 'POST /sign', [JSON_TYPE, GOOD]],
  [503, 'POST /mcp', [JSON_TYPE, GOOD, 'Content-Length: 50000']],
];

describe('a request that is refused before its body is read', () => {
  let server: HttpServer;
  let port = 0;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    const app = appWith({
      authToken: TOKEN,
      urlSigningSecret: 'secret',
      mcp: true,
      maxBodyBytes: 60_000,
      budgets: { bodies: createMemoryBudget(0), answers: createMemoryBudget(1e9) },
      limits: {
        signed: (_request, _response, next) => next(),
        capture: (request, _response, next) => {
          next(request.path === '/sign' ? new ServiceError('RateLimitError') : undefined);
        },
      },
    });
    server = createHttpServer(app);
    ({ port } = await server.listen('127.0.0.1', 0));
  });
  afterEach(() => {
    vi.useRealTimers();
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  afterAll(() => server.close());

  /** Opens a connection and sends the head of a request. The body follows only if the headers give its length. */
  const open = (line: string, headers: readonly string[]): Socket => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
    sockets.push(socket);
    const length = headers.some((header) => header.startsWith('Content-Length')) ? [] : ['Transfer-Encoding: chunked'];
    socket.write([`${line} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, ...length, '', ''].join('\r\n'));
    return socket;
  };

  // Lingering happened before the answer: each of these took three seconds.
  it.each(REFUSALS)('gets its %i while the body is still being sent: %s %j', async (status, line, headers) => {
    const socket = open(line, headers);
    let hasClosed = false;
    socket.once('close', () => (hasClosed = true));

    const answer = await firstBytes(socket);

    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain('\r\nConnection: close\r\n');
    expect(hasClosed).toBe(false); // the server lingers: a reset would discard the answer
    expect(socket.write('1\r\nx\r\n')).toBe(true);
  });

  it.each(REFUSALS)('gets no 100 Continue: %i %s %j', async (status, line, headers) => {
    const socket = open(line, [...headers, 'Expect: 100-continue']);

    expect(await firstBytes(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('keeps the connection open if the whole body came with the headers', async () => {
    const head = ['POST /nowhere HTTP/1.1', 'Host: 127.0.0.1', JSON_TYPE, `Content-Length: ${BODY.length}`];
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);

    socket.write([...head, '', BODY].join('\r\n'));
    const first = await firstBytes(socket);
    socket.write([...head, '', BODY].join('\r\n'));
    const second = await firstBytes(socket);

    expect([first, second].map((answer) => answer.slice(0, 12))).toEqual(['HTTP/1.1 404', 'HTTP/1.1 404']);
    expect(first).toContain('Connection: keep-alive');
  });

  it('closes after the linger time while its client continues to send', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const socket = open('POST /nowhere', [JSON_TYPE]);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await Promise.all([firstBytes(socket), once(socket, 'end')]);
    // fails after the connection is closed
    const drip = setInterval(() => socket.write('1\r\nx\r\n', () => undefined), 20);

    vi.advanceTimersByTime(3_000);
    await expect(closed).resolves.toBeDefined();

    clearInterval(drip);
  });

  it('reaches a client that sends a large body anyway', async () => {
    const answers = Array.from({ length: 5 }, async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/nowhere`, {
        method: 'POST',
        body: Buffer.alloc(5_000_000, 'x'),
      });
      return [answer.status, JSON.parse(await answer.text()).error_type];
    });

    expect(await Promise.all(answers)).toEqual(Array.from({ length: 5 }, () => [404, 'NotFoundError']));
  });
});

describe('Expect: 100-continue', () => {
  it('requests the body of an accepted request', async () => {
    const server = createHttpServer(appWith());
    const { port } = await server.listen('127.0.0.1', 0);
    const socket = connect(port, '127.0.0.1');
    const length = `Content-Length: ${BODY.length}`;
    const head = ['POST /capture HTTP/1.1', 'Host: 127.0.0.1', JSON_TYPE, length, 'Expect: 100-continue'];

    socket.write([...head, '', ''].join('\r\n'));
    const [go]: unknown[] = await once(socket, 'data');
    socket.write(BODY);
    const [answer]: unknown[] = await once(socket, 'data');

    expect(String(go)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 /);
    socket.destroy();
    await server.close();
  });
});

async function firstBytes(socket: Socket): Promise<string> {
  const [bytes]: unknown[] = await once(socket, 'data');
  return String(bytes);
}
