import { once } from 'node:events';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Destinations } from '../../../../src/core/egress/destination.ts';
import { createGate, type Gate } from '../../../../src/core/egress/gate/gate.ts';
import type { GateSession } from '../../../../src/core/egress/gate/gate-session.ts';
import type { IsOurs } from '../../../../src/core/egress/peers/peer-check.ts';
import { eventually } from '../../../support/eventually.ts';
import { connectSocks, GREETING, requestFor, requestForBytes, SOCKS } from '../../../support/socks-client.ts';
import { createUpstream, type Upstream } from '../../../support/upstream.ts';

const LOOPBACK_V6 = [...Array.from({ length: 15 }, () => 0), 1];

/** Allows `open.example.net` and 127.0.0.1, which both reach the test's server; nothing else resolves. */
const DESTINATIONS: Destinations = {
  decide: async (host) => {
    if (host === 'open.example.net' || host === '127.0.0.1') return { allowed: true, addresses: ['127.0.0.1'] };
    return { allowed: false, reason: host.endsWith('.example.net') ? 'unresolved' : 'not_allowed' };
  },
};

describe('a gate', () => {
  let gate: Gate;
  let session: GateSession;
  let upstream: Upstream;
  const onOverBudget = vi.fn<() => void>();
  beforeEach(async () => {
    onOverBudget.mockClear();
    [gate, upstream] = await Promise.all([createGate(pino({ level: 'silent' })), createUpstream()]);
    session = gate.open(DESTINATIONS, onOverBudget);
  });
  afterEach(() => Promise.all([gate.close(), upstream.close()]));

  it('accepts allowed connections, and relays bytes both ways', async () => {
    using client = await connectSocks(gate.port);

    expect(await client.requestHost('open.example.net', upstream.port)).toBe(SOCKS.granted);
    client.socket.end('hello');
    expect((await client.rest()).toString()).toBe('hello');
    expect(session.refusedCount()).toBe(0);
    expect(session.refusalOf(`http://open.example.net:${upstream.port}/`)).toBeUndefined();
  });

  it('ends silent connections to a host, and refuses the host if it has never sent anything', async () => {
    using answered = await connectSocks(gate.port);
    await answered.requestHost('127.0.0.1', upstream.port);
    answered.socket.write('hello');
    await answered.take(5);
    upstream.onData(() => undefined);
    using silent = await connectSocks(gate.port);
    await silent.requestHost('open.example.net', upstream.port);
    using socket = await connectSocks(gate.webSocketPort);
    await socket.requestHost('open.example.net', upstream.port);
    const urls = ['open.example.net', '127.0.0.1'].map((host) => `http://${host}:${upstream.port}/a`);

    const requests = urls.map((url) => ({ url, beganAt: performance.now() }));
    session.endSilent(requests, 60_000);
    silent.socket.write('hello');
    session.endSilent(
      ['not an address', 'http://other.example.net/', ...urls.slice(0, 1)].map((url) => ({
        url,
        beganAt: performance.now(),
      })),
      0,
    );

    expect((await silent.rest()).length).toBe(0);
    const requestAgain = async (host: string): Promise<number | undefined> => {
      using again = await connectSocks(gate.port);
      return await again.requestHost(host, upstream.port);
    };
    expect(await requestAgain('open.example.net')).toBe(SOCKS.refused);
    expect(session.refusalOf(urls[0] ?? '')).toBe('timed_out');
    const ending = setInterval(() => session.endSilent(requests, 0), 5); // its host gets twice the time of its answer
    expect((await answered.rest()).length).toBe(0);
    clearInterval(ending);
    expect(await requestAgain('127.0.0.1')).toBe(SOCKS.granted);
    expect([socket.socket.destroyed, socket.socket.readableEnded]).toEqual([false, false]);
  });

  const get = async (path: string, method = 'GET', host = 'template.invalid', port = 80): Promise<string> => {
    using client = await connectSocks(gate.port);
    if ((await client.requestHost(host, port)) !== SOCKS.granted) return 'refused';
    client.socket.write(`${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    return (await client.rest()).toString();
  };

  describe('with a page of a template', () => {
    const files = new Map([['fonts/a b.woff2', { body: Buffer.from('font'), contentType: 'font/woff2' }]]);
    let address: string;
    beforeEach(() => {
      address = session.serve({ files, html: '<h1>é' });
    });

    it('serves the page and its files', async () => {
      const page = await get('/?a');

      expect(address).toBe('http://template.invalid/');
      expect(page).toMatch(/^HTTP\/1.1 200 OK\r\nContent-Type: text\/html; charset=utf-8\r\nContent-Length: 6\r\n/);
      expect(page).toMatch(/\r\n\r\n<h1>é$/);
      expect(await get('/fonts/a%20b.woff2')).toMatch(/Content-Type: font\/woff2\r\n[^]*\r\n\r\nfont$/);
      expect(await get('/fonts/a%20b.woff2', 'HEAD')).toMatch(/Content-Length: 4\r\n[^]*\r\n\r\n$/);
      expect(session.refusedCount()).toBe(0);
    });

    it.each([
      '/index.html',
      '/template.json',
      '/fonts',
      '/../../etc/hostname',
      '/fonts/../../etc/hostname',
      '/%2e%2e/%2e%2e/etc/hostname',
      '/..%2f..%2fetc%2fhostname',
      '//etc/hostname',
      '/%00',
      '/%',
      '/constructor',
      '/__proto__',
      'http://template.invalid/fonts/a%20b.woff2',
    ])('has no other file: %s', async (path) => {
      expect(await get(path)).toMatch(/^HTTP\/1.1 404 Not Found\r\nContent-Length: 0\r\n/);
    });

    it('answers no other method', async () => {
      expect(await get('/', 'POST')).toMatch(/^HTTP\/1.1 404/);
    });

    it('serves nothing at other names and ports, and nothing to the next capture', async () => {
      expect(await get('/', 'GET', 'other.invalid')).toBe('refused');
      expect(await get('/', 'GET', 'template.invalid', 443)).toBe('refused');
      session.close();
      session = gate.open(DESTINATIONS, onOverBudget);

      expect(await get('/')).toBe('refused');
    });
  });

  it('blocks requests before a DNS lookup, and does not count them as refused', async () => {
    const decide = vi.fn<Destinations['decide']>(DESTINATIONS.decide);
    session = gate.open({ decide }, onOverBudget);
    const checked: unknown[] = [];
    session.block(async (target) => {
      checked.push(target);
      return target.host === 'ads.example.net';
    });
    using plain = await connectSocks(gate.port);
    using webSocket = await connectSocks(gate.webSocketPort);
    using other = await connectSocks(gate.port);

    expect(await plain.requestHost('ADS.example.net.', 80)).toBe(SOCKS.notAllowed);
    expect(await webSocket.requestHost('ads.example.net', 81)).toBe(SOCKS.notAllowed);
    expect(await other.requestHost('open.example.net', upstream.port)).toBe(SOCKS.granted);

    expect(checked).toEqual([
      { host: 'ads.example.net', port: 80, isWebSocket: false },
      { host: 'ads.example.net', port: 81, isWebSocket: true },
      { host: 'open.example.net', port: upstream.port, isWebSocket: false },
    ]);
    expect(decide).toHaveBeenCalledExactlyOnceWith('open.example.net', upstream.port);
    expect(session.refusedCount()).toBe(0);
    expect(session.refusalOf('http://ads.example.net/')).toBe('filtered');
    expect(session.refusalOf('ws://ads.example.net:81/')).toBe('filtered');
  });

  it('checks WebSockets in connection order, however long each handshake takes', async () => {
    const checked: string[] = [];
    session.block(async ({ host }) => {
      checked.push(host);
      return true;
    });
    using first = await connectSocks(gate.webSocketPort);
    using second = await connectSocks(gate.webSocketPort);

    const later = second.requestHost('second.example.net', 80);
    using plain = await connectSocks(gate.port); // without a queue, the second would have been checked by now
    await plain.requestHost('plain.example.net', 80);
    await first.requestHost('first.example.net', 80);
    await later;

    expect(checked).toEqual(['plain.example.net', 'first.example.net', 'second.example.net']);
  });

  it('does not count blocked connections against the limit of a capture', async () => {
    session.block(async ({ host }) => host === 'ads.example.net');
    for (let batch = 0; batch < 11; batch++) {
      const replies = Array.from({ length: 100 }, async () => {
        using client = await connectSocks(gate.port);
        return await client.requestHost('ads.example.net', 80);
      });
      expect(new Set(await Promise.all(replies))).toEqual(new Set([SOCKS.notAllowed]));
    }
    using client = await connectSocks(gate.port);

    expect(await client.requestHost('open.example.net', upstream.port)).toBe(SOCKS.granted);
  });

  it.each([
    ['a name', requestFor('secret.internal', 80)],
    ['an address as a name', requestFor('10.0.0.1', 80)],
    ['an IPv4 address', requestForBytes([10, 0, 0, 1], 80)],
    ['an IPv6 address', requestForBytes(LOOPBACK_V6, 80)],
  ])('refuses %s, without a connection', async (_name, request) => {
    using client = await connectSocks(gate.port);

    client.socket.write(Buffer.concat([GREETING, request]));

    expect((await client.rest()).subarray(0, 4)).toEqual(Buffer.from([5, 0, 5, SOCKS.notAllowed]));
    expect(session.refusedCount()).toBe(1);
    expect(upstream.sockets).toEqual([]);
  });

  it('treats an IPv4 address in bytes as an address', async () => {
    using client = await connectSocks(gate.port);

    client.socket.write(
      Buffer.concat([GREETING, requestForBytes([127, 0, 0, 1], upstream.port), Buffer.from('early')]),
    );

    expect((await client.take(4))[3]).toBe(SOCKS.granted);
    client.socket.end();
    expect((await client.rest()).subarray(-5).toString()).toBe('early');
  });

  it('reports the reason for each refused address, in any spelling', async () => {
    const closedPort = await createUpstream();
    await closedPort.close();
    for (const [host, port] of [
      ['nowhere.example.net', 443],
      ['0:0::1', 80],
      ['open.example.net', closedPort.port],
    ] as const) {
      using client = await connectSocks(gate.port);
      await client.requestHost(host, port);
    }

    expect(session.refusalOf('https://Nowhere.example.net/path')).toBe('unresolved');
    expect(session.refusalOf('wss://nowhere.example.net/')).toBe('unresolved');
    expect(session.refusalOf('http://nowhere.example.net/')).toBeUndefined();
    expect(session.refusalOf('http://[::1]/')).toBe('not_allowed');
    expect(session.refusalOf(`http://open.example.net:${closedPort.port}/`)).toBe('refused');
    expect(session.refusalOf('about:blank')).toBeUndefined();
    expect(session.refusedCount()).toBe(1);
  });

  it('parses a handshake that arrives byte by byte', async () => {
    using client = await connectSocks(gate.port);

    for (const byte of Buffer.concat([GREETING, requestFor('open.example.net', upstream.port)])) {
      client.socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }

    expect((await client.take(12))[3]).toBe(SOCKS.granted);
  });

  it.each([
    ['SOCKS4', Buffer.from([4, 1, 0, 80, 127, 0, 0, 1, 0])],
    ['HTTP', Buffer.from('CONNECT 127.0.0.1:80 HTTP/1.1\r\n\r\n')],
    ['TLS', Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3])],
    ['random bytes', Buffer.alloc(100_000, 0xa5)],
    ['no supported method', Buffer.from([5, 1, 2])],
    ['BIND', Buffer.concat([GREETING, Buffer.from([5, 2, 0, 1, 127, 0, 0, 1, 0, 80])])],
    ['UDP ASSOCIATE', Buffer.concat([GREETING, Buffer.from([5, 3, 0, 1, 0, 0, 0, 0, 0, 0])])],
    ['an unknown address type', Buffer.concat([GREETING, Buffer.from([5, 1, 0, 9, 1, 1, 1, 1, 0, 80])])],
    ['another version in its request', Buffer.concat([GREETING, Buffer.from([4, 1, 0, 1, 127, 0, 0, 1, 0, 80])])],
    ['an empty name', Buffer.concat([GREETING, requestFor('', 80)])],
  ])('closes the connection of a client that speaks %s', async (_name, bytes) => {
    using client = await connectSocks(gate.port);

    client.socket.write(bytes);

    expect([...(await client.rest())]).not.toEqual([5, 0, 5, SOCKS.granted, 0, 1, 0, 0, 0, 0, 0, 0]);
    expect(upstream.sockets).toEqual([]);
  });

  it('closes at once when a client disconnects during its handshake', async () => {
    using client = await connectSocks(gate.port);

    client.socket.end(Buffer.from([5, 1, 0, 5, 1]));

    expect([...(await client.rest())]).toEqual([5, 0]);
  });

  it('refuses everything while no session is open', async () => {
    session.close();
    using client = await connectSocks(gate.port);

    expect(await client.requestHost('open.example.net', upstream.port)).toBeUndefined();
    expect(upstream.sockets).toEqual([]);
  });

  it('opens for the next capture with a clean state', async () => {
    using first = await connectSocks(gate.port);
    await first.requestHost('10.0.0.1', 80);
    session.close();
    const next = gate.open(DESTINATIONS, onOverBudget);
    using second = await connectSocks(gate.port);

    expect(await second.requestHost('open.example.net', upstream.port)).toBe(SOCKS.granted);
    expect(next.refusedCount()).toBe(0);
    expect(next.refusalOf('http://10.0.0.1/')).toBeUndefined();
  });

  it('closes every connection of a capture with its session', async () => {
    using joined = await connectSocks(gate.port);
    using greeting = await connectSocks(gate.port);
    await joined.requestHost('open.example.net', upstream.port);
    greeting.socket.write(GREETING);
    await greeting.take(2);
    const [server] = upstream.sockets;
    const ended = server && once(server, 'close');

    session.close();

    expect(await joined.rest()).toEqual(Buffer.alloc(0));
    expect(await greeting.rest()).toEqual(Buffer.alloc(0));
    await ended;
  });

  it('dials nothing for a capture that ended during the check', async () => {
    session.close();
    const decision = Promise.withResolvers<Awaited<ReturnType<Destinations['decide']>>>();
    const checked = Promise.withResolvers<void>();
    const slow = gate.open(
      {
        decide: () => {
          checked.resolve();
          return decision.promise;
        },
      },
      onOverBudget,
    );
    using client = await connectSocks(gate.port);
    const answer = client.requestHost('open.example.net', upstream.port);
    await checked.promise;

    slow.close();
    decision.resolve({ allowed: true, addresses: ['127.0.0.1'] });

    expect(await answer).toBeUndefined();
    expect(upstream.sockets).toEqual([]);
  });

  it('tries the next address if one refuses', async () => {
    session.close();
    gate.open({ decide: async () => ({ allowed: true, addresses: ['127.0.0.9', '127.0.0.1'] }) }, onOverBudget);
    using client = await connectSocks(gate.port);

    expect(await client.requestHost('open.example.net', upstream.port)).toBe(SOCKS.granted);
  });

  it('relays a half-close and the answer that follows', async () => {
    const answer = Buffer.alloc(3_000_000, 'x');
    upstream.onEnd((socket) => socket.end(answer));
    using client = await connectSocks(gate.port);
    await client.requestHost('open.example.net', upstream.port);
    client.socket.on('data', () => {
      client.socket.pause(); // a slow reader: the end of the answer is still in transit when the server has closed
      setTimeout(() => client.socket.resume(), 2);
    });

    client.socket.end('that is all');

    expect((await client.rest()).subarray(-answer.length).equals(answer)).toBe(true);
  });

  it('relays a connection reset', async () => {
    using client = await connectSocks(gate.port);
    await client.requestHost('open.example.net', upstream.port);

    upstream.sockets[0]?.resetAndDestroy();

    expect(await client.rest()).toEqual(Buffer.alloc(0));
  });

  it('aborts a capture that opens too many connections', async () => {
    const codes = new Set<number | undefined>();
    for (let count = 0; count < 1_030; count++) {
      using client = await connectSocks(gate.port);
      codes.add(await client.requestHost('10.0.0.1', 80));
    }
    using client = await connectSocks(gate.port);

    expect(await client.requestHost('open.example.net', upstream.port)).not.toBe(SOCKS.granted);
    expect(codes).toEqual(new Set([SOCKS.notAllowed]));
    expect(session.refusalOf(`http://open.example.net:${upstream.port}/`)).toBe('over_budget');
  });

  it('aborts a capture that transfers too much', async () => {
    const block = Buffer.alloc(1_048_576);
    upstream.onData((socket) => {
      const pour = (): void => {
        while (!socket.destroyed && socket.write(block)) continue;
      };
      socket.on('drain', pour);
      pour();
    });
    using client = await connectSocks(gate.port);
    await client.requestHost('open.example.net', upstream.port);
    let received = 0;
    const ended = client.rest();
    client.socket.removeAllListeners('data').on('data', (chunk: Buffer) => {
      received += chunk.length;
    });

    client.socket.write('pour');
    await ended;

    expect(onOverBudget).toHaveBeenCalledOnce();
    expect(received).toBeLessThanOrEqual(256 * 1024 * 1024);
    expect(received).toBeGreaterThan(200 * 1024 * 1024);
  });

  it('closes its connections when it is closed', async () => {
    using client = await connectSocks(gate.port);
    await client.requestHost('open.example.net', upstream.port);

    await gate.close();

    expect(await client.rest()).toEqual(Buffer.alloc(0));
  });

  describe('with a peer check', () => {
    it('neither reads, resolves nor dials before the check, and does nothing for an untrusted peer', async () => {
      const answer = Promise.withResolvers<boolean>();
      const isOurs = vi.fn<IsOurs>(() => answer.promise);
      const decide = vi.fn<Destinations['decide']>(DESTINATIONS.decide);
      await using own = await createGate(pino({ level: 'silent' }), { isOurs }).then(closing);
      own.gate.open({ decide }, onOverBudget);
      using client = await connectSocks(own.gate.port);
      const pending = client.requestHost('open.example.net', upstream.port);
      await eventually(() => expect(isOurs).toHaveBeenCalledOnce());

      answer.resolve(false);

      expect(await pending).toBeUndefined();
      expect(decide).not.toHaveBeenCalled();
      expect(upstream.sockets).toEqual([]);
    });

    it('checks each connection, and accepts the browser', async () => {
      const isOurs = vi.fn<IsOurs>(async () => true);
      await using own = await createGate(pino({ level: 'silent' }), { isOurs }).then(closing);
      own.gate.open(DESTINATIONS, onOverBudget);
      using first = await connectSocks(own.gate.port);
      using second = await connectSocks(own.gate.port);

      expect(await first.requestHost('open.example.net', upstream.port)).toBe(SOCKS.granted);
      expect(await second.requestHost('open.example.net', upstream.port)).toBe(SOCKS.granted);
      expect(isOurs).toHaveBeenCalledTimes(2);
    });
  });
});

function closing(gate: Gate): AsyncDisposable & { readonly gate: Gate } {
  return { gate, [Symbol.asyncDispose]: gate.close };
}
