import { connect, isIP, isIPv6, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { errorCode } from '../../ground/errors.ts';
import { createThrottle, type Logger } from '../../ground/log.ts';
import { type Dial, dial, DialError, ProxyRefusedError } from './dial.ts';
import type { EgressProxy, GoesAround } from '../proxy-setting.ts';
import { openSocksTunnel } from './socks-proxy.ts';
import { createReader } from './socks.ts';

const TIMEOUT_MS = 10_000; // time limit for connecting to the proxy, and for each of its answers

interface ProxyOptions {
  readonly proxy: EgressProxy;
  readonly bypassesProxy: GoesAround;
  readonly log: Logger;
}

/**
 * Connects through a proxy to an allowed destination. Uses the checked address, so that the proxy can't resolve the
 * name differently; uses the name only if no address is known.
 */
export function dialByProxy({ proxy, bypassesProxy, log }: ProxyOptions): Dial {
  const onceAMinute = createThrottle();

  return async (target, onSocket) => {
    const { host, addresses, port } = target;
    if (bypassesProxy(host, addresses, port)) return dial(target, onSocket);
    const socket = openSocket(proxy);
    onSocket(socket);
    const destination = { host: addresses[0] ?? host, port };
    const openTunnel = proxy.protocol === 'socks5' ? openSocksTunnel : openHttpTunnel;
    try {
      await connected(socket, proxy);
      await openTunnel(socket, destination, proxy.login);
      socket.setTimeout(0);
      return socket;
    } catch (error) {
      socket.destroy();
      if (error instanceof DialError) throw error;
      const isRefusal = error instanceof ProxyRefusedError;
      // Returns only the error code, because other messages contain the address of the proxy.
      const reason = isRefusal ? error.message : (errorCode(error) ?? 'it was interrupted');
      onceAMinute(() => log.warn({ reason }, 'the outgoing proxy failed to connect'));
      throw new DialError(isRefusal ? 'proxy_refused' : 'proxy_away');
    }
  };
}

function openSocket({ protocol, host, port }: EgressProxy): Socket {
  const options = { host, port, noDelay: true, allowHalfOpen: true };
  if (protocol !== 'https') return connect(options);
  return connectTls({
    ...options,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) === 0 && { servername: host }),
  });
}

function connected(socket: Socket, { protocol }: EgressProxy): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no answer in time')));
    socket.once(protocol === 'https' ? 'secureConnect' : 'connect', () => resolve());
    socket.once('error', reject).once('close', () => reject(new Error('the connection was closed')));
  });
}

const MAX_ANSWER_BYTES = 16_384;
const END = '\r\n\r\n';

/**
 * Opens a tunnel to a destination through an HTTP proxy (CONNECT, RFC 9110 section 9.3.6).
 * @throws ProxyRefusedError with the status of its answer
 */
async function openHttpTunnel(
  socket: Socket,
  destination: { readonly host: string; readonly port: number },
  login: EgressProxy['login'],
): Promise<void> {
  const host = isIPv6(destination.host) ? `[${destination.host}]` : destination.host;
  const authority = `${host}:${destination.port}`;
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`];
  if (login !== undefined) {
    const text = Buffer.from(`${login.username}:${login.password}`).toString('base64');
    lines.push(`Proxy-Authorization: Basic ${text}`);
  }
  socket.write(lines.join('\r\n') + END);

  const reader = createReader(socket, MAX_ANSWER_BYTES);
  let answer = '';
  while (!answer.endsWith(END)) {
    if (answer.length >= MAX_ANSWER_BYTES) throw new Error('the answer is too long');
    answer += (await reader.take(1)).toString('latin1');
  }
  reader.finish();
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(answer) ?? [];
  if (status === undefined) throw new Error('the answer is not HTTP');
  if (!status.startsWith('2')) throw new ProxyRefusedError(`it answered ${status}`);
}
