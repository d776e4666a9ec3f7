import { realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { z } from 'zod';
import { exactOrigin, refuse, wholeNumber } from '../../core/config/parsers.ts';
import type { Config } from '../../core/config/settings.ts';
import { type ConfigOf, setting } from '../../core/config/setting.ts';
import { isStoredPath } from '../../core/capture/request/result-path.ts';

/** Place of stored results: a folder, or a bucket. */
export type StoragePlace =
  | { readonly kind: 'folder'; readonly folder: string }
  /** Prefix without slashes at its ends. Empty: the top of the bucket. */
  | { readonly kind: 'bucket'; readonly bucket: string; readonly prefix: string };

const STORAGE_FORM = 'file:<folder>, s3://<bucket> or s3://<bucket>/<prefix>';

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

function readStoragePlace(text: string, context: z.RefinementCtx): StoragePlace {
  return parsePlace(text) ?? refuse(context, 'it is neither a folder nor a bucket');
}

/** Refuses a path, because STORAGE names the bucket. */
function readEndpoint(text: string, context: z.RefinementCtx): string {
  const origin = text.replace(/\/$/, '');
  return exactOrigin(origin) === origin ? origin : refuse(context, 'it must be an origin without a path');
}

/** Settings of the storage. Undefined as `storageEndpoint`: that of Amazon. */
export const STORAGE_SETTINGS = {
  storage: setting('STORAGE', {
    form: STORAGE_FORM,
    schema: z.string().transform(readStoragePlace),
    unset: 'a folder in DATA_DIR',
    meaning: 'Where results are stored. Without STORAGE and DATA_DIR, the field store is refused',
  }),
  storageEndpoint: setting('STORAGE_ENDPOINT', {
    form: 'http://host[:port] or https://host[:port]',
    schema: z.string().transform(readEndpoint),
    unset: 'Amazon S3 in STORAGE_REGION',
    meaning: 'Address of the S3 service with the bucket of STORAGE. Links to results point to it',
  }),
  storageRegion: setting('STORAGE_REGION', {
    form: 'a name such as eu-central-1 or auto',
    schema: z.string().regex(/^[a-z0-9-]{1,64}$/i),
    default: 'us-east-1',
    meaning: 'Region of the bucket of STORAGE',
  }),
  storageAccessKeyId: setting('STORAGE_ACCESS_KEY_ID', {
    form: 'visible ASCII characters without spaces',
    schema: z.string().regex(/^[\x21-\x7e]+$/),
    meaning: 'Access key id for the bucket of STORAGE',
    secret: true,
  }),
  storageSecretAccessKey: setting('STORAGE_SECRET_ACCESS_KEY', {
    form: 'visible ASCII characters without spaces',
    schema: z.string().regex(/^[\x21-\x7e]+$/),
    meaning: 'Secret access key for the bucket of STORAGE',
    secret: true,
  }),
  storageLinkTtl: setting('STORAGE_LINK_TTL', {
    ...wholeNumber(1, 604_800), // maximum lifetime of a link that S3 signs: one week
    default: '3600',
    meaning: 'Lifetime of a link to a stored result, in seconds',
  }),
};

export type StorageSettings = ConfigOf<typeof STORAGE_SETTINGS> & Pick<Config, 'dataDir'>;

/** Conflicts between settings that are valid alone, one sentence each. */
export function storageContradictions(settings: StorageSettings & Pick<Config, 'redisUrl'>): string[] {
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
