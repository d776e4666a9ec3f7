import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { asError } from '../../timeouts.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const LONGEST_DELAY_MS = 2_000;

/** Prefix of all keys of jobs in Redis. */
export const PREFIX = 'capture-service:jobs';

/** This Redis evicts jobs when its memory is full. Only a change of its settings helps. */
export class EvictingRedisError extends Error {
  override readonly name = 'EvictingRedisError';
}

/**
 * Opens a connection that reconnects automatically for as long as necessary. While it is down, each command fails at once, so that no
 * client waits. Resolves after the first attempt, successful or not; the caller destroys it.
 * @param onError called for each lost connection and each failed attempt
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
  client.setMaxListeners(0); // each submission that waits for the connection adds a listener
  client.on('error', onError);
  const connecting = client.connect().catch(onError);
  const firstLoss = new Promise<void>((resolve) => client.once('error', () => resolve()));
  // The library's time limit ends when TCP is connected, but a hanging Redis would never complete the handshake.
  await Promise.race([connecting, firstLoss, delay(CONNECT_TIMEOUT_MS, undefined, { ref: false })]);
  return client;
}

/** Resolves when the connection is usable, without a time limit. */
export function untilReady(client: JobRedis): Promise<void> {
  return new Promise((resolve) => {
    if (client.isReady) resolve();
    else client.once('ready', () => resolve());
  });
}

/**
 * Opens a new connection if `error` is that of a read-only replica. After a failover the address may lead to another server, but the old
 * connection stays with the old one.
 */
export function leaveReplica(client: JobRedis, error: unknown, onError: (error: Error) => void): void {
  if (!client.isReady || !/\bREADONLY\b/.test(asError(error).message)) return;
  client.destroy();
  client.connect().catch(onError);
}

export type JobRedis = Awaited<ReturnType<typeof connectRedis>>;

/**
 * A Redis that evicts any key may drop an accepted job, or a part of it. One that evicts only keys with an expiry (`volatile-*`) drops
 * cached captures, locks and idempotency keys.
 * @throws EvictingRedisError
 */
export async function refuseEvicting(client: Pick<JobRedis, 'sendCommand'>): Promise<void> {
  // Does not use CONFIG, which Redis hosting providers forbid.
  const info = z.string().parse(await client.sendCommand(['INFO', 'memory']));
  const [, policy] = /^maxmemory_policy:(\S+)/m.exec(info) ?? [];
  const [, limit] = /^maxmemory:(\d+)/m.exec(info) ?? [];
  if (policy === undefined || !policy.startsWith('allkeys-') || limit === '0') return;
  throw new EvictingRedisError(
    `REDIS_URL: this Redis has maxmemory-policy ${policy}, which evicts jobs when its memory is full. ` +
      'Set maxmemory-policy to noeviction or volatile-lru there, or use a separate Redis for jobs',
  );
}
