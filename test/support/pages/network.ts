import { COLOUR, toCss } from '../colour.ts';
import { boxMarkup } from './box.ts';
import { page, send, type Exchange, type Route, type Routes } from './exchange.ts';

/**
 * The box of `/never-idle`, `/slow-fetch` and `/poll-finite`: 200x200 at (0, 0), `#box`, red at first and green when
 * the page's own work is done (`<html data-done="true">` then). `/never-idle` is green from the start.
 */
export const NETWORK_PAGE = {
  pending: { x: 0, y: 0, width: 200, height: 200, colour: COLOUR.red },
  done: { x: 0, y: 0, width: 200, height: 200, colour: COLOUR.green },
  /** Delay of the answer to the request that `/slow-fetch` sends before `load`. */
  slowFetchMs: 700,
  /** `/poll-finite` sends three sequential requests, each answered after 300 ms, starting 400 ms after `load`. */
  poll: { startMs: 400, count: 3, eachMs: 300 },
  /** Request interval of `/never-idle`, which also keeps an EventSource open. */
  neverIdleEveryMs: 200,
} as const;

/** Pages that keep sending requests, and the answers. */
export function networkRoutes(): Routes {
  const { neverIdleEveryMs, slowFetchMs, poll } = NETWORK_PAGE;
  return {
    '/ping': ({ response }) => send(response, { type: 'text/plain', body: 'pong' }),
    '/answer-after': answerAfter,
    '/events': ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write(': open\n\n');
    },
    '/never-idle': page({
      body: `${boxMarkup(NETWORK_PAGE.done, 'id="box"')}<script>
  new EventSource('/events');
  setInterval(() => fetch('/ping'), ${neverIdleEveryMs});
</script>`,
    }),
    '/slow-fetch': pendingPage(`fetch('/answer-after?ms=${slowFetchMs}').then(done);`),
    '/poll-finite': pendingPage(`
  const poll = async () => {
    for (let turn = 0; turn < ${poll.count}; turn += 1) await fetch('/answer-after?ms=${poll.eachMs}');
    done();
  };
  addEventListener('load', () => setTimeout(poll, ${poll.startMs}));`),
  };
}

function pendingPage(script: string): Route {
  return page({
    body: `${boxMarkup(NETWORK_PAGE.pending, 'id="box"')}<script>
  const done = () => {
    box.style.background = '${toCss(NETWORK_PAGE.done.colour)}';
    document.documentElement.dataset.done = 'true';
  };
  ${script}
</script>`,
  });
}

function answerAfter({ url, response }: Exchange): void {
  const delayMs = Number(url.searchParams.get('ms'));
  const timer = setTimeout(() => send(response, { type: 'text/plain', body: 'late' }), delayMs);
  response.once('close', () => clearTimeout(timer));
}
