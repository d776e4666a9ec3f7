import type { Socket } from 'node:net';

/** Longest time in milliseconds that the silence of a connection may be expected to last. */
const MOST_EXPECTED_MS = 1_000;

/** A connection of a page. Times are on the clock of `performance.now()`. */
interface Connection {
  readonly client: Socket;
  /** When the request was sent, or when something last arrived for it. */
  heardAt: number;
  /** When the browser last sent something that is not answered. */
  sentAt: number | undefined;
  /** When it sent its last request. */
  requestedAt: number;
}

interface Host {
  readonly connections: Set<Connection>;
  /** Longest time to an answer, in milliseconds. Undefined if it has never sent a byte. */
  slowestMs: number | undefined;
}

export interface Sparing {
  readonly sparesAnswers: boolean;
}

/** Hosts, and when each silent request to them began, on the clock of `performance.now()`. */
export type SilentRequests = ReadonlyMap<string, readonly number[]>;

/** Connections of a page to hosts, to end those on which nothing arrives. A host is a name or address with its port. */
export interface SilentConnections {
  /** Adds a connection that the page requests. Call the returned function with the connected socket of the host. */
  readonly add: (host: string, client: Socket) => (upstream: Socket) => void;
  /**
   * Destroys the connections of these requests on which nothing has arrived for `silentMs`. Requests may be encrypted,
   * so the connection of each is guessed: the one on which something was sent when the request began. The other
   * connections of a host may be long polls. A host that has answered slowly gets twice its longest time, at most a
   * second. With `sparesAnswers`, only connections whose last request has got no byte: the others may carry an answer
   * that pauses.
   */
  readonly end: (requests: SilentRequests, silentMs: number, options?: Sparing) => void;
  /** True if a connection to this host was ended for silence, and the host has never sent a byte. */
  readonly isDead: (host: string) => boolean;
}

/** Creates the list of one capture. */
export function createSilentConnections(): SilentConnections {
  const hosts = new Map<string, Host>();
  const ended = new Set<string>();

  return {
    add: (name, client) => {
      const now = performance.now();
      const connection: Connection = { client, heardAt: now, sentAt: undefined, requestedAt: now };
      const host = hosts.get(name) ?? { connections: new Set(), slowestMs: undefined };
      hosts.set(name, host);
      host.connections.add(connection);
      client.once('close', () => host.connections.delete(connection));
      return (upstream) => {
        connection.heardAt = performance.now();
        client.on('data', () => {
          if (connection.sentAt !== undefined) return;
          connection.sentAt = performance.now();
          connection.requestedAt = connection.sentAt;
        });
        upstream.on('data', () => {
          const now = performance.now();
          host.slowestMs = Math.max(host.slowestMs ?? 0, now - (connection.sentAt ?? now));
          connection.heardAt = now;
          connection.sentAt = undefined;
        });
      };
    },
    end: (requests, silentMs, { sparesAnswers } = { sparesAnswers: false }) => {
      const now = performance.now();
      for (const [name, begun] of requests) {
        const { connections, slowestMs = 0 } = hosts.get(name) ?? {};
        const leastMs = Math.max(silentMs, Math.min(2 * slowestMs, MOST_EXPECTED_MS));
        const isSilent = ({ heardAt, sentAt }: Connection): boolean =>
          !(sparesAnswers && sentAt === undefined) && now - Math.max(heardAt, sentAt ?? heardAt) >= leastMs;
        for (const { client } of closest([...(connections ?? [])], begun).filter(isSilent)) {
          ended.add(name);
          client.destroy();
        }
      }
    },
    isDead: (name) => ended.has(name) && hosts.get(name)?.slowestMs === undefined,
  };
}

/** Returns for each request the connection on which something was sent closest to its beginning. */
function closest(connections: readonly Connection[], begun: readonly number[]): readonly Connection[] {
  if (begun.length >= connections.length) return connections;
  const left = new Set(connections);
  return begun.flatMap((at) => {
    const [nearest] = [...left].toSorted((a, b) => Math.abs(a.requestedAt - at) - Math.abs(b.requestedAt - at));
    if (nearest !== undefined) left.delete(nearest);
    return nearest ?? [];
  });
}
