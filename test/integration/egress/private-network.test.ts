import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../../support/http.ts';
import { SELF_SIGNED } from '../../support/self-signed.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'; // RFC 6455

/** Shows what the page could reach of another address. */
const pageFor = (other: string): string => `<p>page</p><script>
  const show = (text) => document.body.append(document.createElement('p'), text);
  const frame = document.createElement('iframe');
  addEventListener('message', () => show('frame'), { once: true });
  frame.src = '${other}frame';
  document.body.append(frame);
  fetch('${other}data').then(() => show('fetch'), () => show('no fetch'));
  const socket = new WebSocket('${other.replace('http', 'ws')}socket');
  socket.onopen = () => show('socket');
  socket.onerror = () => show('no socket');
</script>`;

// Chrome 142 and later ask a person before a page connects to private addresses (Local Network Access). Nobody could
// answer here.
describe('a page of an allowed private address', () => {
  let service: SharedService;
  beforeAll(async () => {
    service = await sharedService();
  });

  it.each(['http', 'https'] as const)('reaches another allowed private address over %s', async (protocol) => {
    await using other = await listen(protocol, '127.0.0.2', () => '<script>parent.postMessage(1, "*")</script>');
    await using site = await listen(protocol, '127.0.0.1', () => pageFor(other.url));

    const answer = await capture(service.url, {
      url: site.url,
      ignore_https_errors: true,
      wait_for_function: 'document.querySelectorAll("p").length === 4',
      format: 'markdown',
      main_content: false,
    });

    expect(answer.body.toString().split(/\s+/).toSorted()).toEqual(['', 'fetch', 'frame', 'page', 'socket']);
  });
});

async function listen(
  protocol: 'http' | 'https',
  host: string,
  page: () => string,
): Promise<AsyncDisposable & { readonly url: string }> {
  const listener: RequestListener = (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html', 'Access-Control-Allow-Origin': '*' }).end(page());
  };
  const server = protocol === 'http' ? createServer(listener) : createSecureServer(SELF_SIGNED, listener);
  server.on('upgrade', ({ headers }, socket) => {
    const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${KEY_SUFFIX}`).digest('base64');
    socket.on('error', () => socket.destroy());
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    server.once('close', () => socket.destroy());
  });
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('no port');
  return {
    url: `${protocol}://${host}:${address.port}/`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
