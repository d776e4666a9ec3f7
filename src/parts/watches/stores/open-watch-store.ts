import { extname } from 'node:path';
import type { Config } from '../../../core/config/settings.ts';
import { ServiceError, StorageProblem } from '../../../core/ground/errors.ts';
import { createThrottle, type Logger } from '../../../core/ground/log.ts';
import { PeerEndedError } from '../../../core/processes/peer-calls.ts';
import type { AnyValue } from '../../../core/processes/peers.ts';
import { createDatabaseThread } from '../../stores/database-thread.ts';
import { createOpenRedis } from '../../stores/redis-connection.ts';
import { createRedisLink } from '../../stores/redis-link.ts';
import type { WatchStore } from '../watch-store.ts';
import { createRedisWatches, WATCH_TRIAL } from './redis-watches.ts';
import { WATCH_FILE } from './sqlite-watches.ts';

const WORKER = new URL(`sqlite-watches-worker${extname(import.meta.url)}`, import.meta.url);
const REDIS_REPLY_MS = 2_000;

/** Opens the store of watches, in Redis, else in DATA_DIR. The caller closes it. */
export async function openWatchStore(
  { redisUrl, dataDir }: Pick<Config, 'redisUrl' | 'dataDir'>,
  log: Logger,
): Promise<WatchStore> {
  if (redisUrl !== undefined) {
    const open = createOpenRedis(redisUrl);
    const link = await createRedisLink({ open, part: 'watches', timeoutMs: REDIS_REPLY_MS, trial: WATCH_TRIAL, log });
    return guarded(createRedisWatches(link), log);
  }
  return guarded(createFileStore(dataDir ?? ''), log);
}

/** Watches in a SQLite file, in a worker thread. */
function createFileStore(folder: string): WatchStore {
  const calls = createDatabaseThread({ worker: WORKER, folder, name: WATCH_FILE });
  const store: AnyValue = new Proxy(
    { close: calls.close },
    {
      get: (own, name) => {
        // A store that has `then` would be awaited as a promise.
        if (typeof name !== 'string' || name === 'then' || name in own) return Reflect.get(own, name);
        return (...args: unknown[]): Promise<AnyValue> => calls.call(name, args);
      },
    },
  );
  return store;
}

/** A store whose failures become a StorageError for clients, and a log line for operators, at most once a minute. */
function guarded(store: WatchStore, log: Logger): WatchStore {
  const onceAMinute = createThrottle();
  const asStorageError = (error: unknown): ServiceError => {
    if (error instanceof ServiceError) return error;
    const details = error instanceof StorageProblem || error instanceof PeerEndedError ? error.message : undefined;
    onceAMinute(() =>
      log.error({ err: error, reason: details }, 'the store of watches fails: runs wait until it works'),
    );
    return new ServiceError('StorageError', 'The store of watches failed', {
      cause: error,
      ...(details !== undefined && { details }),
    });
  };
  return new Proxy(store, {
    get: (own, name) => {
      const method: unknown = Reflect.get(own, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]): Promise<AnyValue> => {
        try {
          return await Reflect.apply(method, own, args);
        } catch (error) {
          throw asStorageError(error);
        }
      };
    },
  });
}
