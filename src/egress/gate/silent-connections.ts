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
}

interface Host {
  readonly connections: Set<Connection>;
  /** Longest time to an answer, in milliseconds. Undefined if it has never sent a byte. */
  slowestMs: number | undefined;
}

export interface Sparing {
  readonly sparesAnswers: boolean;
}

/** Connections of a page to hosts, to end those on which nothing arrives. A host is a name or address with its port. */
export interface SilentConnections {
  /** Adds a connection that the page requests. Call the returned function with the connected socket of the host. */
  readonly add: (host: string, client: Socket) => (upstream: Socket) => void;
  /**
   * Destroys the connections to these hosts on which nothing has arrived for `silentMs`. A host that has answered
   * slowly gets twice its longest time, at most a second. With `sparesAnswers`, only connections whose last request has
   * got no byte: the others may carry an answer that pauses.
   */
  readonly end: (hosts: ReadonlySet<string>, silentMs: number, options?: Sparing) => void;
  /** True if a connection to this host was ended for silence, and the host has never sent a byte. */
  readonly isDead: (host: string) => boolean;
}

/** Creates the list of one capture. */
export function createSilentConnections(): SilentConnections {
  const hosts = new Map<string, Host>();
  const ended = new Set<string>();

  return {
    add: (name, client) => {
      const connection: Connection = { client, heardAt: performance.now(), sentAt: undefined };
      const host = hosts.get(name) ?? { connections: new Set(), slowestMs: undefined };
      hosts.set(name, host);
      host.connections.add(connection);
      client.once('close', () => host.connections.delete(connection));
      return (upstream) => {
        connection.heardAt = performance.now();
        client.on('data', () => (connection.sentAt ??= performance.now()));
        upstream.on('data', () => {
          const now = performance.now();
          host.slowestMs = Math.max(host.slowestMs ?? 0, now - (connection.sentAt ?? now));
          connection.heardAt = now;
          connection.sentAt = undefined;
        });
      };
    },
    end: (names, silentMs, { sparesAnswers } = { sparesAnswers: false }) => {
      const now = performance.now();
      for (const name of names) {
        const { connections, slowestMs = 0 } = hosts.get(name) ?? {};
        const leastMs = Math.max(silentMs, Math.min(2 * slowestMs, MOST_EXPECTED_MS));
        for (const { client, heardAt, sentAt } of connections ?? []) {
          if (sparesAnswers && sentAt === undefined) continue;
          if (now - Math.max(heardAt, sentAt ?? heardAt) < leastMs) continue;
          ended.add(name);
          client.destroy();
        }
      }
    },
    isDead: (name) => ended.has(name) && hosts.get(name)?.slowestMs === undefined,
  };
}
