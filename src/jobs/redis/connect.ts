import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { asError } from '../../timeouts.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const LONGEST_DELAY_MS = 2_000;

/** What this service keeps of jobs in Redis begins with this. */
export const PREFIX = 'capture-service:jobs';

/** A Redis that would drop jobs when it is full: a fault of its settings, that no waiting mends. */
export class EvictingRedisError extends Error {
  override readonly name = 'EvictingRedisError';
}

/**
 * A connection that is mended by itself for as long as it takes. While it is broken each command fails at once, as no client should
 * wait for a Redis that is away. Resolves when the first attempt is over, well or not; the caller destroys it.
 * @param onError told of each loss and of each attempt in vain
 */
export async function connectRedis(url: string, onError: (error: Error) => void) {
  const { createClient } = await import('@redis/client');
  const client = createClient({
    url,
    RESP: 2,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, LONGEST_DELAY_MS),
    },
  });
  client.setMaxListeners(0); // each submission that waits for the connection has one
  client.on('error', onError);
  const connecting = client.connect().catch(onError);
  const firstLoss = new Promise<void>((resolve) => client.once('error', () => resolve()));
  // The time limit of the client ends with the TCP connection: a Redis that hangs would never greet.
  await Promise.race([connecting, firstLoss, delay(CONNECT_TIMEOUT_MS, undefined, { ref: false })]);
  return client;
}

/** Resolves when the connection can be used, however late. */
export function untilReady(client: JobRedis): Promise<void> {
  return new Promise((resolve) => {
    if (client.isReady) resolve();
    else client.once('ready', () => resolve());
  });
}

/**
 * Opens a new connection if `error` is that of a read-only replica. After a failover the address may lead to another server, but the
 * old connection stays with the old one.
 */
export function leaveReplica(client: JobRedis, error: unknown, onError: (error: Error) => void): void {
  if (!client.isReady || !/\bREADONLY\b/.test(asError(error).message)) return;
  client.destroy();
  client.connect().catch(onError);
}

export type JobRedis = Awaited<ReturnType<typeof connectRedis>>;

/**
 * A Redis that evicts any key drops what it likes when its memory is full: the job that a client was told is taken, or half of it.
 * One that evicts what expires alone (`volatile-*`) drops the cache, and of jobs no more than locks and keys of idempotency.
 * @throws EvictingRedisError
 */
export async function refuseEvicting(client: Pick<JobRedis, 'sendCommand'>): Promise<void> {
  // Not CONFIG: those who host Redis for others do not allow it.
  const info = z.string().parse(await client.sendCommand(['INFO', 'memory']));
  const [, policy] = /^maxmemory_policy:(\S+)/m.exec(info) ?? [];
  const [, limit] = /^maxmemory:(\d+)/m.exec(info) ?? [];
  if (policy === undefined || !policy.startsWith('allkeys-') || limit === '0') return;
  throw new EvictingRedisError(
    `REDIS_URL: this Redis has maxmemory-policy ${policy} and would drop jobs when its memory is full. ` +
      'Set maxmemory-policy to noeviction or volatile-lru there, or give jobs a Redis of their own',
  );
}
