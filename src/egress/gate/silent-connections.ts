import type { Socket } from 'node:net';

interface Connection {
  readonly client: Socket;
  /** When it was requested, or something last arrived. On the clock of `performance.now()`. */
  heardAt: number;
}

/** Connections of a page to hosts, to end those on which nothing arrives. A host is a name or address with its port. */
export interface SilentConnections {
  /** Adds a connection that is requested. `hear` is called when its upstream socket is connected, and for each chunk of bytes. */
  readonly add: (host: string, client: Socket) => { readonly hear: (chunk?: Buffer) => void };
  /** Destroys the connections to these hosts on which nothing has arrived for `silentMs`. */
  readonly end: (hosts: ReadonlySet<string>, silentMs: number) => void;
  /** True if a connection to this host was ended for silence, and the host has never sent a byte. */
  readonly isDead: (host: string) => boolean;
}

/** Creates the list of one capture. */
export function createSilentConnections(): SilentConnections {
  const byHost = new Map<string, Set<Connection>>();
  const answering = new Set<string>();
  const ended = new Set<string>();

  return {
    add: (host, client) => {
      const connection = { client, heardAt: performance.now() };
      const connections = byHost.get(host) ?? new Set();
      byHost.set(host, connections.add(connection));
      client.once('close', () => connections.delete(connection));
      return {
        hear: (chunk) => {
          connection.heardAt = performance.now();
          if (chunk !== undefined) answering.add(host);
        },
      };
    },
    end: (hosts, silentMs) => {
      const since = performance.now() - silentMs;
      for (const host of hosts) {
        for (const { client, heardAt } of byHost.get(host) ?? []) {
          if (heardAt > since) continue;
          ended.add(host);
          client.destroy();
        }
      }
    },
    isDead: (host) => ended.has(host) && !answering.has(host),
  };
}
