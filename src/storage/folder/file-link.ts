import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signedQuery, verifySignature } from '../../auth/signature.ts';
import { errorCode } from '../storage-problem.ts';
import type { StoredLink } from '../storage.ts';

/** Stands where no stored file can: `~` is in no path. */
const KEY_FILE = '~key';
const KEY_BYTES = 32;

/** Links to the files of one folder. */
export interface FileLinks {
  readonly make: (path: string) => Promise<StoredLink>;
  /** @throws ServiceError InvalidSignatureError, SignatureExpiredError. */
  readonly check: (path: string, query: ReadonlyMap<string, string>) => Promise<void>;
}

interface FileLinkOptions {
  /** It exists. */
  readonly folder: string;
  readonly ttlSeconds: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * Signs what is in a folder by a key that lies there too, made when it is first needed. So whoever shares the folder shares the links,
 * whether or not they have URL_SIGNING_SECRET; and the key opens nothing but what lies beside it. Without the file a new one is made
 * at the next start: all links end.
 */
export function createFileLinks({ folder, ttlSeconds, now }: FileLinkOptions): FileLinks {
  let key: Promise<string> | undefined;
  const readKey = async (): Promise<string> => {
    key ??= openKey(folder);
    try {
      return await key;
    } catch (error) {
      key = undefined; // the disk was full, or away: not for ever
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
      query.delete('path'); // it stands in front
      return { url: `/stored/${path}?${query}`, expiresAt: new Date(expires * 1_000) };
    },
    check: async (path, query) => {
      const params = new Map([
        ['path', path],
        ['expires', query.get('expires') ?? '0'], // a link without an end is none of ours
      ]);
      const signature = query.get('signature');
      if (signature !== undefined) params.set('signature', signature);
      verifySignature({ params, secret: await readKey(), nowSeconds: now() / 1_000, knownFields: [] });
    },
  };
}

async function openKey(folder: string): Promise<string> {
  const file = join(folder, KEY_FILE);
  const known = await read(file);
  if (known !== undefined) return known;

  // Of several that begin at the same time the first one's counts, and nobody reads half of it.
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
  if (made === undefined) throw new Error('the key of the links is gone as soon as it was made');
  return made;
}

async function read(file: string): Promise<string | undefined> {
  try {
    const key = await readFile(file, 'utf8');
    if (key.length >= KEY_BYTES) return key;
    throw new Error(`${KEY_FILE} of the storage holds no key: remove it, and a new one is made`);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
