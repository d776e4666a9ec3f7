import { join } from 'node:path';
import type { Logger } from '../log.ts';
import { createFileStorage, type FileStorage } from './file-storage.ts';
import type { Storage } from './storage.ts';
import type { StorageSettings } from './storage-setting.ts';
import { type StorageOperation, tryThrice } from './try-thrice.ts';

interface StorageOptions extends StorageSettings {
  readonly log: Logger;
  readonly record: (operation: StorageOperation) => void;
}

export interface OpenStorage {
  readonly storage: Storage;
  /** Of the links that lead to this service; undefined: they lead elsewhere. */
  readonly checkLink: FileStorage['checkLink'] | undefined;
}

/**
 * The storage that the settings ask for; undefined where they ask for none. Whoever made it disposes of it.
 * @throws Error in words when its folder cannot be written. A bucket is first looked at when it is needed: it may come later than we do.
 */
export async function createStorage({
  log,
  record,
  ...settings
}: StorageOptions): Promise<OpenStorage | undefined> {
  const { dataDir, storage: place, storageLinkTtl: linkTtlSeconds } = settings;
  if (place?.kind === 'bucket') {
    const { createS3Storage } = await import('./s3-storage.ts');
    const storage = createS3Storage({ ...place, ...settings, linkTtlSeconds });
    return { storage: tryThrice(storage, { log, record }), checkLink: undefined };
  }
  const folder = place?.folder ?? (dataDir === undefined ? undefined : join(dataDir, 'storage'));
  if (folder === undefined) return undefined;
  const storage = await createFileStorage({ folder, linkTtlSeconds });
  return { storage: tryThrice(storage, { log, record }), checkLink: storage.checkLink };
}
