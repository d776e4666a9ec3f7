import { createServer, type Server, type Socket } from 'node:net';
import type { Logger } from '../../ground/log.ts';
import type { IsOurs } from '../peers/peer-check.ts';
import { type Dial, dial, type EgressRoute } from './dial.ts';
import { type GateSession, type OpenSession, openSession } from './gate-session.ts';

/** Loopback ports of a gate. */
export interface GatePorts {
  readonly port: number;
  /** Separate port for WebSockets, because Chrome's request to a proxy does not contain its purpose. */
  readonly webSocketPort: number;
}

/** The only way out for the pages of a slot: two SOCKS5 listeners. */
export interface Gate extends GatePorts {
  /**
   * Opens the gate for one capture. Between captures the gate refuses all connections. The caller closes the session.
   */
  readonly open: (destinations: EgressRoute, onOverBudget: () => void) => GateSession;
  readonly close: () => Promise<void>;
}

interface GateOptions {
  /** Connects to allowed destinations. Default: directly. */
  readonly reach?: Dial;
  /** Tells who may use the gate. Default: everyone. */
  readonly isOurs?: IsOurs;
}

/** Starts a gate on two free loopback ports. The caller closes it. */
export async function createGate(
  log: Logger,
  { reach = dial, isOurs = async () => true }: GateOptions = {},
): Promise<Gate> {
  let session: OpenSession | undefined;
  const clients = new Set<Socket>();
  const admit = (client: Socket, isWebSocket: boolean): void => {
    clients.add(client);
    client.on('error', () => client.destroy()).once('close', () => clients.delete(client));
    if (session === undefined) {
      client.destroy(); // for example a late request of a closed page
      return;
    }
    session.admit(client, isWebSocket).catch((error: unknown) => {
      log.debug({ err: error }, 'a connection through the gate failed');
      client.destroy();
    });
  };
  const listeners = await Promise.all([
    listen((client) => admit(client, false)),
    listen((client) => admit(client, true)),
  ]);
  const [{ port }, { port: webSocketPort }] = listeners;

  return {
    port,
    webSocketPort,
    open: (destinations, onOverBudget) => {
      const opened = openSession({ destinations, onOverBudget, reach, isOurs });
      session = opened;
      return {
        ...opened,
        close: () => {
          if (session === opened) session = undefined;
          opened.close();
          for (const client of clients) client.destroy();
        },
      };
    },
    close: async () => {
      const closed = listeners.map(({ server }) => new Promise((resolve) => server.close(resolve)));
      for (const client of clients) client.destroy();
      await Promise.all(closed);
    },
  };
}

async function listen(onClient: (client: Socket) => void): Promise<{ server: Server; port: number }> {
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, onClient);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the gate has no TCP port');
  return { server, port: address.port };
}
