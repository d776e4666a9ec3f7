import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressKey } from './request/client-name.ts';

interface ConnectionLimits {
  /** Connections open at once. */
  readonly max: number;
  /** Of one address; IPv6 by /56. */
  readonly maxOfOne: number;
  /** Milliseconds in which a client must read some of an answer. */
  readonly unreadMs: number;
  /** Beyond both, for whoever asks for no more than how the service is. */
  readonly spare: number;
}

export interface Connections {
  /** Says that a request has come over this connection, and gives back what says that it is answered. */
  readonly begin: (socket: Socket) => () => void;
  /** True for a connection there was no room for: over it only probes are answered. */
  readonly isSpare: (socket: Socket) => boolean;
}

interface Connection {
  readonly socket: Socket;
  readonly client: Client;
  readonly isSpare: boolean;
  requests: number;
  /** Bytes that the client has not read, and since when there are so many. */
  unread: { readonly bytes: number; readonly since: number };
}

interface Client {
  readonly name: string;
  count: number;
  /** Connections over which nothing is asked at the moment, the one that has been so for longest first. */
  readonly idle: Set<Connection>;
}

/**
 * Bounds the connections of a server, so that one address can't take them all: 4,096 idle ones of one client kept everybody out, load
 * balancers included. Where it is tight an idle one makes room, of the address itself or of the one that has most of them. Where none
 * is idle, who comes may still ask for the health of the service, but for nothing else.
 */
export function boundConnections(
  server: Server,
  { max, maxOfOne, spare, unreadMs }: ConnectionLimits,
): Connections {
  const clients = new Map<string, Client>();
  const connections = new Map<Socket, Connection>();

  const forget = (connection: Connection): void => {
    if (!connections.delete(connection.socket)) return;
    const { client } = connection;
    client.idle.delete(connection);
    client.count--;
    if (client.count === 0) clients.delete(client.name);
  };
  /** Ends the one that has been idle for longest. False when there is none. */
  const makeRoom = ({ idle }: Client): boolean => {
    const [connection] = idle;
    if (connection === undefined) return false;
    forget(connection); // at once: `close` comes later
    connection.socket.destroy();
    return true;
  };
  const mostIdle = (own: Client): Client =>
    [...clients.values()].reduce((most, each) => (each.idle.size > most.idle.size ? each : most), own);

  const hasRoom = (client: Client): boolean => {
    if (client.count >= maxOfOne && !makeRoom(client)) return false;
    return connections.size < max || makeRoom(mostIdle(client));
  };

  server.on('connection', (socket) => {
    const name = addressKey(socket.remoteAddress);
    const client = clients.get(name) ?? { name, count: 0, idle: new Set() };
    const isSpare = !hasRoom(client);
    if (isSpare && connections.size >= max + spare) {
      socket.destroy();
      return;
    }
    const connection = { socket, client, isSpare, requests: 0, unread: { bytes: 0, since: 0 } };
    clients.set(name, client);
    client.count++;
    client.idle.add(connection);
    connections.set(socket, connection);
    socket.once('close', () => {
      forget(connection);
    });
  });

  // Answers of every route: 2,000 unread ones of /openapi.json kept 600 MB for as long as their clients liked.
  const dropUnread = setInterval(() => {
    const now = performance.now();
    for (const connection of connections.values()) {
      const { unread, socket } = connection;
      const bytes = socket.writableLength;
      if (bytes === 0 || bytes !== unread.bytes) connection.unread = { bytes, since: now };
      else if (now - unread.since >= unreadMs) socket.destroy();
    }
  }, unreadMs / 6).unref();
  server.once('close', () => {
    clearInterval(dropUnread);
  });

  return {
    begin: (socket) => {
      const connection = connections.get(socket);
      if (connection === undefined) return () => undefined;
      connection.requests++;
      connection.client.idle.delete(connection);
      return () => {
        connection.requests--;
        if (connection.requests === 0 && connections.has(socket)) connection.client.idle.add(connection);
      };
    },
    isSpare: (socket) => connections.get(socket)?.isSpare === true,
  };
}
