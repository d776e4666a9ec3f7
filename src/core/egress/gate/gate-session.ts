import type { Socket } from 'node:net';
import { createMutex } from '../../ground/mutex.ts';
import { raceAbort } from '../../ground/timeouts.ts';
import { canonicalHost } from '../destination.ts';
import type { IsOurs } from '../peers/peer-check.ts';
import { type Dial, DialError, type DialFailure, type EgressRoute } from './dial.ts';
import { createSilentConnections, type SilentRequests, type Sparing } from './silent-connections.ts';
import { createOwnSite, OWN_HOST, OWN_ORIGIN, OWN_PORT, type OwnPage } from './own-site.ts';
import { readSocksRequest, SOCKS_REPLY } from './socks.ts';

const MAX_CONNECTIONS = 1_024; // maximum connections of one capture in total
const MAX_BYTES = 256 * 1024 * 1024; // maximum bytes of one capture, both directions together

const MUTEX_LIMIT_MS = 1_000; // time limit of the mutex: a hanging connection delays the next one by at most this time

/** Reasons why a connection was not made. `filtered`: a blocking field of the request matched. */
export type GateRefusal = 'not_allowed' | 'unresolved' | 'over_budget' | 'filtered' | DialFailure;

/** A connection that a page requests. */
interface RequestedConnection {
  /** Host in canonical form: lower case, no trailing dot. */
  readonly host: string;
  readonly port: number;
  readonly isWebSocket: boolean;
}

/** The gate during one capture. */
/** A request of a page for which nothing arrives. */
interface SilentRequest {
  readonly url: string;
  /** On the clock of `performance.now()`. */
  readonly beganAt: number;
}

export interface GateSession {
  /** Number of connections that the egress rules have refused. */
  readonly refusedCount: () => number;
  /** Reason why the last connection to this address failed. Undefined if it succeeded, or was never requested. */
  readonly refusalOf: (url: string) => GateRefusal | undefined;
  /** Refuses matching connections from now on. Checked before the name is resolved, and not counted as refused. */
  readonly block: (isBlocked: (requested: RequestedConnection) => Promise<boolean>) => void;
  /**
   * Ends the connections to the hosts of these addresses on which nothing has arrived for `silentMs`, except
   * WebSockets. The browser reports their requests as failed. A host that has never sent a byte is refused from then
   * on.
   */
  readonly endSilent: (requests: readonly SilentRequest[], silentMs: number, options?: Sparing) => void;
  /** Serves a page and its files to this capture alone. Returns the address of the page. */
  readonly serve: (page: OwnPage) => string;
  /** True if the served page has requested a file that it lacks. */
  readonly lacksFile: () => boolean;
  /** Closes all connections of the capture at once. */
  readonly close: () => void;
}

export interface OpenSession extends GateSession {
  readonly admit: (client: Socket, isWebSocket: boolean) => Promise<void>;
}

interface Refusal {
  readonly reason: GateRefusal;
  readonly reply: Buffer;
}

interface SessionOptions {
  readonly destinations: EgressRoute;
  readonly onOverBudget: () => void;
  readonly reach: Dial;
  readonly isOurs: IsOurs;
}

/** Opens the gate for one capture. */
export function openSession({ destinations, onOverBudget, reach, isOurs }: SessionOptions): OpenSession {
  const refusals = new Map<string, GateRefusal>();
  const blockers: ((requested: RequestedConnection) => Promise<boolean>)[] = [];
  const serialized = createMutex(MUTEX_LIMIT_MS);
  const { signal, track, countConnection, countBytes, end } = createBudget(onOverBudget);
  const connections = createSilentConnections();
  const dial = destinations.reach ?? reach;
  let refused = 0;
  let ownSite: ((client: Socket) => void) | undefined;
  let isFileMissing = false;

  const isBlocked = async (requested: RequestedConnection): Promise<boolean> => {
    for (const blocks of blockers) if (await raceAbort(blocks(requested), signal)) return true;
    return false;
  };
  const readRequest = async (client: Socket, isWebSocket: boolean) => {
    if (!(await raceAbort(isOurs(client), signal))) throw new Error('the connection is not from our browser');
    const { host, port } = await readSocksRequest(client);
    const usualHost = canonicalHost(host) ?? host;
    const isFiltered = await isBlocked({ host: usualHost, port, isWebSocket });
    return { host, port, usualHost, isWebSocket, isFiltered };
  };
  /** Connects and joins the sockets. If that fails, returns the refusal and its reply. */
  const connect = async (
    client: Socket,
    { host, port, usualHost, isWebSocket, isFiltered }: Awaited<ReturnType<typeof readRequest>>,
  ): Promise<Refusal | undefined> => {
    // Checks blocked connections first, so that they don't use up the connection limit.
    if (isFiltered) return { reason: 'filtered', reply: SOCKS_REPLY.notAllowed };
    if (!countConnection()) return { reason: 'over_budget', reply: SOCKS_REPLY.notAllowed };
    if (ownSite !== undefined && usualHost === OWN_HOST && port === OWN_PORT) {
      client.write(SOCKS_REPLY.granted);
      ownSite(client);
      return undefined;
    }
    const key = keyOf(host, port);
    if (connections.isDead(key)) return { reason: 'timed_out', reply: SOCKS_REPLY.refused };
    const follow = isWebSocket ? undefined : connections.add(key, client);
    const decision = await raceAbort(destinations.decide(host, port), signal);
    if (!decision.allowed) {
      if (decision.reason === 'not_allowed') refused++;
      return { reason: decision.reason, reply: REPLIES[decision.reason] };
    }
    try {
      const { addresses } = decision;
      const upstream = await raceAbort(dial({ host: usualHost, addresses, port }, track), signal);
      if (client.destroyed) upstream.destroy(); // ended while it connected
      refusals.delete(key);
      follow?.(upstream);
      client.write(SOCKS_REPLY.granted);
      joinSockets(client, upstream, countBytes);
      return undefined;
    } catch (error) {
      if (!(error instanceof DialError)) throw error;
      return { reason: error.failure, reply: SOCKS_REPLY.refused };
    }
  };

  return {
    admit: async (client, isWebSocket) => {
      track(client);
      // WebSockets of a page are identified by their order alone, so the requests are handled one after the other.
      const isOrdered = isWebSocket && blockers.length > 0;
      const request = await (isOrdered
        ? serialized(() => readRequest(client, isWebSocket), signal)
        : readRequest(client, isWebSocket));
      const refusal = await connect(client, request);
      if (refusal === undefined) return;
      refusals.set(keyOf(request.host, request.port), refusal.reason);
      client.end(refusal.reply);
    },
    refusedCount: () => refused,
    block: (blocks) => void blockers.push(blocks),
    endSilent: (requests, silentMs, options) => {
      connections.end(byHost(requests), silentMs, options);
    },
    serve: (page) => {
      ownSite = createOwnSite(page, countBytes, () => {
        isFileMissing = true;
      });
      return `${OWN_ORIGIN}/`;
    },
    lacksFile: () => isFileMissing,
    refusalOf: (url) => {
      const key = keyOfUrl(url);
      return key === undefined ? undefined : refusals.get(key);
    },
    close: () => end(new Error('the capture has ended')),
  };
}

/**
 * Sockets of a capture, and the limits of connections and bytes. When the capture exceeds them, all sockets are closed.
 */
function createBudget(onOverBudget: () => void) {
  const over = new AbortController();
  const sockets = new Set<Socket>();
  let connections = 0;
  let bytes = 0;
  const end = (reason: Error): void => {
    over.abort(reason);
    for (const socket of sockets) socket.destroy();
  };

  return {
    signal: over.signal,
    end,
    track: (socket: Socket): void => {
      // dialled for a capture that has just ended: no other code would close it
      if (over.signal.aborted) socket.destroy();
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
    },
    /** False if the capture has too many connections. */
    countConnection: (): boolean => ++connections <= MAX_CONNECTIONS,
    countBytes: (counted: number): void => {
      bytes += counted;
      if (bytes <= MAX_BYTES || over.signal.aborted) return;
      end(new Error('the connection exceeds the limit of one capture'));
      onOverBudget();
    },
  };
}

/** Replies for connections that the egress rules refuse, and for names without an address. */
const REPLIES = { not_allowed: SOCKS_REPLY.notAllowed, unresolved: SOCKS_REPLY.unreachable };

/** Returns when the requests to each host began. */
function byHost(requests: readonly SilentRequest[]): SilentRequests {
  const begun = new Map<string, number[]>();
  for (const { url, beganAt } of requests) {
    const key = keyOfUrl(url);
    if (key === undefined) continue;
    const ofHost = begun.get(key) ?? [];
    ofHost.push(beganAt);
    begun.set(key, ofHost);
  }
  return begun;
}

function keyOfUrl(url: string): string | undefined {
  const { hostname, port, protocol } = URL.parse(url) ?? {};
  if (hostname === undefined) return undefined;
  const isSecure = protocol === 'https:' || protocol === 'wss:';
  return keyOf(hostname, port === '' ? (isSecure ? 443 : 80) : Number(port));
}

function keyOf(host: string, port: number): string {
  return `${canonicalHost(host) ?? host} ${port}`;
}

/** Forwards bytes both ways until both sides have ended. The end of one side is forwarded; an error ends both. */
function joinSockets(client: Socket, upstream: Socket, countBytes: (bytes: number) => void): void {
  const count = ({ length }: Buffer): void => countBytes(length);
  client.on('data', count);
  upstream.on('data', count);
  client.pipe(upstream);
  upstream.pipe(client);
  endWith(client, upstream);
  endWith(upstream, client);
}

/** Destroys `socket` when `other` was interrupted. After a regular end, data may still be on its way to `socket`. */
function endWith(other: Socket, socket: Socket): void {
  other.once('close', () => {
    if (!socket.writableEnded) socket.destroy();
  });
}
