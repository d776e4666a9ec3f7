import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { hasBody } from '../request/read-body.ts';

/** Maximum time for which a refused body is still read. An endless body must not hold its socket. */
const LINGER_MS = 3_000;

/**
 * Prepares a connection whose request body was not read for an answer that is sent at once. Such a connection closes
 * after the answer. A socket that closes with unread bytes is reset, and the client may lose the answer (RFC 9112
 * section 9.6). So the service ends its side, discards what the client still sends, and closes after 3 s at most.
 */
export async function lingerAfterAnswer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.complete || request.destroyed || !hasBody(request.headers)) return;
  request.resume();
  await yieldToEventLoop(); // a small body has arrived with the headers: its connection stays open
  if (request.complete) return;
  response.setHeader('Connection', 'close');
  const { socket } = request;
  const destroySoon = socket.destroySoon.bind(socket);
  // Node calls it once the last answer of a connection was handed to the system.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(destroySoon, LINGER_MS);
    finished(request, () => {
      clearTimeout(timer);
      destroySoon();
    });
  };
}
