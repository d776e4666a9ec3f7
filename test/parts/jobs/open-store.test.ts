import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import pino from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { openRedisStore } from '../../../src/parts/jobs/redis/open-redis-jobs.ts';
import { HAS_REDIS, startRedis } from '../../support/redis.ts';

const LEASES = { jobMs: 60_000, webhookMs: 60_000 };
const log = pino({ level: 'silent' });

const [servers, sockets]: [Server[], Set<Socket>] = [[], new Set()];
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** Starts a TCP server that stands in for Redis. */
async function standIn(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  return `redis://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

describe('the job store in Redis', () => {
  it('does not delay the start if Redis hangs before its greeting', async () => {
    const { opening, giveUp } = await openRedisStore(
      await standIn(() => undefined),
      { leases: LEASES },
      log,
      () => undefined,
    );
    const first = await Promise.race([opening, Promise.resolve('not yet')]);
    giveUp();

    expect(first).toBe('not yet');
  });

  // Jobs could not be reached until the next start of the service. In the worst case, the service did not start.
  it.skipIf(!HAS_REDIS).each([1, 2])(
    'opens if the connection is lost right after it was made: question %i (needs redis-server)',
    async (lostAt) => {
      await using redis = await startRedis();
      let questions = 0;
      const url = await standIn((socket) => {
        const upstream = connect(Number(new URL(redis.url).port), '127.0.0.1');
        sockets.add(upstream.on('error', () => undefined));
        upstream.pipe(socket);
        socket.on('data', (data: Buffer) => {
          if (data.includes('memory') && ++questions === lostAt) socket.destroy();
          else upstream.write(data);
        });
      });

      const { opening } = await openRedisStore(url, { leases: LEASES }, log, () => undefined);
      await using store = await opening;

      expect(await store.counts()).toEqual({ queued: 0, running: 0, webhooks: 0 });
      expect(questions).toBeGreaterThan(lostAt);
    },
  );
});
