import type { Socket } from 'node:net';

/** Forwards bytes both ways until both sides have ended. The end of one side is forwarded; an error ends both. */
export function joinSockets(client: Socket, upstream: Socket, count: (chunk: Buffer) => void): void {
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
