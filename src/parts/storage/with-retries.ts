import { ServiceError, StorageProblem } from '../../core/ground/errors.ts';
import type { Logger } from '../../core/ground/log.ts';
import { withRetries } from '../../core/ground/retries.ts';
import type { Storage } from './storage.ts';
import { storageReason, toStorageError } from './storage-problem.ts';

const DELAYS_MS = [200, 1_000];

type Operation = 'put' | 'get' | 'delete';

/** A finished storage call, with all its tries. */
export interface StorageOperation {
  readonly operation: Operation;
  /** `missing`: `get` found no file. */
  readonly outcome: 'success' | 'missing' | 'failure';
  /** Bytes written, or to be read. 0 without success. */
  readonly bytes: number;
}

interface TryOptions {
  readonly log: Logger;
  readonly record: (operation: StorageOperation) => void;
  readonly delaysMs?: readonly number[];
}

/** Wraps a storage: retries temporary failures, and reports the others to client, log and metrics. */
export function withStorageRetries(storage: Storage, { log, record, delaysMs = DELAYS_MS }: TryOptions): Storage {
  const attempt = async <T>(operation: Operation | 'link', work: () => Promise<T>): Promise<T> => {
    try {
      return await withRetries(work, { tries: delaysMs.length + 1, isRetryable, delaysMs });
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      log.error({ err: error, operation, reason: storageReason(error) }, 'the storage failed');
      if (operation !== 'link') record({ operation, outcome: 'failure', bytes: 0 });
      throw toStorageError(error);
    }
  };

  return {
    put: async (path, body, contentType) => {
      await attempt('put', () => storage.put(path, body, contentType));
      record({ operation: 'put', outcome: 'success', bytes: body.length });
    },
    get: async (path) => {
      const found = await attempt('get', () => storage.get(path));
      record({ operation: 'get', outcome: found ? 'success' : 'missing', bytes: found?.bytes ?? 0 });
      return found;
    },
    delete: async (path) => {
      await attempt('delete', () => storage.delete(path));
      record({ operation: 'delete', outcome: 'success', bytes: 0 });
    },
    link: (path) => attempt('link', () => storage.link(path)),
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}

function isRetryable(error: unknown): boolean {
  if (error instanceof ServiceError) return false;
  return !(error instanceof StorageProblem) || error.isRetryable;
}
