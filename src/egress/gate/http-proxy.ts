import { isIPv6, type Socket } from 'node:net';
import { ProxyRefusedError } from './dial.ts';
import type { EgressProxy } from '../proxy-setting.ts';
import { createReader } from './socks.ts';

const MAX_ANSWER_BYTES = 16_384;
const END = '\r\n\r\n';

/**
 * Opens a tunnel to a destination through an HTTP proxy (CONNECT, RFC 9110 section 9.3.6).
 * @throws ProxyRefusedError with the status of its answer
 */
export async function openHttpTunnel(
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
