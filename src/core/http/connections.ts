import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { rateLimitKey } from './request/rate-limit-key.ts';

/** A client must read this much of its waiting answers in each `unreadMs`: 2 KB a second. */
const LEAST_READ_BYTES = 65_536;

interface ConnectionLimits {
  /** Maximum number of open connections. */
  readonly max: number;
  /** Maximum for one client address; IPv6 by /56. */
  readonly maxOfOne: number;
  /**
   * Maximum number of requests that one connection sends before it gets their answers. Few clients send more than one.
   */
  readonly maxUnanswered: number;
  /** A client that reads less than 64 KB of its waiting answers in this time is disconnected, in milliseconds. */
  readonly unreadMs: number;
  /** Additional connections that get only health checks. */
  readonly maxProbes: number;
}

export interface Connections {
  /**
   * Marks the start of a request on this connection. Returns a function that marks its end. Undefined if the connection
   * has sent too many requests, or is closed: it gets no answer.
   */
  readonly begin: (socket: Socket) => (() => void) | undefined;
  /** True for a connection above the limit, which gets only health checks. */
  readonly isProbeOnly: (socket: Socket) => boolean;
}

interface Connection {
  readonly socket: Socket;
  readonly client: Client;
  readonly isProbeOnly: boolean;
  requests: number;
  /**
   * Number of bytes that the client had read when the current interval began. It must read more before the interval
   * ends. Undefined: it has read everything.
   */
  reading: { readonly bytes: number; readonly since: number } | undefined;
}

interface Client {
  readonly name: string;
  count: number;
  /** Idle connections, the longest idle first. */
  readonly idle: Set<Connection>;
}

/**
 * Limits the connections of a server, so that one address can't take them all: 4,096 idle connections of one client
 * locked out everyone, load balancers included. At the limit, an idle connection of the same address, or of the address
 * with the most, is closed. Without idle connections, a new one gets only health checks.
 */
export function boundConnections(
  server: Server,
  { max, maxOfOne, maxUnanswered, maxProbes, unreadMs }: ConnectionLimits,
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
  /** Closes the longest idle connection. False if there is none. */
  const makeRoom = ({ idle }: Client): boolean => {
    const [connection] = idle;
    if (connection === undefined) return false;
    forget(connection); // removed immediately, because the `close` event comes later
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
    const name = rateLimitKey(socket.remoteAddress);
    const client = clients.get(name) ?? { name, count: 0, idle: new Set() };
    const isProbeOnly = !hasRoom(client);
    if (isProbeOnly && connections.size >= max + maxProbes) {
      socket.destroy();
      return;
    }
    const connection = { socket, client, isProbeOnly, requests: 0, reading: undefined };
    clients.set(name, client);
    client.count++;
    client.idle.add(connection);
    connections.set(socket, connection);
    socket.once('close', () => forget(connection));
  });

  // Applies to all routes: 2,000 unread answers of /openapi.json kept 600 MB for as long as the clients liked.
  const dropUnread = setInterval(() => {
    const now = performance.now();
    for (const connection of connections.values()) {
      const { reading, socket } = connection;
      const bytes = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0) connection.reading = undefined;
      else if (reading === undefined || bytes - reading.bytes >= LEAST_READ_BYTES)
        connection.reading = { bytes, since: now };
      else if (now - reading.since >= unreadMs) socket.destroy();
    }
  }, unreadMs / 6).unref();
  server.once('close', () => clearInterval(dropUnread));

  return {
    begin: (socket) => {
      const connection = connections.get(socket);
      if (connection === undefined || socket.destroyed) return undefined;
      // Node calls the handler for all requests of one chunk in one turn of the event loop: 5,000 took 2.3 s and 600
      // MB.
      if (connection.requests >= maxUnanswered) {
        socket.destroy();
        return undefined;
      }
      connection.requests++;
      connection.client.idle.delete(connection);
      return () => {
        connection.requests--;
        if (connection.requests === 0 && connections.has(socket)) connection.client.idle.add(connection);
      };
    },
    isProbeOnly: (socket) => connections.get(socket)?.isProbeOnly === true,
  };
}
