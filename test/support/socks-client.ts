import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The bytes of a SOCKS5 greeting: no authentication. */
export const GREETING = Buffer.from([5, 1, 0]);
export const SOCKS = { granted: 0, notAllowed: 2, unreachable: 4, refused: 5 } as const;

/** A byte-level connection to a SOCKS5 server. The caller closes it. */
export interface SocksClient extends Disposable {
  readonly socket: Socket;
  /** Waits for this many bytes; returns fewer if the connection ends before. */
  readonly take: (count: number) => Promise<Buffer>;
  /** Returns all bytes until the end. */
  readonly rest: () => Promise<Buffer>;
  /** Sends a greeting and requests a host by name; returns the reply code, undefined if there is no reply. */
  readonly requestHost: (host: string, port: number) => Promise<number | undefined>;
}

export async function connectSocks(port: number): Promise<SocksClient> {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  let received = Buffer.alloc(0);
  const over = new AbortController();
  let wake = Promise.withResolvers<void>();
  const changed = (): void => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  const finish = (): void => {
    over.abort();
    changed();
  };
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    changed();
  });
  socket.on('end', finish).on('close', finish);
  socket.on('error', finish); // a reset also counts as a refusal
  await once(socket, 'connect');

  const take = async (count: number): Promise<Buffer> => {
    while (received.length < count && !over.signal.aborted) await wake.promise;
    const taken = received.subarray(0, count);
    received = received.subarray(count);
    return taken;
  };
  return {
    socket,
    take,
    rest: () => take(Number.POSITIVE_INFINITY),
    requestHost: async (host, destination) => {
      socket.write(Buffer.concat([GREETING, requestFor(host, destination)]));
      await take(2);
      return (await take(10))[1];
    },
    [Symbol.dispose]: () => {
      socket.destroy();
    },
  };
}

/** Returns a request to connect to a host by name. Chrome sends addresses in this form, too. */
export function requestFor(host: string, port: number): Buffer {
  return Buffer.concat([Buffer.from([5, 1, 0, 3, host.length]), Buffer.from(host, 'latin1'), portBytes(port)]);
}

/** Returns a request to connect to an address of 4 or 16 bytes. */
export function requestForBytes(address: readonly number[], port: number): Buffer {
  return Buffer.concat([Buffer.from([5, 1, 0, address.length === 4 ? 1 : 4, ...address]), portBytes(port)]);
}

function portBytes(port: number): Buffer {
  return Buffer.from([port >> 8, port & 255]);
}
