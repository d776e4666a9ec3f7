import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Servers that no page may reach, on addresses of this machine. The caller closes them. */
export interface Canaries extends AsyncDisposable {
  /** TCP connections accepted and UDP packets received so far, from any sender. */
  readonly disturbances: () => readonly string[];
  /** Non-loopback addresses of this machine, in URL form. */
  readonly ownHosts: readonly string[];
}

/** Listens on 127.0.0.1, ::1 and the addresses of this machine, on both TCP and UDP. */
export async function createCanaries(port: number): Promise<Canaries> {
  const own = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, scopeid }) => !internal && (scopeid ?? 0) === 0);
  const disturbances: string[] = [];
  const servers: Server[] = [];
  const sockets: UdpSocket[] = [];

  for (const address of ['127.0.0.1', '::1', ...own.map(({ address }) => address)]) {
    const server = createServer((socket) => {
      disturbances.push(`a connection to ${address}`);
      socket.destroy();
    });
    server.listen(port, address);
    await once(server, 'listening');
    servers.push(server);

    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    socket.on('message', () => disturbances.push(`a packet to ${address}`));
    socket.bind(port, address);
    await once(socket, 'listening');
    sockets.push(socket);
  }

  return {
    disturbances: () => disturbances,
    ownHosts: own.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address)),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.close();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
