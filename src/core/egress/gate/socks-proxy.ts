import { isIP, type Socket } from 'node:net';
import { parseAddress } from '../address.ts';
import { DialError, type DialFailure, ProxyRefusedError } from './dial.ts';
import type { EgressProxy } from '../proxy-setting.ts';
import { createReader } from './socks.ts';

const VERSION = 5;
const CONNECT = 1;
const METHOD = { none: 0, login: 2 } as const;
const LOGIN_VERSION = 1;
const TYPE = { v4: 1, name: 3, v6: 4 } as const;
const ADDRESS_BYTES: Readonly<Record<number, number>> = { [TYPE.v4]: 4, [TYPE.v6]: 16 };
const GRANTED = 0;
/** RFC 1928 section 6: failures of the destination. Every other code is a refusal of the proxy itself. */
const FAILURES: Readonly<Record<number, DialFailure>> = {
  3: 'unreachable',
  4: 'unreachable',
  5: 'refused',
  6: 'timed_out',
};

/**
 * Opens a tunnel to a destination through a SOCKS5 proxy (RFC 1928), with user and password if given (RFC 1929).
 * @throws DialError for failures of the destination; ProxyRefusedError if the proxy refuses
 */
export async function openSocksTunnel(
  socket: Socket,
  { host, port }: { readonly host: string; readonly port: number },
  login: EgressProxy['login'],
): Promise<void> {
  const reader = createReader(socket);
  const methods = login === undefined ? [METHOD.none] : [METHOD.none, METHOD.login];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await reader.take(2);
  if (version !== VERSION) throw new Error('the answer is not SOCKS5');
  if (method === METHOD.login && login !== undefined) {
    socket.write(Buffer.concat([Buffer.from([LOGIN_VERSION]), text(login.username), text(login.password)]));
    const [, status] = await reader.take(2);
    if (status !== 0) throw new ProxyRefusedError('it refused user and password');
  } else if (method !== METHOD.none) throw new ProxyRefusedError('it requires authentication');

  const portBytes = Buffer.from([port >> 8, port & 0xff]);
  socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressOf(host), portBytes]));
  const [, reply = 1, , type = 0] = await reader.take(4);
  if (reply !== GRANTED) {
    const failure = FAILURES[reply];
    throw failure === undefined ? new ProxyRefusedError(`it answered ${reply}`) : new DialError(failure);
  }
  const [nameLength = 0] = type === TYPE.name ? await reader.take(1) : [];
  await reader.take((ADDRESS_BYTES[type] ?? nameLength) + portBytes.length); // the bound address, which is not needed
  reader.finish();
}

function addressOf(host: string): Buffer {
  const address = isIP(host) === 0 ? undefined : parseAddress(host);
  if (address === undefined) return Buffer.concat([Buffer.from([TYPE.name]), text(host)]);
  return Buffer.from([address.kind() === 'ipv4' ? TYPE.v4 : TYPE.v6, ...address.toByteArray()]);
}

/** Returns the bytes of a text with a length byte in front: at most 255 bytes. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length > 255) throw new Error('too long for SOCKS5');
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}
