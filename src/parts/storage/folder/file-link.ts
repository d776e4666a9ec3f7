import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signedQuery, verifySignature } from '../../../core/access/signature.ts';
import { errorCode } from '../../../core/ground/errors.ts';
import type { StoredLink } from '../storage.ts';

/** No stored path can contain `~`. */
const KEY_FILE = '~key';
const KEY_BYTES = 32;

/** Links to the files of one folder. */
export interface FileLinks {
  readonly make: (path: string) => Promise<StoredLink>;
  /** @throws ServiceError InvalidSignatureError, SignatureExpiredError */
  readonly check: (path: string, query: ReadonlyMap<string, string>) => Promise<void>;
}

interface FileLinkOptions {
  /** An existing folder. */
  readonly folder: string;
  readonly ttlSeconds: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * Signs links with a key that is stored in the folder and created on first use. So all services with the folder accept
 * each other's links, with or without URL_SIGNING_SECRET, and the key opens nothing else. Deleting the key file
 * invalidates all links.
 */
export function createFileLinks({ folder, ttlSeconds, now }: FileLinkOptions): FileLinks {
  let key: Promise<string> | undefined;
  const readKey = async (): Promise<string> => {
    key ??= openKey(folder);
    try {
      return await key;
    } catch (error) {
      key = undefined; // the disk was full or unreachable: a temporary error
      throw error;
    }
  };

  return {
    make: async (path) => {
      const expires = Math.floor(now() / 1_000) + ttlSeconds;
      const params = new Map([
        ['path', path],
        ['expires', `${expires}`],
      ]);
      const query = new URLSearchParams(signedQuery(params, await readKey()));
      query.delete('path'); // `path` comes first in the URL
      return { url: `/stored/${path}?${query}`, expiresAt: new Date(expires * 1_000) };
    },
    check: async (path, query) => {
      const params = new Map([
        ['path', path],
        ['expires', query.get('expires') ?? '0'], // this service makes no link without an expiry
      ]);
      const signature = query.get('signature');
      if (signature !== undefined) params.set('signature', signature);
      verifySignature({ params, secrets: [await readKey()], nowSeconds: now() / 1_000, knownFields: [] });
    },
  };
}

async function openKey(folder: string): Promise<string> {
  const file = join(folder, KEY_FILE);
  const known = await read(file);
  if (known !== undefined) return known;

  // If several processes create it at the same time, the first one wins, and no process reads a partial file.
  const draft = join(folder, `~key-${randomUUID()}`);
  try {
    await writeFile(draft, randomBytes(KEY_BYTES).toString('hex'), { mode: 0o600, flag: 'wx', flush: true });
    await link(draft, file).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  const made = await read(file);
  if (made === undefined) throw new Error('the signing key of the stored links was removed right after it was created');
  return made;
}

async function read(file: string): Promise<string | undefined> {
  try {
    const key = await readFile(file, 'utf8');
    if (key.length >= KEY_BYTES) return key;
    throw new Error(`${KEY_FILE} of the storage contains no key: remove the file, and the service creates a new one`);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
