import { Agent, createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { pipeline } from 'node:stream';

const CHECK_EVERY_MS = 50;

/** A small load balancer: round robin over the backends that are ready by /health/ready. It never retries. */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
  /** Adds a backend, which is used as soon as it is ready. */
  readonly add: (backend: string) => void;
  /** Number of ready backends at the last check. */
  readonly readyCount: () => number;
}

/** Starts the balancer on a free loopback port. The caller disposes of it. */
export async function startBalancer(): Promise<Balancer> {
  const backends = new Map<string, boolean>();
  // Uses keep-alive, like real balancers: closing a connection must not lose the next request on it.
  const agent = new Agent({ keepAlive: true });
  let turn = 0;

  const server = createServer((request, response) => {
    const ready = [...backends].flatMap(([backend, isReady]) => (isReady ? [backend] : []));
    turn += 1;
    const backend = ready[turn % ready.length];
    if (backend === undefined) response.writeHead(502).end('no backend is ready');
    else forward(backend, agent, request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP address');

  const check = async (): Promise<void> => {
    await Promise.all(
      [...backends.keys()].map(async (backend) => {
        const isReady = await fetch(`${backend}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        );
        backends.set(backend, isReady);
      }),
    );
    timer = setTimeout(() => void check(), CHECK_EVERY_MS);
  };
  let timer = setTimeout(() => void check(), 0);

  return {
    url: `http://127.0.0.1:${address.port}`,
    add: (backend) => void backends.set(backend, false),
    readyCount: () => [...backends.values()].filter(Boolean).length,
    [Symbol.asyncDispose]: async () => {
      clearTimeout(timer);
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function forward(backend: string, agent: Agent, request: IncomingMessage, response: ServerResponse): void {
  const { method, headers } = request;
  const onward = sendRequest(new URL(request.url ?? '/', backend), { method, headers, agent });
  onward.on('response', (answer) => {
    const { connection: _ofTheBackend, ...kept } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, kept);
    pipeline(answer, response, () => undefined); // one side has disconnected and thereby closed the other
  });
  onward.on('error', (error) => {
    if (response.headersSent) response.destroy(error);
    else response.writeHead(502).end(error.message);
  });
  pipeline(request, onward, () => undefined);
}
