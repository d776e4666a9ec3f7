import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createExpress } from '../../../../src/core/http/app.ts';
import { createSendBody } from '../../../../src/core/http/answers/send-body.ts';
import { createHttpServer, type HttpServer } from '../../../../src/core/http/server.ts';
import { createMemoryBudget, type MemoryBudget } from '../../../../src/core/ground/memory-budget.ts';
import { eventually } from '../../../support/eventually.ts';

const LARGE = Buffer.alloc(20 * 1024 ** 2, 'x'); // larger than the socket buffers of the system
const SMALL = Buffer.from('small');

describe('answers', () => {
  let server: HttpServer | undefined;
  let port = 0;
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await server?.close();
  });

  /** Sends a separate body for each request to /large, and a shared one to /same. */
  const start = async (
    budget: MemoryBudget,
    limits: { readonly stallLimitMs?: number; readonly shortStallLimitMs?: number } = {},
  ): Promise<void> => {
    const app = createExpress();
    const sendBody = createSendBody({ budget, ...limits });
    const bodies: Readonly<Record<string, () => Buffer>> = {
      '/large': () => Buffer.from(LARGE),
      '/same': () => LARGE,
      '/small': () => SMALL,
    };
    app.use((request, response) => {
      sendBody(response, bodies[request.path]?.() ?? SMALL, { isKept: false });
    });
    server = createHttpServer(app);
    ({ port } = await server.listen('127.0.0.1', 0));
  };
  /** Sends a request and reads nothing. */
  const openRequest = (path: string): Socket => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket.pause());
    socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`);
    return socket;
  };
  const read = async (path: string): Promise<Buffer> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    expect(answer.headers.get('content-length')).toBe(`${path === '/small' ? SMALL.length : LARGE.length}`);
    return Buffer.from(await answer.arrayBuffer());
  };

  it.each(['/small', '/large'])('arrive completely, and are released from the budget then: %s', async (path) => {
    const budget = createMemoryBudget(1e9);
    await start(budget);

    const bodies = await Promise.all([read(path), read(path)]);

    expect(bodies.map((body) => body.equals(path === '/small' ? SMALL : LARGE))).toEqual([true, true]);
    await eventually(() => expect(budget.state().usedBytes).toBe(0));
  });

  // 20 of them held 1.2 GB for as long as their clients liked.
  it('are dropped with their connection if the client does not read', async () => {
    const budget = createMemoryBudget(1e9);
    await start(budget, { stallLimitMs: 200 });
    const socket = openRequest('/large');
    await eventually(() => expect(budget.state().usedBytes).toBe(LARGE.length));

    await eventually(() => expect(budget.state().usedBytes).toBe(0));
    socket.resume();
    await once(socket, 'close'); // long before the end of the body
  });

  it('take no memory if the client has left before', async () => {
    const budget = createMemoryBudget(1e9);
    const sendBody = createSendBody({ budget });
    const app = createExpress();
    const [arrived, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    app.use((_request, response) => {
      arrived.resolve();
      response.once('close', () => {
        sendBody(response, LARGE, { isKept: false });
        left.resolve();
      });
    });
    server = createHttpServer(app);
    ({ port } = await server.listen('127.0.0.1', 0));
    const socket = openRequest('/large');
    await arrived.promise;
    socket.destroy();
    await left.promise;

    expect(budget.state().usedBytes).toBe(0);
  });

  it('count once if they share a body, until the last client has disconnected', async () => {
    const budget = createMemoryBudget(1e9);
    await start(budget);
    const [first, second] = [openRequest('/same'), openRequest('/same')];
    await Promise.all([once(first, 'readable'), once(second, 'readable')]);

    expect(budget.state().usedBytes).toBe(LARGE.length);
    first.destroy();
    await read('/same');
    expect(budget.state().usedBytes).toBe(LARGE.length);
    second.destroy();
    await eventually(() => expect(budget.state().usedBytes).toBe(0));
  });

  it('make room for others, longest unread first', async () => {
    const budget = createMemoryBudget(2.5 * LARGE.length);
    await start(budget, { shortStallLimitMs: 0 });
    const first = openRequest('/large');
    await once(first, 'readable');
    const second = openRequest('/large');
    await once(second, 'readable');

    expect((await read('/large')).equals(LARGE)).toBe(true);
    first.resume();
    await once(first, 'close');
    await eventually(() => expect(budget.state().usedBytes).toBe(LARGE.length)); // the second answer still waits
  });

  // 16 unread pictures held 600 MB for 50 s, because the budget had room for them.
  it('are dropped, oldest first, while slow clients exceed their share together', async () => {
    const budget = createMemoryBudget(1e9);
    await start(budget, { shortStallLimitMs: 50 });

    const sockets = Array.from({ length: 8 }, () => openRequest('/large'));
    await Promise.all(sockets.map((socket) => once(socket, 'readable')));

    await eventually(() => expect(budget.state().usedBytes).toBeLessThanOrEqual(1e9 / 8));
    expect(budget.state().usedBytes).toBeGreaterThan(1e9 / 8 - LARGE.length); // no more was dropped than necessary
  });

  it('keep their connections if they share one body in memory', async () => {
    const budget = createMemoryBudget(1e9);
    await start(budget, { shortStallLimitMs: 50 });
    const sockets = Array.from({ length: 8 }, () => openRequest('/same'));
    await Promise.all(sockets.map((socket) => once(socket, 'readable')));
    openRequest('/large');
    openRequest('/large');
    await eventually(() => expect(budget.state().usedBytes).toBe(3 * LARGE.length));

    const bodies = sockets.map((socket) => readPast(socket, LARGE.length));

    expect((await Promise.all(bodies)).every((length) => length > LARGE.length)).toBe(true);
  });

  it('are refused if the budget is full and no client is stalled', async () => {
    const budget = createMemoryBudget(1.5 * LARGE.length);
    await start(budget, { shortStallLimitMs: 60_000 });
    await once(openRequest('/large'), 'readable');

    const answer = await fetch(`http://127.0.0.1:${port}/large`);

    expect(answer.status).toBe(503);
    await answer.arrayBuffer();
    expect((await read('/small')).equals(SMALL)).toBe(true);
  });
});

/** Resolves with the number of bytes read once it exceeds an answer of this size. */
function readPast(socket: Socket, bytes: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let length = 0;
    socket.on('data', (piece) => {
      length += piece.length;
      if (length > bytes) resolve(length);
    });
    socket.once('close', () => {
      reject(new Error(`closed after ${length} bytes`));
    });
  });
}
