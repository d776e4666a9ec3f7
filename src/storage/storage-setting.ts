import { resolve, sep } from 'node:path';
import { isStoredPath } from './stored-path.ts';

/** Where results are stored: below a folder of this machine, or in a bucket. */
export type StoragePlace =
  | { readonly kind: 'folder'; readonly folder: string }
  /** The prefix without a slash at its ends; empty: the bucket's own top. */
  | { readonly kind: 'bucket'; readonly bucket: string; readonly prefix: string };

export const STORAGE_FORM = 'file:<folder>, s3://<bucket> or s3://<bucket>/<prefix>';

// The names that buckets may have had at any time, of which some are in use.
const BUCKET = /^[a-z0-9][\w.-]{1,253}[a-z0-9]$/i;

/** Undefined for what is none of the forms. A relative folder is one of the working directory. */
export function parsePlace(text: string): StoragePlace | undefined {
  const folder = /^file:(?:\/\/(?=\/))?(?!\/\/)(.+)$/s.exec(text)?.[1];
  if (folder !== undefined) return { kind: 'folder', folder: resolve(folder) };
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)(?:\/(.*?)\/?)?$/s.exec(text) ?? [];
  if (bucket === undefined || !BUCKET.test(bucket)) return undefined;
  return prefix === '' || isStoredPath(prefix) ? { kind: 'bucket', bucket, prefix } : undefined;
}

/** The settings of a storage, by their keys of Config. */
export interface StorageSettings {
  readonly dataDir: string | undefined;
  readonly storage: StoragePlace | undefined;
  /** Without anything behind its port; undefined: Amazon's. */
  readonly storageEndpoint: string | undefined;
  readonly storageRegion: string;
  readonly storageAccessKeyId: string | undefined;
  readonly storageSecretAccessKey: string | undefined;
  readonly storageLinkTtl: number;
}

/** What is wrong between settings that are each fine, a sentence each. */
export function storageContradictions(
  settings: StorageSettings & { readonly redisUrl: string | undefined },
): string[] {
  const { dataDir, redisUrl, storage } = settings;
  if (storage?.kind === 'folder') {
    // Whoever stores results could write over the file of the jobs, and with a link to it read what they hold.
    const holdsJobs =
      dataDir !== undefined &&
      redisUrl === undefined &&
      `${dataDir}${sep}`.startsWith(`${storage.folder}${sep}`);
    return holdsJobs
      ? ['STORAGE: its folder may not hold DATA_DIR, where the jobs are. Set it to a folder of its own.']
      : [];
  }
  if (storage?.kind !== 'bucket') return [];
  const keys = {
    STORAGE_ACCESS_KEY_ID: settings.storageAccessKeyId,
    STORAGE_SECRET_ACCESS_KEY: settings.storageSecretAccessKey,
  };
  return Object.entries(keys)
    .filter(([, key]) => key === undefined)
    .map(
      ([name]) =>
        `${name}: it is needed beside STORAGE, which names a bucket. Set it to the key given out for it.`,
    );
}
