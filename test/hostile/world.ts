import { once } from 'node:events';
import { createServer } from 'node:tls';
import { createDnsServer, type DnsServer, type DnsScript } from '../support/dns-server.ts';
import { SELF_SIGNED } from '../support/self-signed.ts';
import { type Canaries, createCanaries } from './canaries.ts';
import type { HostileCase, Scene } from './hostile-case.ts';
import { type InnerService, startInnerService } from './inner-service.ts';
import { createPublicSites, type PublicSites } from './public-site.ts';

/** Names that always resolve to an allowed site. */
const NAMES: Readonly<Record<string, string>> = {
  'site.example.net': '127.0.0.2',
  'other.example.net': '127.0.0.3',
};

/** Timeout of a capture, within which endless cases must be answered, too. */
export const CAPTURE_TIMEOUT_MS = 8_000;
const POOL_SIZE = 2;
const PORT_ATTEMPTS = 10;
export const MAX_BODY_BYTES = 4_000_000;

/**
 * The service, the sites that it may reach, the servers that it must not reach, and their shared DNS. The caller closes
 * it.
 */
export interface World extends AsyncDisposable {
  readonly service: InnerService;
  readonly sites: PublicSites;
  readonly canaries: Canaries;
  readonly dns: DnsServer;
  /** Unhandled promise rejections. */
  readonly rejections: readonly unknown[];
  /** Serves the pages and DNS names of a case. */
  readonly stage: (hostileCase: HostileCase) => Scene;
}

export async function createWorld(settings: Readonly<Record<string, string>> = {}): Promise<World> {
  await using stack = new AsyncDisposableStack();
  let names: HostileCase['names'];
  const script: DnsScript = (name, queryNumber) => {
    const known = NAMES[name];
    if (known !== undefined) return { addresses: [known] };
    return names?.[name]?.(queryNumber);
  };
  const dns = stack.use(await createDnsServer(script));
  const { sites, canaries } = stack.use(await createServers());
  const tls = stack.use(await createTlsSite());
  const service = stack.use(
    await startInnerService(
      {
        POOL_SIZE: `${POOL_SIZE}`,
        CAPTURE_TIMEOUT_MS: `${CAPTURE_TIMEOUT_MS}`,
        MAX_BODY_BYTES: `${MAX_BODY_BYTES}`,
        EGRESS_ALLOW: '127.0.0.2/32,127.0.0.3/32',
        ...settings,
      },
      dns.address,
    ),
  );
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown): void => {
    rejections.push(reason);
  };
  process.on('unhandledRejection', onRejection);
  stack.defer(() => {
    process.off('unhandledRejection', onRejection);
  });

  const stage = (hostileCase: HostileCase): Scene => {
    const { port } = sites;
    const scene: Scene = {
      port,
      site: `http://127.0.0.2:${port}/${hostileCase.id}/`,
      other: `http://127.0.0.3:${port}/${hostileCase.id}/`,
      canary: `http://127.0.0.1:${port}/`,
      tls: `https://127.0.0.2:${tls.port}/`,
      service: service.url,
      ownHosts: canaries.ownHosts,
      token: settings['AUTH_TOKEN'],
      keysFile: settings['KEYS_FILE'] ?? '',
      templatesDir: settings['TEMPLATES_DIR'] ?? '',
    };
    ({ names } = hostileCase);
    sites.show(hostileCase.id, hostileCase.pages?.(scene) ?? {});
    return scene;
  };

  const owned = stack.move();
  return {
    service,
    sites,
    canaries,
    dns,
    rejections,
    stage,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The sites and the canaries, on one port. Tries other ports if another process uses it on one of the addresses. */
async function createServers(): Promise<AsyncDisposable & Pick<World, 'sites' | 'canaries'>> {
  for (let attempt = 1; ; attempt++) {
    await using stack = new AsyncDisposableStack();
    try {
      const sites = stack.use(await createPublicSites());
      const canaries = stack.use(await createCanaries(sites.port));
      const owned = stack.move();
      return { sites, canaries, [Symbol.asyncDispose]: () => owned.disposeAsync() };
    } catch (error) {
      if (attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function createTlsSite(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer(SELF_SIGNED, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\npage');
  });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.listen(0, '127.0.0.2');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('no port');
  return {
    port: address.port,
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
