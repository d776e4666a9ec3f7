import { createServer, type Server, type Socket } from 'node:net';
import type { Logger } from '../../log.ts';
import { raceAbort } from '../../timeouts.ts';
import { createMutex } from '../../mutex.ts';
import { canonicalHost, type Destinations } from '../destination.ts';
import { type Dial, dial, DialError, type DialFailure } from './dial.ts';
import type { IsOurs } from '../peers/peer-check.ts';
import { joinSockets } from './join-sockets.ts';
import { readSocksRequest, SOCKS_REPLY } from './socks.ts';

const MAX_CONNECTIONS = 1_024; // of one capture in total
const MAX_BYTES = 256 * 1024 * 1024; // of one capture, both directions together

const MUTEX_LIMIT_MS = 1_000; // a connection that hangs delays the next one no longer than this

/** Reasons why a connection was not made. `filtered`: a blocking field of the request matched. */
export type GateRefusal = 'not_allowed' | 'unresolved' | 'over_budget' | 'filtered' | DialFailure;

/** A connection that a page requests. */
interface RequestedConnection {
  /** In canonical form: lower case, no trailing dot. */
  readonly host: string;
  readonly port: number;
  readonly isWebSocket: boolean;
}

/** The gate during one capture. */
export interface GateSession {
  /** Number of connections that the egress rules have refused. */
  readonly refusedCount: () => number;
  /** Reason why the last connection to this address failed. Undefined if it succeeded, or was never requested. */
  readonly refusalOf: (url: string) => GateRefusal | undefined;
  /** Refuses connections that match, from now on: before the name is resolved, and not counted as refused. */
  readonly block: (isBlocked: (requested: RequestedConnection) => Promise<boolean>) => void;
  /** Closes all connections of the capture at once. */
  readonly close: () => void;
}

/** Loopback ports of a gate. */
export interface GatePorts {
  readonly port: number;
  /** Separate port for WebSockets, because Chrome's request to a proxy does not contain its purpose. */
  readonly webSocketPort: number;
}

/** The only way out for the pages of a slot: two SOCKS5 listeners. */
export interface Gate extends GatePorts {
  /** Opens the gate for one capture. Between captures it refuses everything. The caller closes the session. */
  readonly open: (destinations: Destinations, onOverBudget: () => void) => GateSession;
  readonly close: () => Promise<void>;
}

interface OpenSession extends GateSession {
  readonly admit: (client: Socket, isWebSocket: boolean) => Promise<void>;
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
      client.destroy(); // a late request of a closed page
      return;
    }
    session.admit(client, isWebSocket).catch((error: unknown) => {
      log.debug({ err: error }, 'a connection through the gate failed');
      client.destroy();
    });
  };
  const listeners = await Promise.all([
    listen((client) => {
      admit(client, false);
    }),
    listen((client) => {
      admit(client, true);
    }),
  ]);
  const [{ port }, { port: webSocketPort }] = listeners;

  return {
    port,
    webSocketPort,
    open: (destinations, onOverBudget) => {
      const opened = createSession({ destinations, onOverBudget, reach, isOurs });
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

interface SessionOptions {
  readonly destinations: Destinations;
  readonly onOverBudget: () => void;
  readonly reach: Dial;
  readonly isOurs: IsOurs;
}

function createSession({ destinations, onOverBudget, reach, isOurs }: SessionOptions): OpenSession {
  const over = new AbortController();
  const sockets = new Set<Socket>();
  const refusals = new Map<string, GateRefusal>();
  const blockers: ((requested: RequestedConnection) => Promise<boolean>)[] = [];
  const serialized = createMutex(MUTEX_LIMIT_MS);
  let refused = 0;
  let connections = 0;
  let bytes = 0;

  const overBudget = (): void => {
    if (over.signal.aborted) return;
    over.abort(new Error('the connection exceeds the limit of one capture'));
    onOverBudget();
    for (const socket of sockets) socket.destroy();
  };
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) overBudget();
  };
  const track = (socket: Socket): void => {
    if (over.signal.aborted) socket.destroy(); // dialled for a capture that has just ended: no other code would close it
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
  };

  const isBlocked = async (requested: RequestedConnection): Promise<boolean> => {
    for (const blocks of blockers) if (await raceAbort(blocks(requested), over.signal)) return true;
    return false;
  };

  const admit = async (client: Socket, isWebSocket: boolean): Promise<void> => {
    track(client);
    const readRequest = async () => {
      if (!(await raceAbort(isOurs(client), over.signal)))
        throw new Error('the connection is not from our browser');
      const { host, port } = await readSocksRequest(client);
      const usualHost = canonicalHost(host) ?? host;
      return { host, port, usualHost, isFiltered: await isBlocked({ host: usualHost, port, isWebSocket }) };
    };
    // WebSockets of a page are identified by their order alone, so none may overtake another here.
    const isOrdered = isWebSocket && blockers.length > 0;
    const { host, port, usualHost, isFiltered } = await (isOrdered
      ? serialized(readRequest, over.signal)
      : readRequest());
    const key = keyOf(host, port);
    const refuse = (refusal: GateRefusal, reply: Buffer): void => {
      refusals.set(key, refusal);
      client.end(reply);
    };
    // First, so that blocked connections don't use up the connection limit.
    if (isFiltered) {
      refuse('filtered', SOCKS_REPLY.notAllowed);
      return;
    }
    if (++connections > MAX_CONNECTIONS) {
      refuse('over_budget', SOCKS_REPLY.notAllowed);
      return;
    }
    const decision = await raceAbort(destinations.decide(host, port), over.signal);
    if (!decision.allowed) {
      if (decision.reason === 'not_allowed') refused++;
      refuse(decision.reason, REPLIES[decision.reason]);
      return;
    }
    try {
      const { addresses } = decision;
      const upstream = await raceAbort(reach({ host: usualHost, addresses, port }, track), over.signal);
      refusals.delete(key);
      client.write(SOCKS_REPLY.granted);
      joinSockets(client, upstream, count);
    } catch (error) {
      if (!(error instanceof DialError)) throw error;
      refuse(error.failure, SOCKS_REPLY.refused);
    }
  };

  return {
    admit,
    refusedCount: () => refused,
    block: (blocks) => {
      blockers.push(blocks);
    },
    refusalOf: (url) => {
      const key = keyOfUrl(url);
      return key === undefined ? undefined : refusals.get(key);
    },
    close: () => {
      over.abort(new Error('the capture has ended'));
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Replies for connections that the egress rules refuse, and for names without an address. */
const REPLIES = { not_allowed: SOCKS_REPLY.notAllowed, unresolved: SOCKS_REPLY.unreachable };

function keyOfUrl(url: string): string | undefined {
  const { hostname, port, protocol } = URL.parse(url) ?? {};
  if (hostname === undefined) return undefined;
  const isSecure = protocol === 'https:' || protocol === 'wss:';
  return keyOf(hostname, port === '' ? (isSecure ? 443 : 80) : Number(port));
}

function keyOf(host: string, port: number): string {
  return `${canonicalHost(host) ?? host} ${port}`;
}
