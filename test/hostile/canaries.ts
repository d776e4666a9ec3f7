import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Servers that no page may reach, on addresses of this machine. The caller closes them. */
export interface Canaries extends AsyncDisposable {
  /** TCP connections accepted and UDP packets received so far, from any sender. */
  readonly disturbances: () => readonly string[];
  /** Non-loopback addresses of this machine, in URL form. */
  readonly ownHosts: readonly string[];
}

/**
 * Listens on 127.0.0.1, ::1 and the addresses of this machine, on both TCP and UDP. Rejects if another process uses the
 * port on one of them.
 */
export async function createCanaries(port: number): Promise<Canaries> {
  await using stack = new AsyncDisposableStack();
  const own = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, scopeid }) => !internal && (scopeid ?? 0) === 0);
  const disturbances: string[] = [];

  for (const address of ['127.0.0.1', '::1', ...own.map(({ address }) => address)]) {
    const server = createServer((socket) => {
      disturbances.push(`a connection to ${address}`);
      socket.destroy();
    });
    server.listen(port, address);
    await once(server, 'listening');
    stack.defer(async () => {
      await new Promise((resolve) => server.close(resolve));
    });

    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    socket.on('message', () => disturbances.push(`a packet to ${address}`));
    socket.bind(port, address);
    await once(socket, 'listening');
    stack.defer(() => void socket.close());
  }

  const owned = stack.move();
  return {
    disturbances: () => disturbances,
    ownHosts: own.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
