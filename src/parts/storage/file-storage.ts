import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createFileLinks, type FileLinks } from './folder/file-link.ts';
import { folderProblem, inFolder, isInside, openRoot, orNothing, removeEmpty, syncFolder } from './folder/folders.ts';
import { sweepParts, writePart } from './folder/parts.ts';
import { errorCode } from '../../core/ground/errors.ts';
import { createKeyedMutex } from '../../core/ground/mutex.ts';
import * as types from './folder/type-record.ts';
import type { Storage, StoredFile } from './storage.ts';
import { pathTaken, toStorageError } from './storage-problem.ts';

const SWEEP_EVERY_MS = 60_000;
/** Size of a test file, because a full disk may still have room for an empty file. */
const PROBE_BYTES = 4_096;
const UNKNOWN_TYPE = 'application/octet-stream';
/** A file may have been replaced within this time by a process that is still writing its media type. */
const SETTLED_MS = 5_000;
const READS = 10;
const READ_AGAIN_MS = 10;

interface FileStorageOptions {
  readonly folder: string;
  readonly linkTtlSeconds: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

export interface FileStorage extends Storage {
  /** @throws ServiceError StorageError as well, if the key for links cannot be read. */
  readonly checkLink: FileLinks['check'];
  /**
   * Creates the folder and removes leftovers of ended processes.
   * @throws StorageProblem if the folder cannot be written.
   */
  readonly prepare: () => Promise<void>;
}

/**
 * Stores results as files of a folder, each at its path, where other programs may read them. A file is always complete:
 * it is written as a part, synced and renamed. Several processes may share the folder. The folder may be missing, full
 * or read-only: calls fail until it is back. Errors are those of the system, StorageProblem or ServiceError; nothing is
 * retried here.
 */
export function createFileStorage({ folder, linkTtlSeconds, now = Date.now }: FileStorageOptions): FileStorage {
  const serialized = createKeyedMutex();
  const links = createFileLinks({ folder, ttlSeconds: linkTtlSeconds, now });
  const sweeping = setInterval(() => {
    sweepParts(folder, now()).catch(() => undefined); // the next sweep tries again; `put` reports the cause
  }, SWEEP_EVERY_MS).unref();

  return {
    put: async (path, body, contentType) =>
      await serialized(path, async () => {
        const root = await openRoot(folder);
        const file = join(root, path);
        await inFolder(root, dirname(path), async () => undefined); // before the bytes are written for nothing
        const part = await writePart(root, body);
        try {
          const identity = types.identityOf(await stat(part, { bigint: true }));
          await inFolder(root, dirname(path), async () => {
            await types.addType(file, contentType, identity);
            await moveTo(file, part);
          });
          // Another process may have deleted the file by now.
          await orNothing(types.settleType(root, file, contentType, identity), ['ENOENT']);
          await orNothing(syncFolder(dirname(file)), ['ENOENT']);
        } finally {
          await rm(part, { force: true });
        }
      }),

    get: async (path) =>
      await serialized(path, async () => {
        const root = await openRoot(folder);
        return (await isInside(root, dirname(path))) ? await readFrom(join(root, path)) : undefined;
      }),

    delete: async (path) =>
      await serialized(path, async () => {
        const root = await openRoot(folder);
        const file = join(root, path);
        if (!(await isInside(root, dirname(path)))) return;
        await orNothing(unlink(file), ['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM']);
        await rm(types.recordOf(file), { force: true });
        await removeEmpty(root, dirname(path));
      }),

    link: links.make,
    checkLink: async (path, query) => {
      try {
        await links.check(path, query);
      } catch (error) {
        throw toStorageError(error);
      }
    },
    prepare: async () => {
      const root = await openRoot(folder);
      try {
        await rm(await writePart(root, Buffer.alloc(PROBE_BYTES)));
        await sweepParts(root, now());
      } catch (error) {
        throw folderProblem(error);
      }
    },
    [Symbol.asyncDispose]: async () => clearInterval(sweeping),
  };
}

/** Moves a part to its path. @throws StorageProblem if there is a folder */
async function moveTo(file: string, part: string): Promise<void> {
  await rename(part, file).catch(async (error: unknown) => {
    if (!isTaken(error)) throw error;
    await rm(types.recordOf(file), { force: true }); // a record beside a folder would stay forever
    throw pathTaken(error);
  });
}

/**
 * Opens a file together with the media type of these very bytes. Opens both again while another process replaces them.
 * Undefined if there is no file. The caller closes the body.
 */
async function readFrom(file: string): Promise<StoredFile | undefined> {
  for (let left = READS; ; left--) {
    const opened = await openFile(file);
    if (opened === undefined) return undefined;
    const { handle, found } = opened;
    try {
      const record = await types.readRecord(file);
      const isSettled = left === 0 || Math.abs(Date.now() - Number(found.ctimeMs)) > SETTLED_MS;
      const contentType =
        types.typeIn(record, types.identityOf(found)) ??
        (isSettled ? (types.newestTypeIn(record) ?? UNKNOWN_TYPE) : undefined);
      if (contentType !== undefined) return { body: handle.createReadStream(), contentType, bytes: Number(found.size) };
    } catch (error) {
      await handle.close();
      throw error;
    }
    await handle.close();
    await delay(READ_AGAIN_MS);
  }
}

/** Undefined for a folder, a link or a pipe. The caller closes the handle. */
async function openFile(file: string): Promise<{ handle: FileHandle; found: BigIntStats } | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK; // opening a pipe would block
  const handle = await orNothing(open(file, flags), ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO']);
  if (handle === undefined) return undefined;
  try {
    const found = await handle.stat({ bigint: true });
    if (found.isFile()) return { handle, found };
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

function isTaken(error: unknown): boolean {
  return ['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '');
}
