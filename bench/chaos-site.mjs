import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const REFUSED_SHARE = 0.1;

/**
 * Pages `/<number>`, whose loads are counted, and the receiver of webhooks `/hook`, which refuses some of them once.
 */
export async function createChaosSite(secret) {
  const [loads, hooks, refused] = [new Map(), new Map(), new Set()];
  const webhook = new Webhook(secret);
  let repeated = 0;
  const receive = (body, headers) => {
    const id = headers['webhook-id'];
    const job = webhook.verify(body, headers);
    if (!refused.has(id) && !hooks.has(job.id) && Math.random() < REFUSED_SHARE) {
      refused.add(id);
      return 503;
    }
    if (hooks.has(job.id)) repeated++;
    hooks.set(job.id, job.state);
    return 204;
  };
  const answer = async (request, response) => {
    const path = (request.url ?? '').slice(1);
    if (path === 'hook') {
      response.writeHead(receive(await text(request), request.headers)).end();
      return;
    }
    if (/^\d+$/.test(path)) loads.set(path, (loads.get(path) ?? 0) + 1);
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>${path}</h1>`);
  };
  const server = createServer(
    (request, response) =>
      void answer(request, response).catch(() => {
        response.writeHead(400).end();
      }),
  );
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve)));
  const host = `127.0.0.1:${server.address().port}`;
  return { host, loads, hooks, refused: () => refused.size, repeated: () => repeated, close };
}
