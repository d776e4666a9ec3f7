import { createServer } from 'node:http';
import { once } from 'node:events';

/** Returns a free port. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Reads the heap of a Node process that was started with `--inspect=127.0.0.1:<port>`: megabytes of live objects, after
 * a garbage collection. The caller closes it.
 */
export async function openHeap(port) {
  const [target] = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await once(socket, 'open');
  let lastId = 0;
  const call = async (method) => {
    const id = ++lastId;
    socket.send(JSON.stringify({ id, method }));
    for (;;) {
      const [{ data }] = await once(socket, 'message');
      const message = JSON.parse(data);
      if (message.id === id) return message.result;
    }
  };
  return {
    usedMegabytes: async () => {
      await call('HeapProfiler.collectGarbage');
      const { usedSize } = await call('Runtime.getHeapUsage');
      return usedSize / 1e6;
    },
    close: () => socket.close(),
  };
}
