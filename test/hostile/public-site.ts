import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Handler } from './hostile-case.ts';

const HOSTS = ['127.0.0.2', '127.0.0.3'];

/** The pages of the case that runs, on two sites that may be reached. The caller closes them. */
export interface PublicSites extends AsyncDisposable {
  /** The same on both. */
  readonly port: number;
  /** Paths requested so far, from either. */
  readonly requested: readonly string[];
  /** Puts these pages in the place of the last ones: path below `/prefix/` to markup, or to what answers. */
  readonly show: (prefix: string, pages: Readonly<Record<string, string | Handler>>) => void;
  readonly openConnections: () => number;
}

/** Rejects if another process uses the port on one of the hosts. */
export async function createPublicSites(): Promise<PublicSites> {
  await using stack = new AsyncDisposableStack();
  let shown: { readonly prefix: string; readonly pages: Readonly<Record<string, string | Handler>> } = {
    prefix: '/',
    pages: {},
  };
  const requested: string[] = [];
  const connections = new Set<Socket>();

  const answer: RequestListener = (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    requested.push(request.url ?? '/');
    const found = pathname.startsWith(shown.prefix) && shown.pages[pathname.slice(shown.prefix.length)];
    response.on('error', () => response.destroy());
    if (typeof found === 'function') found(request, response);
    else if (typeof found === 'string') sendHtml(response, found);
    else response.writeHead(404).end();
  };

  const listen = async (host: string, port: number): Promise<Server> => {
    const server = createServer({ maxHeaderSize: 1_048_576 }, answer);
    server.on('connection', (socket) => {
      connections.add(socket);
      socket.on('error', () => socket.destroy()).once('close', () => connections.delete(socket));
    });
    await once(server.listen(port, host), 'listening');
    return server;
  };
  const servers: Server[] = [];
  stack.defer(async () => {
    for (const socket of connections) socket.destroy();
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  });
  for (const host of HOSTS) servers.push(await listen(host, portOf(servers[0])));

  const owned = stack.move();
  return {
    port: portOf(servers[0]),
    requested,
    show: (name, pages) => {
      shown = { prefix: `/${name}/`, pages };
    },
    openConnections: () => connections.size,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function sendHtml(response: Parameters<Handler>[1], markup: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  response.end(markup);
}

/** 0, for a free port, if there is no server yet. */
function portOf(server: Server | undefined): number {
  const address = server?.address() ?? { port: 0 };
  if (typeof address === 'string') throw new TypeError('A server without a port');
  return address.port;
}
