import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../src/core/ground/errors.ts';
import { createHttpServer, type HttpServer } from '../../../../src/core/http/server.ts';
import { createMemoryBudget, type MemoryBudget } from '../../../../src/core/ground/memory-budget.ts';
import { appWith, type GivenApp } from '../../../support/app.ts';
import { eventually } from '../../../support/eventually.ts';

const MEGABYTE = 1024 ** 2;
const BODY_BYTES = 2 * MEGABYTE;
const SMALL = '{"url":"http://example.com/"}';
const SMALL_MARKUP = '{"html_content":"<h1>Hello</h1>"}';

const MULTIPART = 'multipart/form-data; boundary=B';
const part = (name: string, text: string): string =>
  `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;

describe('request bodies', () => {
  let server: HttpServer | undefined;
  let port = 0;
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await server?.close();
  });

  const start = async (bodies: MemoryBudget, given: GivenApp = {}): Promise<void> => {
    const budgets = { bodies, answers: createMemoryBudget(1e9) };
    server = createHttpServer(appWith({ maxBodyBytes: BODY_BYTES, budgets, ...given }));
    ({ port } = await server.listen('127.0.0.1', 0));
  };

  /** Sends the head of a request and a part of the body, without an end. */
  const begin = (headers: readonly string[], body: string | Buffer = '', path = '/capture'): Socket => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    const head = [`POST ${path} HTTP/1.1`, 'Host: test', 'Content-Type: application/json', ...headers];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(body);
    return socket;
  };
  const sendSmall = async (): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${port}/capture`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: SMALL,
    });
    await answer.arrayBuffer();
    return answer.status;
  };

  // 100 bodies without their last byte held 1.1 GB, before the queue was checked.
  it('count from their first bytes, even if the last one never arrives', async () => {
    const bodies = createMemoryBudget(8 * MEGABYTE);
    await start(bodies);

    const unfinished = Array.from({ length: 6 }, () =>
      begin([`Content-Length: ${BODY_BYTES}`], Buffer.alloc(BODY_BYTES - 1, 'x')),
    );

    const refused = unfinished.map(statusOf);
    expect(await Promise.any(refused)).toBe(503);
    await eventually(() => expect(bodies.state().refusals).toBeGreaterThanOrEqual(3));
    expect(bodies.state().usedBytes).toBeLessThanOrEqual(6 * MEGABYTE); // the share of one client
  });

  it('leave room for a small body in a full budget, and release it afterwards', async () => {
    const bodies = createMemoryBudget(3 * MEGABYTE);
    await start(bodies);
    const socket = begin([`Content-Length: ${BODY_BYTES}`], Buffer.alloc(BODY_BYTES - 1, 'x'));
    await eventually(() => expect(bodies.state().usedBytes).toBeGreaterThan(MEGABYTE));
    bodies.take(3 * MEGABYTE - bodies.state().usedBytes);
    const filled = bodies.state().usedBytes;

    expect(await sendSmall()).toBe(200);
    socket.destroy();
    await eventually(() => expect(bodies.state().usedBytes).toBeLessThan(filled - MEGABYTE));
  });

  // Each chunk was stored as it came, with some hundred bytes of overhead per byte.
  it('take no more memory in ten thousand pieces than in one', async () => {
    const bodies = createMemoryBudget(8 * MEGABYTE);
    await start(bodies);
    const before = process.memoryUsage().arrayBuffers;

    begin(['Transfer-Encoding: chunked'], '1\r\nx\r\n'.repeat(300_000));
    await eventually(() => expect(bodies.state().usedBytes).toBeGreaterThan(250_000));

    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * MEGABYTE);
    expect(bodies.state().usedBytes).toBeLessThan(MEGABYTE);
  });

  it('are refused before the first byte if the headers announce too much', async () => {
    const bodies = createMemoryBudget(8 * MEGABYTE);
    await start(bodies);
    bodies.take(7 * MEGABYTE);
    const query = '/capture?url=http%3A%2F%2Fexample.com';

    // Concurrently, because the server lingers before each answer.
    const statuses = await Promise.all([
      statusOf(begin([`Content-Length: ${BODY_BYTES}`], '', query)),
      statusOf(begin(['Transfer-Encoding: chunked'], '', query)),
      statusOf(begin([`Content-Length: ${BODY_BYTES + 1}`])),
      statusOf(begin(['Content-Length: 5', 'Content-Encoding: gzip'])),
      statusOf(begin([`Content-Length: ${BODY_BYTES}`])), // the budget has no room for it
    ]);

    expect(statuses).toEqual([400, 400, 413, 415, 503]);
  });

  it('are not read when the queue is full', async () => {
    const bodies = createMemoryBudget(8 * MEGABYTE);
    await start(bodies, { refuseWhenFull: isFull });

    expect(await statusOf(begin([`Content-Length: ${BODY_BYTES}`]))).toBe(503);
    expect(bodies.state().usedBytes).toBe(0);
  });

  it.each([
    ['is answered', `${part('a', 'x'.repeat(MEGABYTE))}${part('request', SMALL_MARKUP)}--B--\r\n`, 200],
    ['has 101 files', `${part('a', 'x'.repeat(MEGABYTE))}${part('b', '').repeat(101)}`, 400],
    ['has 21 MB', part('a', 'x'.repeat(21_000_000)), 413],
    ['has too much JSON', part('request', 'x'.repeat(BODY_BYTES + 1)), 413],
    ['has no end', part('a', 'x'.repeat(MEGABYTE)), 400],
    ['finds no memory', part('a', 'x'.repeat(20_000_000)), 503],
  ])('with files release their memory when the body %s', async (_name, body, status) => {
    const bodies = createMemoryBudget(status === 503 ? 8 * MEGABYTE : 64 * MEGABYTE);
    await start(bodies);

    const stream = new Blob([body]).stream(); // announces no length
    const request = { method: 'POST', headers: { 'content-type': MULTIPART }, body: stream, duplex: 'half' };
    const answer = await fetch(`http://127.0.0.1:${port}/capture`, request);
    await answer.arrayBuffer();

    expect(answer.status).toBe(status);
    await eventually(() => expect(bodies.state().usedBytes).toBe(0));
  });

  it('with files release their memory when the client leaves half-way', async () => {
    const bodies = createMemoryBudget(64 * MEGABYTE);
    await start(bodies);
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(
      `POST /capture HTTP/1.1\r\nHost: test\r\nContent-Type: ${MULTIPART}\r\nContent-Length: 9000000\r\n\r\n`,
    );
    socket.write(part('a', 'x'.repeat(3 * MEGABYTE)));
    await eventually(() => expect(bodies.state().usedBytes).toBeGreaterThan(2 * MEGABYTE));

    socket.destroy();

    await eventually(() => expect(bodies.state().usedBytes).toBe(0));
  });

  it('are not required: a request without one needs no queue slot, because the cache may answer', async () => {
    await start(createMemoryBudget(8 * MEGABYTE), { refuseWhenFull: isFull });

    const answer = await fetch(`http://127.0.0.1:${port}/capture?url=http%3A%2F%2Fexample.com`);

    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
  });
});

function isFull(): never {
  throw new ServiceError('OverloadedError', undefined, { retryAfterSeconds: 1 });
}

/** Returns the status of the answer, 0 if there is none. */
async function statusOf(socket: Socket): Promise<number> {
  const timer = setTimeout(() => socket.destroy(), 10_000);
  const answer = await new Promise<string>((resolve) => {
    socket.once('data', (chunk) => resolve(String(chunk)));
    socket.once('close', () => resolve(''));
  });
  clearTimeout(timer);
  return Number(answer.slice(9, 12));
}
