import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { asError } from '../../../core/ground/timeouts.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const LONGEST_DELAY_MS = 2_000;

/** Prefix of all keys of jobs in Redis. */
export const PREFIX = 'capture-service:jobs';
/**
 * Version of the records of jobs. A newer version of this service may write others, which this one would read wrongly.
 */
const FORMAT = { key: `${PREFIX}:format`, version: 1 } as const;

/** This Redis would evict jobs, or has those of a newer version. Only the operator can change that. */
export class UnsuitableRedisError extends Error {
  override readonly name = 'UnsuitableRedisError';
}

/**
 * Opens a connection that reconnects automatically for as long as necessary. While it is down, each command fails at
 * once, so that no client waits. Resolves after the first attempt, successful or not; the caller destroys it.
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
 * Opens a new connection if `error` is that of a read-only replica. After a failover the address may lead to another
 * server, but the old connection stays with the old one.
 */
export function leaveReplica(client: JobRedis, error: unknown, onError: (error: Error) => void): void {
  if (!client.isReady || !/\bREADONLY\b/.test(asError(error).message)) return;
  client.destroy();
  client.connect().catch(onError);
}

export type JobRedis = Awaited<ReturnType<typeof connectRedis>>;

/**
 * Refuses a Redis that would evict jobs, or whose jobs a newer version has written. Writes the version into a new
 * Redis.
 * @throws UnsuitableRedisError
 */
export async function refuseUnsuitable(client: Pick<JobRedis, 'sendCommand'>): Promise<void> {
  await refuseEvicting(client);
  const noted: unknown = await client.sendCommand(['GET', FORMAT.key]);
  // A Redis that takes no writes, because it is full, can still be read. The next start notes the version.
  if (noted === null) await client.sendCommand(['SET', FORMAT.key, `${FORMAT.version}`, 'NX']).catch(() => undefined);
  const version = Number(noted ?? FORMAT.version);
  if (version <= FORMAT.version) return;
  throw new UnsuitableRedisError(
    `REDIS_URL: the jobs of this Redis were written by a newer version of this service (format ${version}, not ` +
      `${FORMAT.version}). Use that version or a later one, or another Redis`,
  );
}

/**
 * A Redis that evicts any key may drop an accepted job, or a part of it. One that evicts only keys with an expiry
 * (`volatile-*`) drops cached captures, but also the locks of running jobs and idempotency keys.
 * @throws UnsuitableRedisError
 */
async function refuseEvicting(client: Pick<JobRedis, 'sendCommand'>): Promise<void> {
  // Does not use CONFIG, which Redis hosting providers forbid.
  const info = z.string().parse(await client.sendCommand(['INFO', 'memory']));
  const [, policy] = /^maxmemory_policy:(\S+)/m.exec(info) ?? [];
  const [, limit] = /^maxmemory:(\d+)/m.exec(info) ?? [];
  if (policy === undefined || !policy.startsWith('allkeys-') || limit === '0') return;
  throw new UnsuitableRedisError(
    `REDIS_URL: this Redis has maxmemory-policy ${policy}, which evicts jobs when its memory is full. ` +
      'Set maxmemory-policy to noeviction there, and CACHE_REDIS_URL to another Redis for the cache',
  );
}
