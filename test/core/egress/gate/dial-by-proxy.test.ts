import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Destinations } from '../../../../src/core/egress/destination.ts';
import { dialByProxy } from '../../../../src/core/egress/gate/dial-by-proxy.ts';
import { createGate } from '../../../../src/core/egress/gate/gate.ts';
import { type GoesAround, parseProxy } from '../../../../src/core/egress/proxy-setting.ts';
import { createOutgoingProxy } from '../../../support/outgoing-proxy.ts';
import { connectSocks, SOCKS } from '../../../support/socks-client.ts';
import { createUpstream, type Upstream } from '../../../support/upstream.ts';

const LOGIN = 'user:pass:wörd';

/** `open.test` resolves to 127.0.0.1; only a proxy knows the address of `far.test`. */
const DESTINATIONS: Destinations = {
  decide: async (host) => {
    if (host === 'open.test') return { allowed: true, addresses: ['127.0.0.1'] };
    if (host === 'far.test') return { allowed: true, addresses: [] };
    return { allowed: false, reason: 'not_allowed' };
  },
};

describe('a gate behind a proxy', () => {
  const log = pino({ level: 'silent' });
  const warn = vi.spyOn(log, 'warn');
  let upstream: Upstream;
  beforeEach(async () => {
    upstream = await createUpstream();
    warn.mockClear();
  });
  afterEach(() => upstream.close());

  /** Requests a host from a gate behind this proxy, and returns the results of client and gate. */
  async function requestHost(url: string, host: string, bypassesProxy: GoesAround = () => false) {
    const proxy = parseProxy(url);
    if (proxy === undefined) throw new Error(`no proxy: ${url}`);
    const gate = await createGate(log, { reach: dialByProxy({ proxy, bypassesProxy, log }) });
    const session = gate.open(DESTINATIONS, () => undefined);
    using client = await connectSocks(gate.port);
    const reply = await client.requestHost(host, upstream.port);
    let echo = '';
    if (reply === SOCKS.granted) {
      client.socket.end('hello');
      echo = (await client.rest()).toString();
    }
    const refusal = session.refusalOf(`http://${host}:${upstream.port}/`);
    await gate.close();
    return { reply, echo, refusal };
  }

  const GRANTED = { reply: SOCKS.granted, echo: 'hello', refusal: undefined };

  it.each(['http', 'socks5'] as const)('makes a %s proxy connect to the vetted address', async (protocol) => {
    await using proxy = await createOutgoingProxy();

    expect(await requestHost(proxy.url(protocol), 'open.test')).toEqual(GRANTED);

    expect(proxy.targets).toEqual([`127.0.0.1:${upstream.port}`]);
  });

  it.each(['http', 'socks5'] as const)('sends user and password to a %s proxy', async (protocol) => {
    await using proxy = await createOutgoingProxy({ requires: 'login' });

    expect(await requestHost(proxy.url(protocol), 'open.test')).toEqual(GRANTED);

    expect(proxy.logins).toEqual([LOGIN]);
  });

  it.each(['http', 'socks5'] as const)('leaves an allowed internal name to a %s proxy', async (protocol) => {
    await using proxy = await createOutgoingProxy({ names: { 'far.test': '127.0.0.1' } });

    expect(await requestHost(proxy.url(protocol), 'far.test')).toEqual(GRANTED);

    expect(proxy.targets).toEqual([`far.test:${upstream.port}`]);
  });

  it('sends nothing to the proxy for refused connections', async () => {
    await using proxy = await createOutgoingProxy();

    expect(await requestHost(proxy.url('http'), 'secret.test')).toMatchObject({ refusal: 'not_allowed' });

    expect(proxy.targets).toEqual([]);
  });

  it('bypasses the proxy if configured', async () => {
    await using proxy = await createOutgoingProxy();

    expect(await requestHost(proxy.url('http'), 'open.test', (host) => host === 'open.test')).toEqual(GRANTED);

    expect(proxy.targets).toEqual([]);
  });

  it.each([
    ['http', 403, 'proxy_refused'],
    ['http', 502, 'proxy_refused'],
    ['socks5', 2, 'proxy_refused'],
    ['socks5', 5, 'refused'],
    ['socks5', 4, 'unreachable'],
  ] as const)('understands that a %s proxy answering %i means: %s', async (protocol, refusesWith, refusal) => {
    await using proxy = await createOutgoingProxy({ refusesWith });

    expect(await requestHost(proxy.url(protocol), 'open.test')).toEqual({
      reply: SOCKS.refused,
      echo: '',
      refusal,
    });
  });

  it.each(['http', 'https', 'socks5'] as const)('reports that a %s proxy is unreachable', async (protocol) => {
    // Another test may get the port of a closed proxy; nobody gets port 1.
    expect(await requestHost(`${protocol}://127.0.0.1:1`, 'open.test')).toMatchObject({ refusal: 'proxy_away' });

    expect(warn.mock.calls).toEqual([[{ reason: 'ECONNREFUSED' }, 'the outgoing proxy failed to connect']]);
  });

  it('detects a proxy that speaks another protocol', async () => {
    upstream.onData((socket) => socket.write('SSH-2.0-something\r\n\r\n'));

    const answer = await requestHost(`http://127.0.0.1:${upstream.port}`, 'open.test');

    expect(answer.refusal).toBe('proxy_away');
  });
});
