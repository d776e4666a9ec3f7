import { StorageProblem } from '../../core/ground/errors.ts';
import type { Config } from '../../core/config/settings.ts';
import type { Logger } from '../../core/ground/log.ts';
import { createOpenRedis } from '../stores/redis-connection.ts';
import { createRedisLink } from '../stores/redis-link.ts';
import { createRedisUsageStore, USAGE_TRIAL } from './redis-usage.ts';
import { createUsage, type Usage } from './usage.ts';
import type { UsageStore } from './usage-store.ts';
import { openUsage, type SqliteUsage, USAGE_FILE } from './sqlite-usage.ts';
import { extname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { AnyValue } from '../../core/processes/peers.ts';
import { createDatabaseThread } from '../stores/database-thread.ts';

const REPLY_TIMEOUT_MS = 250; // time limit of Redis, because every capture waits for it

interface UsageOptions extends Pick<Config, 'keysFile' | 'redisUrl' | 'dataDir'> {
  readonly log: Logger;
}

/** Creates the usage of a service with keys, in Redis, else in DATA_DIR, else in memory. The caller closes it. */
export async function createUsageOf(options: UsageOptions): Promise<Usage | undefined> {
  return options.keysFile === undefined ? undefined : createUsage(await openStore(options), options.log);
}

async function openStore({ redisUrl, dataDir, log }: UsageOptions): Promise<UsageStore> {
  if (redisUrl !== undefined) {
    const open = createOpenRedis(redisUrl);
    const timeoutMs = REPLY_TIMEOUT_MS;
    return createRedisUsageStore(await createRedisLink({ open, part: 'usage', timeoutMs, trial: USAGE_TRIAL, log }));
  }
  if (dataDir !== undefined) {
    await refuseForeign(dataDir);
    return createThreadStore(dataDir);
  }
  log.warn('usage and quotas are in memory: they end with the process. Set DATA_DIR or REDIS_URL to keep them');
  return await createMemoryUsageStore();
}

/**
 * The service must not start with a file that it can't count in. Passing problems, such as a lock, are reported later.
 */
async function refuseForeign(dataDir: string): Promise<void> {
  try {
    const usage = await openUsage(dataDir);
    usage.close();
  } catch (error) {
    if (error instanceof StorageProblem && !error.isRetryable) throw error;
  }
}

/** Usage in a SQLite database in memory, which ends with the process. A call takes some 20 microseconds. */
export async function createMemoryUsageStore(): Promise<UsageStore> {
  const usage = await openUsage(undefined);
  return {
    reserve: async (...args) => usage.reserve(...args),
    standing: async (...args) => usage.standing(...args),
    renew: async (reservations) => usage.renew(reservations),
    write: async (batch) => usage.write(batch),
    read: async (...args) => usage.read(...args),
    close: async () => usage.close(),
  };
}

const WORKER = new URL(`sqlite-usage-worker${extname(import.meta.url)}`, import.meta.url);
/** Usage in a SQLite file, in a worker thread. */
export function createThreadStore(
  folder: string,
  { startWorker }: { readonly startWorker?: (folder: string) => Worker } = {},
): UsageStore {
  const calls = createDatabaseThread({ worker: WORKER, folder, name: USAGE_FILE, startWorker });
  const call =
    (name: keyof SqliteUsage) =>
    (...args: unknown[]): Promise<AnyValue> =>
      calls.call(name, args);

  return {
    reserve: call('reserve'),
    standing: call('standing'),
    renew: call('renew'),
    write: call('write'),
    read: call('read'),
    close: calls.close,
  };
}
