import type { IncomingMessage, ServerResponse } from 'node:http';

/** One request to the fixture site and its pending answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** The text matched by the `*` at the end of the route's path; empty without one. */
  readonly rest: string;
  /** The same site under another host, which browsers treat as another site. */
  readonly crossSiteOrigin: string;
}

export type Route = (exchange: Exchange) => void | Promise<void>;

/** Maps a path, or a prefix that ends in `*`, to the function that answers it. */
export type Routes = Readonly<Record<string, Route>>;

interface Markup {
  readonly head?: string;
  readonly body: string;
}

/** Returns a whole document: white, without margins, and with an inline icon so that browsers request none. */
export function toDocument({ head = '', body }: Markup): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><title>Fixture</title><link rel="icon" href="data:,">
<style>html { background: #fff } body { margin: 0 }</style>
${head}
</head>
<body>
${body}
</body>
</html>`;
}

/** Returns a route that answers 200 with the same document every time. */
export function page(markup: Markup): Route {
  const document = toDocument(markup);
  return ({ response }) => sendHtml(response, document);
}

export function sendHtml(response: ServerResponse, document: string, status = 200): void {
  send(response, { type: 'text/html; charset=utf-8', body: document, status });
}

interface Answer {
  readonly type: string;
  readonly body: string | Buffer;
  readonly status?: number;
}

/** Sends one uncacheable answer, so that every use is a request that the test can see. */
export function send(response: ServerResponse, { type, body, status = 200 }: Answer): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
  });
  response.end(body);
}
