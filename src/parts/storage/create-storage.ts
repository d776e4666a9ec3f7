import { join } from 'node:path';
import type { Logger } from '../../core/ground/log.ts';
import { createFileStorage, type FileStorage } from './file-storage.ts';
import type { Storage } from './storage.ts';
import { storageReason } from './storage-problem.ts';
import type { StorageSettings } from './storage-setting.ts';
import { type StorageOperation, withStorageRetries } from './with-retries.ts';
import { limitTime, withTimeLimit } from './with-time-limit.ts';

/** Time limit of the check at the start, because a lost network drive may never answer. */
const PREPARE_LIMIT_MS = 10_000;

interface StorageOptions extends StorageSettings {
  readonly log: Logger;
  readonly record: (operation: StorageOperation) => void;
}

export interface OpenStorage {
  readonly storage: Storage;
  /** Checks links that lead to this service. Undefined: links lead elsewhere. */
  readonly checkLink: FileStorage['checkLink'] | undefined;
}

/**
 * Returns the configured storage; undefined if there is none. The caller disposes of it. The service also starts
 * without the bucket or a writable folder: captures work without storage, and storing works as soon as the storage is
 * back.
 */
export async function createStorage({ log, record, ...settings }: StorageOptions): Promise<OpenStorage | undefined> {
  const { dataDir, storage: place, storageLinkTtl: linkTtlSeconds } = settings;
  if (place?.kind === 'bucket') {
    const { createS3Storage } = await import('./s3-storage.ts');
    const storage = createS3Storage({ ...place, ...settings, linkTtlSeconds });
    return { storage: withStorageRetries(storage, { log, record }), checkLink: undefined };
  }
  const folder = place?.folder ?? (dataDir === undefined ? undefined : join(dataDir, 'storage'));
  if (folder === undefined) return undefined;
  const storage = createFileStorage({ folder, linkTtlSeconds });
  await limitTime(storage.prepare(), PREPARE_LIMIT_MS).catch((error: unknown) => {
    log.warn({ err: error, reason: storageReason(error) }, "results can't be stored yet: the service will try again");
  });
  return {
    storage: withStorageRetries(withTimeLimit(storage), { log, record }),
    checkLink: storage.checkLink,
  };
}
