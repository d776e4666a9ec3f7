import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP relay on the loopback address, in front of a Redis. Close it after use. */
export interface Relay extends AsyncDisposable {
  readonly url: string;
  /** Sends later connections to the Redis at this address. Open connections stay where they are. */
  readonly leadTo: (url: string) => void;
  /** Decides for each message of a client: pass it on, close the connection instead, or close it afterwards. */
  readonly onMessage: (decide: (message: Buffer) => 'pass' | 'lose' | 'pass and lose') => void;
}

type Decide = Parameters<Relay['onMessage']>[0];
const passAll: Decide = () => 'pass';

export async function startRelay(url: string): Promise<Relay> {
  let upstreamPort = Number(new URL(url).port);
  let decide = passAll;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = connect(upstreamPort, '127.0.0.1');
    for (const [end, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(end.on('error', () => undefined));
      end.once('close', () => other.destroy());
    }
    let isLost = false;
    upstream.on('data', (reply) => {
      if (!isLost) socket.write(reply);
    });
    socket.on('data', (message: Buffer) => {
      const decision = isLost ? 'lose' : decide(message);
      isLost ||= decision !== 'pass';
      if (decision !== 'lose') upstream.write(message);
      // Redis runs the commands that it has received, closes, and with it the client's connection is closed.
      if (decision === 'pass and lose') upstream.end();
      else if (decision === 'lose') socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `redis://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    leadTo: (other) => {
      upstreamPort = Number(new URL(other).port);
    },
    onMessage: (newDecide) => {
      decide = newDecide;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
