import { createServer, type Server, type Socket } from 'node:net';

/** A loopback server with configurable behaviour. The caller closes it. */
export interface Upstream {
  readonly port: number;
  /** Every connection so far. */
  readonly sockets: readonly Socket[];
  /** Replaces the default reaction, which echoes the data. */
  readonly onData: (react: (socket: Socket) => void) => void;
  /** Replaces the default reaction, which ends the connection, too. */
  readonly onEnd: (react: (socket: Socket) => void) => void;
  readonly close: () => Promise<void>;
}

/** Starts an echo server on loopback. */
export async function createUpstream(): Promise<Upstream> {
  const sockets: Socket[] = [];
  let reactToData: ((socket: Socket) => void) | undefined;
  let reactToEnd: ((socket: Socket) => void) | undefined;
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => (reactToData === undefined ? socket.write(chunk) : reactToData(socket)));
    socket.on('end', () => {
      if (reactToEnd === undefined) socket.end();
      else reactToEnd(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('no port');
  return {
    port: address.port,
    sockets,
    onData: (react) => {
      reactToData = react;
    },
    onEnd: (react) => {
      reactToEnd = react;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
