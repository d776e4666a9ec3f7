import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { actingRoutes } from './pages/acting.ts';
import { answerRoutes } from './pages/answers.ts';
import { bannerRoutes } from './pages/banners.ts';
import { countedRoutes } from './pages/counted.ts';
import { documentRoutes } from './pages/document.ts';
import { elementRoutes } from './pages/elements.ts';
import type { Exchange, Routes } from './pages/exchange.ts';
import { frameRoutes } from './pages/frames.ts';
import { hostileRoutes } from './pages/hostile.ts';
import { laterRoutes } from './pages/later.ts';
import { localeRoutes } from './pages/locale.ts';
import { mediaRoutes } from './pages/media.ts';
import { movingRoutes } from './pages/moving.ts';
import { networkRoutes } from './pages/network.ts';
import { ownOriginRoutes } from './pages/own-origin.ts';
import { plainRoutes } from './pages/plain.ts';
import { scrollingRoutes } from './pages/scrolling.ts';
import { stateRoutes } from './pages/state.ts';

/** A site of known pages on free loopback ports. The caller closes it. */
export interface FixtureSite extends AsyncDisposable {
  /** `http://127.0.0.1:port`, without a slash at the end. */
  readonly origin: string;
  /** The same pages under another host, which browsers treat as another site. */
  readonly crossSiteOrigin: string;
  /** The path of every page, for tests that check all of them. A path that ends in `*` accepts any suffix. */
  readonly paths: readonly string[];
  readonly url: (path: string) => string;
  /** Every request so far, in order, to both origins. */
  readonly requests: readonly SeenRequest[];
  /** Number of open sockets, to both origins. */
  readonly openConnections: () => number;
  /** Destroys all sockets, so that pages which never end do not delay it. */
  readonly close: () => Promise<void>;
}

interface SeenRequest {
  /** Path and query, as sent. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

interface SiteOptions {
  /** A loopback address. */
  readonly host?: string;
  /** Additional pages for this site. */
  readonly moreRoutes?: Routes;
}

/** Starts the site. */
export async function createFixtureSite({
  host = '127.0.0.1',
  moreRoutes = {},
}: SiteOptions = {}): Promise<FixtureSite> {
  const routes = { ...allRoutes(), ...moreRoutes };
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const servers = [createServer(), createServer()] as const;
  const [server, crossSiteServer] = servers;

  const origin = await listen(server, host);
  const crossSiteOrigin = await listenOnAnotherSite(crossSiteServer, Number(new URL(origin).port));
  for (const each of servers) {
    each.on('connection', (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    each.on('request', (request, response) => {
      requests.push({ path: request.url ?? '', headers: request.headers });
      void answer(routes, { request, response, crossSiteOrigin });
    });
  }

  const close = async (): Promise<void> => {
    const closed = servers.map((each) => new Promise((resolve) => each.close(resolve)));
    const destroyed = [...sockets].map((socket) => {
      const ended = new Promise((resolve) => socket.once('close', resolve));
      socket.destroy();
      return ended;
    });
    await Promise.all([...closed, ...destroyed]);
  };
  return {
    origin,
    crossSiteOrigin,
    paths: Object.keys(routes),
    url: (path) => `${origin}${path}`,
    requests,
    openConnections: () => sockets.size,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function allRoutes(): Routes {
  return {
    ...plainRoutes(),
    ...scrollingRoutes(),
    ...elementRoutes(),
    ...networkRoutes(),
    ...laterRoutes(),
    ...countedRoutes(),
    ...localeRoutes(),
    ...mediaRoutes(),
    ...documentRoutes(),
    ...answerRoutes(),
    ...stateRoutes(),
    ...hostileRoutes(),
    ...frameRoutes(),
    ...movingRoutes(),
    ...ownOriginRoutes(),
    ...actingRoutes(),
    ...bannerRoutes(),
  };
}

async function answer(routes: Routes, exchange: Omit<Exchange, 'url' | 'rest'>): Promise<void> {
  const { request, response } = exchange;
  const url = new URL(request.url ?? '/', 'http://fixture');
  const prefix = url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1);
  const route = routes[url.pathname] ?? routes[`${prefix}*`];
  if (route === undefined) {
    response.writeHead(404).end();
    return;
  }
  try {
    await route({ ...exchange, url, rest: url.pathname.slice(prefix.length) });
  } catch (error) {
    response.writeHead(500).end(`The fixture itself failed: ${String(error)}`);
  }
}

/**
 * Listens on 127.0.0.2 if the system has it (Linux). Otherwise uses the name localhost, which is another site than
 * 127.0.0.1. A free port of 127.0.0.2 may be one of the service on 127.0.0.1, which pages may not reach at any address.
 * @param port of the site on 127.0.0.1, which the service can't have
 */
async function listenOnAnotherSite(server: Server, port: number): Promise<string> {
  try {
    return await listen(server, '127.0.0.2', port);
  } catch {
    return (await listen(server, '127.0.0.1')).replace('127.0.0.1', 'localhost');
  }
}

async function listen(server: Server, host: string, port = 0): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The fixture site listens on no port');
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
