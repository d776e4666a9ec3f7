import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import type { Exchange } from '../../support/pages/exchange.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const SELF = '<meta http-equiv="refresh" content="5">';
const MOVES = [
  ['by-meta', SELF],
  ['by-script', '<script>setTimeout(() => location.reload(), 2000)</script>'],
] as const;
const leadsTo = (path: string, seconds: number): string =>
  `<meta http-equiv="refresh" content="${seconds}; url=${path}"><p>One moment`;

/** Markup by path. The word is of the page that a visitor waits for. */
const PAGES: Readonly<Record<string, string>> = {
  '/meta': `${SELF}<p>Board`,
  '/named': '<meta http-equiv="refresh" content="5; url=/named#top"><p>Board',
  '/portal': '<meta http-equiv="refresh" content="300"><p>Portal',
  '/reloads': '<p>Board<script>setInterval(() => location.reload(), 1000)</script>',
  '/assigns': '<p>Board<script>setInterval(() => { location.href = location.href }, 500)</script>',
  '/interstitial': leadsTo('/shop', 2),
  '/shop': '<p>Shop',
  '/one': leadsTo('/two', 2),
  '/two': leadsTo('/one', 2),
  '/ping': leadsTo('/pong', 1),
  '/pong': leadsTo('/ping', 1),
  '/far': leadsTo('/shop', 60),
};

/** Answers the first visit of an address with a board, and later ones otherwise. */
function sendOnce({ response }: Exchange, visits: number, move: string, later: () => void): void {
  if (visits > 1) later();
  else response.setHeader('Content-Type', 'text/html').end(`<p>Board${move}`);
}

/** Lets in those who bring its cookie. */
function sendRoom({ request, response }: Exchange, move: string): void {
  const isIn = request.headers.cookie?.includes('ticket=1') === true;
  response.writeHead(isIn ? 200 : 503, { 'Content-Type': 'text/html', 'Set-Cookie': 'ticket=1' });
  response.end(isIn ? '<p>Shop' : move);
}

let site: FixtureSite;
let service: SharedService;
beforeAll(async () => {
  const pages = Object.entries(PAGES).map(([path, markup]) => [
    path,
    ({ response }: Exchange) => void response.setHeader('Content-Type', 'text/html').end(`<!doctype html>${markup}`),
  ]);
  const moreRoutes = {
    ...Object.fromEntries(pages),
    '/header': ({ response }: Exchange) =>
      void response.writeHead(200, { 'Content-Type': 'text/html', Refresh: '5' }).end('<p>Board'),
    '/room': (exchange: Exchange) => sendRoom(exchange, SELF),
    '/room-by-script': (exchange: Exchange) => sendRoom(exchange, '<script>location.reload()</script>'),
    '/room-by-form': (exchange: Exchange) => {
      if (exchange.request.method === 'POST') exchange.response.end('<p>Shop');
      else sendRoom({ ...exchange }, '<form method=post></form><script>document.forms[0].submit()</script>');
    },
    '/room-by-way': (exchange: Exchange) => {
      const isIn = exchange.request.headers.cookie?.includes('ticket=1') === true;
      if (isIn) exchange.response.setHeader('Content-Type', 'text/html').end('<p>Shop');
      else if (exchange.request.headers.cookie?.includes('seen=1') === true)
        exchange.response.writeHead(302, { Location: '/ticket' }).end();
      else
        exchange.response
          .writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': 'seen=1' })
          .end('<script>location.reload()</script>');
    },
    ...Object.fromEntries(
      MOVES.flatMap(([way, move]) => {
        const visits = { refused: 0, broken: 0, silent: 0 };
        const page =
          (kind: keyof typeof visits, later: (exchange: Exchange) => void) =>
          (exchange: Exchange): void =>
            sendOnce(exchange, ++visits[kind], move, () => later(exchange));
        return [
          [`/refused-${way}`, page('refused', ({ response }) => response.writeHead(429).end('<p>Slower'))],
          [`/broken-${way}`, page('broken', ({ response }) => response.socket?.destroy())],
          [`/silent-${way}`, page('silent', () => undefined)],
        ];
      }),
    ),
    '/ticket': ({ response }: Exchange) =>
      void response.writeHead(302, { Location: '/room-by-way', 'Set-Cookie': 'ticket=1' }).end(),
  };
  [site, service] = await Promise.all([createFixtureSite({ moreRoutes }), sharedService()]);
});
afterAll(() => site.close());

async function visit(path: string, fields: object = {}) {
  const before = site.requests.length;
  const { status, headers, body } = await capture(service.url, { url: site.url(path), format: 'html', ...fields });
  const loads = site.requests.slice(before).filter((request) => request.path === path).length;
  return { status, warnings: headers.get('x-capture-warnings'), text: /<p>(\w+)/.exec(body.toString())?.[1], loads };
}

describe('a page that refreshes itself', () => {
  it.each([
    ['/header', 2],
    ['/meta', 2],
    ['/named', 2],
    ['/portal', 1],
    ['/reloads', 2],
    ['/assigns', 2],
  ])('is loaded a few times only: %s', async (path, loads) => {
    expect(await visit(path)).toEqual({
      status: 200,
      warnings: null,
      text: 'Board',
      loads,
      ...(loads === 1 && { text: 'Portal' }),
    });
  });

  it.each(['/room', '/room-by-script', '/room-by-form', '/room-by-way'])('lets in a second visit: %s', async (path) => {
    expect(await visit(path)).toMatchObject({ status: 200, warnings: null, text: 'Shop' });
  });

  // The answer of a reload by script can't be dropped: its request is sent before it is announced.
  it.each(['/refused-by-meta', '/broken-by-meta', '/silent-by-meta', '/silent-by-script'])(
    'stays as it was if its second visit fails: %s',
    async (path) => {
      expect(await visit(path)).toMatchObject({ status: 200, text: 'Board' });
    },
  );

  it('may be opened again by an action of the request', async () => {
    const actions = [{ type: 'goto', url: site.url('/meta') }];

    expect(await visit('/meta', { actions })).toMatchObject({ status: 200, text: 'Board', loads: 3 });
  });
});

describe('a refresh to another page', () => {
  it('is followed within seconds', async () => {
    expect(await visit('/interstitial')).toEqual({ status: 200, warnings: null, text: 'Shop', loads: 1 });
  });

  it('is not followed after a minute', async () => {
    expect(await visit('/far')).toMatchObject({ status: 200, text: 'One', loads: 1 });
  });

  it('ends for pages that lead to each other', async () => {
    expect(await visit('/one')).toMatchObject({ status: 200, warnings: null, text: 'One' });
    expect(await visit('/ping')).toMatchObject({ status: 200, text: 'One', loads: 2 });
  });
});
