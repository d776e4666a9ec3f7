import { setTimeout as delay } from 'node:timers/promises';
import { COLOUR, type Colour } from '../colour.ts';
import { boxMarkup } from './box.ts';
import { page, send, sendHtml, toDocument, type Exchange, type Routes } from './exchange.ts';

/** `/status/404` and `/status/500`: answered with that status and a 200x200 box at (0, 0) of this colour. */
export const STATUS_PAGE: Readonly<Record<'404' | '500', Colour>> = {
  404: COLOUR.magenta,
  500: COLOUR.orange,
};

/** `/slow?ms=`: a green 200x200 box at (0, 0), whose first byte is delayed by `ms`. */
export const SLOW_PAGE = { x: 0, y: 0, width: 200, height: 200, colour: COLOUR.green } as const;

const DRIP_EVERY_MS = 1000;

/** Unusual HTTP answers, and some that never arrive. */
export function answerRoutes(): Routes {
  return {
    '/status/404': ({ response }) => sendHtml(response, statusDocument(STATUS_PAGE[404]), 404),
    '/status/500': ({ response }) => sendHtml(response, statusDocument(STATUS_PAGE[500]), 500),
    // /redirect/3 takes three redirects to /colours.
    '/redirect/*': ({ response, rest }) => {
      const left = Number.parseInt(rest, 10) - 1;
      redirect(response, left > 0 ? `/redirect/${left}` : '/colours');
    },
    '/redirect-loop': ({ response }) => redirect(response, '/redirect-loop'),
    '/redirect-to': ({ response, url }) => redirect(response, url.searchParams.get('url') ?? '/colours'),
    '/empty': ({ request }) => {
      request.socket.destroy();
    },
    '/download': ({ response }) => {
      response.setHeader('content-disposition', 'attachment; filename="report.bin"');
      send(response, { type: 'application/octet-stream', body: 'not a page' });
    },
    '/no-content': ({ response }) => {
      response.writeHead(204).end();
    },
    '/never': () => {},
    '/drip': drip,
    '/slow': async (exchange) => {
      await delay(Number(exchange.url.searchParams.get('ms')), undefined, { ref: false });
      await page({ body: boxMarkup(SLOW_PAGE) })(exchange);
    },
  };
}

function statusDocument(colour: Colour): string {
  return toDocument({ body: boxMarkup({ x: 0, y: 0, width: 200, height: 200, colour }) });
}

function redirect(response: Exchange['response'], location: string): void {
  response.writeHead(302, { location, 'cache-control': 'no-store' }).end();
}

/** Sends headers at once, then one byte of markup per second, without end. */
function drip({ response }: Exchange): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  response.write('<');
  const timer = setInterval(() => response.write(' '), DRIP_EVERY_MS);
  response.once('close', () => clearInterval(timer));
}
