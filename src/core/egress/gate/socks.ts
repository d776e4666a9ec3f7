import type { Socket } from 'node:net';
import { isIPv6 } from 'node:net';

const VERSION = 5;
const CONNECT = 1;
const ADDRESS_TYPE = { v4: 1, name: 3, v6: 4 } as const;
const HANDSHAKE_LIMIT_MS = 10_000;
const MAX_HANDSHAKE_BYTES = 600;

const NO_AUTHENTICATION = 0;
const NO_METHOD = 0xff;

/** RFC 1928 section 6. Chrome treats all failures alike; the codes help in packet dumps. */
export const SOCKS_REPLY = {
  granted: socksReply(0),
  notAllowed: socksReply(2),
  unreachable: socksReply(4),
  refused: socksReply(5),
} as const;

interface SocksRequest {
  readonly host: string;
  readonly port: number;
}

/**
 * Reads a SOCKS5 greeting and CONNECT request (RFC 1928) without authentication: the port identifies the slot. Leaves
 * the socket paused. Rejects anything else, and times out after ten seconds.
 */
export async function readSocksRequest(client: Socket): Promise<SocksRequest> {
  client.setTimeout(HANDSHAKE_LIMIT_MS, () => client.destroy(new Error('the SOCKS handshake took too long')));
  const reader = createReader(client);
  const [version = 0, methodCount = 0] = await reader.take(2);
  if (version !== VERSION) throw new Error('not SOCKS5');
  const methods = await reader.take(methodCount);
  if (!methods.includes(NO_AUTHENTICATION)) {
    client.write(Buffer.from([VERSION, NO_METHOD]));
    throw new Error('the client requires authentication');
  }
  client.write(Buffer.from([VERSION, NO_AUTHENTICATION]));
  const [requestVersion, command, , addressType] = await reader.take(4);
  if (requestVersion !== VERSION || command !== CONNECT) throw new Error('not a CONNECT');
  const host = await readHost(reader, addressType);
  const port = (await reader.take(2)).readUInt16BE();
  reader.finish();
  client.setTimeout(0);
  return { host, port };
}

async function readHost(reader: Reader, addressType: number | undefined): Promise<string> {
  if (addressType === ADDRESS_TYPE.v4) return [...(await reader.take(4))].join('.');
  if (addressType === ADDRESS_TYPE.v6) {
    const bytes = await reader.take(16);
    const host = (bytes.toString('hex').match(/.{4}/g) ?? []).join(':');
    if (!isIPv6(host)) throw new Error('not an IPv6 address');
    return host;
  }
  if (addressType !== ADDRESS_TYPE.name) throw new Error('the address type is not part of SOCKS5');
  const [length = 0] = await reader.take(1);
  return (await reader.take(length)).toString('latin1');
}

interface Reader {
  readonly take: (count: number) => Promise<Buffer>;
  /** Stops reading. Surplus bytes go back to the socket. */
  readonly finish: () => void;
}

/** Reads the bytes of a handshake from a socket. Surplus bytes stay in the socket. */
export function createReader(socket: Socket, maxBytes = MAX_HANDSHAKE_BYTES): Reader {
  let buffered = Buffer.alloc(0);
  let wake = Promise.withResolvers<void>();
  const onData = (chunk: Buffer): void => {
    buffered = Buffer.concat([buffered, chunk]);
    if (buffered.length > maxBytes) socket.pause();
    wake.resolve();
  };
  const onEnd = (): void => {
    wake.reject(new Error('the other side closed the connection during the handshake'));
  };
  wake.promise.catch(() => undefined); // the promise may be unused when the client disconnects
  socket.on('data', onData).on('end', onEnd).on('close', onEnd).resume();
  return {
    take: async (count) => {
      while (buffered.length < count) {
        await wake.promise;
        wake = Promise.withResolvers();
        wake.promise.catch(() => undefined);
      }
      const taken = buffered.subarray(0, count);
      buffered = buffered.subarray(count);
      return taken;
    },
    finish: () => {
      socket.pause();
      socket.off('data', onData).off('end', onEnd).off('close', onEnd);
      if (buffered.length > 0) socket.unshift(buffered);
    },
  };
}

function socksReply(code: number): Buffer {
  return Buffer.from([VERSION, code, 0, ADDRESS_TYPE.v4, 0, 0, 0, 0, 0, 0]);
}
