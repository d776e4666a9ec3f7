import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { documentOf } from '../hostile/hostile-case.ts';

const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'; // RFC 6455

/** A site whose pages are scripts, by path. It accepts every WebSocket and reads it. The caller closes it. */
export interface WebSocketSite extends AsyncDisposable {
  readonly url: (path: string) => string;
}

export async function createWebSocketSite(scripts: Readonly<Record<string, string>>): Promise<WebSocketSite> {
  const server = createServer((request, response) => {
    request.resume();
    const script = scripts[request.url?.slice(1) ?? ''] ?? '';
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(documentOf(`<p>text</p><script>${script}</script>`));
  });
  const channels = new Set<Duplex>(); // the HTTP server no longer manages upgraded connections
  server.on('upgrade', ({ headers }, socket) => {
    channels.add(socket);
    const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${KEY_SUFFIX}`).digest('base64');
    socket.on('error', () => socket.destroy()).resume();
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: (path) => `http://127.0.0.1:${port}/${path}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      for (const channel of channels) channel.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Returns a page script that sends over a WebSocket repeatedly. Each U+0001 becomes six bytes in the protocol message.
 */
export function sendFrames(characters: number, everyMs?: number): string {
  const send = `socket.send('\\x01'.repeat(${characters}))`;
  return `const socket = new WebSocket('ws://' + location.host + '/socket');
socket.onopen = () => { ${everyMs === undefined ? send : `setInterval(() => ${send}, ${everyMs})`}; };`;
}
