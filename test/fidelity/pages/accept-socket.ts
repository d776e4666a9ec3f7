import { createHash } from 'node:crypto';
import type { Exchange } from '../../support/pages/exchange.ts';

/** Answers a WebSocket handshake. */
export function acceptSocket(request: Exchange['request']): void {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`; // RFC 6455, 1.3
  const accept = createHash('sha1').update(key).digest('base64');
  request.socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
}
