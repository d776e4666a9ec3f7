import { once } from 'node:events';
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { capture } from '../../support/http.ts';
import { SELF_SIGNED } from '../../support/self-signed.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const STREAM_MS = 40_000;
/** Longer than the silence after which a sub-resource is given up. */
const PAUSE_MS = 11_000;

/** An answer, over any protocol. */
interface Answer {
  readonly setHeader: (name: string, value: string) => unknown;
  readonly write: (text: string) => unknown;
  readonly end: (text: string) => unknown;
}

/** A report that is streamed with pauses, beside a long poll and an event stream of the same host. */
function answer({ url }: { readonly url?: string | undefined }, response: Answer): void {
  if (url === '/poll') return;
  if (url === '/events') {
    response.setHeader('content-type', 'text/event-stream');
    response.write('data: 1\n\n');
    return;
  }
  response.setHeader('content-type', 'text/html');
  response.write(`<title>ok</title><h1>Begin</h1><script>
    const poll = new XMLHttpRequest();
    poll.onerror = () => { document.title = 'poll lost'; };
    poll.open('GET', '/poll');
    poll.send();
    new EventSource('/events').onerror = () => { document.title = 'events lost'; };
  </script>`);
  const beganAt = performance.now();
  const next = (): void => {
    if (performance.now() - beganAt < STREAM_MS) {
      response.write('<p>More of the report');
      setTimeout(next, PAUSE_MS);
    } else response.end('<h1>End</h1>');
  };
  setTimeout(next, PAUSE_MS);
}

const SERVERS = {
  'HTTP/1.1': () => createServer(answer),
  'HTTP/1.1 with TLS': () => createTlsServer(SELF_SIGNED, answer),
  'HTTP/2': () => createSecureServer(SELF_SIGNED, answer),
};

describe('a document that is streamed for 40 s beside a long poll and an event stream', () => {
  let service: SharedService;
  beforeAll(async () => {
    service = await sharedService();
  });

  it.concurrent.each(Object.entries(SERVERS))('is whole, over %s', async (protocol, create) => {
    const server = create().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { status, headers, body } = await capture(service.url, {
      url: `${protocol === 'HTTP/1.1' ? 'http' : 'https'}://127.0.0.1:${port}/`,
      format: 'html',
      ignore_https_errors: true,
      wait_for_timeout: 60_000,
    });

    expect([status, headers.get('x-capture-warnings')]).toEqual([200, 'requests_pending']); // the poll
    expect(body.toString()).toContain('<h1>End</h1>');
    expect(body.toString()).toContain('<title>ok</title>');
  });
});
