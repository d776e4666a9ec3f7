import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Origins of servers that never answer completely. The caller closes them. */
export interface SilentServers extends AsyncDisposable {
  /** Accepts connections and sends nothing. */
  readonly silent: string;
  /**
   * Sends the header of an answer with the type of the requested file, then the first bytes of its body, then nothing.
   */
  readonly half: string;
  /** Drops the first packet of each connection: its queue is full and nothing accepts. */
  readonly dropping: string;
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript',
  css: 'text/css',
  png: 'image/png',
  woff2: 'font/woff2',
  html: 'text/html',
};

export async function startSilentServers(): Promise<SilentServers> {
  const sockets = new Set<Socket>();
  const listen = async (onData: (socket: Socket, request: string) => void): Promise<Server> => {
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      socket.on('data', (bytes) => {
        onData(socket, bytes.toString('latin1'));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  const silent = await listen(() => undefined);
  const half = await listen((socket, request) => {
    const [, extension = ''] = /^GET [^ ]*\.(\w+)/.exec(request) ?? [];
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Type: ${TYPES[extension] ?? 'text/plain'}\r\nContent-Length: 5000\r\nAccess-Control-Allow-Origin: *\r\n\r\n `,
    );
  });
  // Node accepts connections at once, so the process stops after it listens.
  const program = `const server = require('node:net').createServer().listen(0, '127.0.0.1', 1, () => {
    process.stdout.write(String(server.address().port), () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
  })`;
  const dropping = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<string>((resolve) => dropping.stdout.once('data', (text) => resolve(String(text))));
  for (let waiting = 0; waiting < 4; waiting++)
    sockets.add(connect(Number(port), '127.0.0.1').on('error', () => undefined));

  return {
    silent: originOf(silent),
    half: originOf(half),
    dropping: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      for (const server of [silent, half]) server.close();
      dropping.kill('SIGKILL');
      await once(dropping, 'exit');
    },
  };
}

function originOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}`;
}
