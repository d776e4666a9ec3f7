import { realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { isStoredPath } from './stored-path.ts';

/** Place of stored results: a folder, or a bucket. */
export type StoragePlace =
  | { readonly kind: 'folder'; readonly folder: string }
  /** Prefix without slashes at its ends. Empty: the top of the bucket. */
  | { readonly kind: 'bucket'; readonly bucket: string; readonly prefix: string };

export const STORAGE_FORM = 'file:<folder>, s3://<bucket> or s3://<bucket>/<prefix>';

// Accepts all bucket names that were ever valid, because old names are still in use.
const BUCKET = /^[a-z0-9][\w.-]{1,253}[a-z0-9]$/i;

/** Returns undefined for any other form. A relative folder is resolved against the working directory. */
export function parsePlace(text: string): StoragePlace | undefined {
  const folder = /^file:(?:\/\/(?=\/))?(?!\/\/)(.+)$/s.exec(text)?.[1];
  if (folder !== undefined) return { kind: 'folder', folder: resolve(folder) };
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)(?:\/(.*?)\/?)?$/s.exec(text) ?? [];
  if (bucket === undefined || !BUCKET.test(bucket)) return undefined;
  return prefix === '' || isStoredPath(prefix) ? { kind: 'bucket', bucket, prefix } : undefined;
}

/** Settings of the storage, by their keys in Config. */
export interface StorageSettings {
  readonly dataDir: string | undefined;
  readonly storage: StoragePlace | undefined;
  /** Endpoint URL without a path. Undefined: Amazon's. */
  readonly storageEndpoint: string | undefined;
  readonly storageRegion: string;
  readonly storageAccessKeyId: string | undefined;
  readonly storageSecretAccessKey: string | undefined;
  readonly storageLinkTtl: number;
}

/** Conflicts between settings that are valid alone, one sentence each. */
export function storageContradictions(settings: StorageSettings & { readonly redisUrl: string | undefined }): string[] {
  const { dataDir, redisUrl, storage } = settings;
  if (storage?.kind === 'folder') {
    // Otherwise clients that store results could overwrite the job database, or read it by a link.
    const holdsJobs = dataDir !== undefined && redisUrl === undefined && holds(storage.folder, dataDir);
    return holdsJobs
      ? ['STORAGE: its folder must not contain DATA_DIR, which has the jobs. Set it to a separate folder.']
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
      ([name]) => `${name}: is required, because STORAGE names a bucket. Set it to a key with access to that bucket.`,
    );
}

/**
 * True if the inner folder is the outer one or inside it, by any path: resolves symbolic links, bind mounts and letter
 * case.
 */
function holds(outer: string, inner: string): boolean {
  const [realOuter, realInner] = [realPath(outer), realPath(inner)];
  if (`${realInner}${sep}`.startsWith(realOuter === sep ? sep : `${realOuter}${sep}`)) return true;
  const outerIdentity = identityOf(realOuter);
  if (outerIdentity === undefined) return false;
  for (let folder = realInner; ; folder = dirname(folder)) {
    if (identityOf(folder) === outerIdentity) return true;
    if (folder === dirname(folder)) return false;
  }
}

/** Returns the real path of a folder whose last parts may not exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), path.slice(parent.length));
  }
}

/** Undefined for a missing or unreadable folder. */
function identityOf(folder: string): string | undefined {
  try {
    const { dev, ino } = statSync(folder, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
