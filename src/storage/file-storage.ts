import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  unlink,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createFileLinks, type FileLinks } from './file-link.ts';
import {
  FOLDER_MODE,
  isInside,
  makeFolder,
  orNothing,
  pathTaken,
  removeEmpty,
  syncFolder,
} from './folders.ts';
import { createPathTurns } from './path-turns.ts';
import type { Storage } from './storage.ts';
import { errorCode } from './storage-problem.ts';

/** Beside the files, under names that no path can have. */
const PARTS_FOLDER = '~parts';
const typeFileOf = (file: string): string => join(dirname(file), `.${basename(file)}~type`);
/** For the operator's group too, which may serve or save them. */
const FILE_MODE = 0o640;
/** Parts that are older were left by a process that died: the largest result is written in seconds. */
const PART_LIFETIME_MS = 3_600_000;
const UNKNOWN_TYPE = 'application/octet-stream';

interface FileStorageOptions {
  readonly folder: string;
  readonly linkTtlSeconds: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

export interface FileStorage extends Storage {
  readonly checkLink: FileLinks['check'];
}

/**
 * Results as files of a folder, each at its path, which other programs may read. What is there is whole: it is written beside, brought
 * to the disk and renamed. Errors are those of the system, or StorageProblem; nothing is tried again here.
 * @throws Error in words when the folder cannot be written.
 */
export async function createFileStorage({
  folder,
  linkTtlSeconds,
  now = Date.now,
}: FileStorageOptions): Promise<FileStorage> {
  const root = await openFolder(folder);
  const parts = join(root, PARTS_FOLDER);
  await sweep(parts, now() - PART_LIFETIME_MS);
  const inTurn = createPathTurns();
  const links = createFileLinks({ folder: root, ttlSeconds: linkTtlSeconds, now });

  const write = async (bytes: Uint8Array): Promise<string> => {
    const part = join(parts, randomUUID());
    try {
      await using file = await open(part, 'wx', FILE_MODE);
      await file.writeFile(bytes);
      await file.sync();
      return part;
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  };

  return {
    put: async (path, body, contentType) =>
      await inTurn(path, async () => {
        const file = join(root, path);
        await makeFolder(root, dirname(path));
        const written: string[] = [];
        try {
          for (const bytes of [Buffer.from(contentType), body]) written.push(await write(bytes));
          const [typePart = '', bodyPart = ''] = written;
          await rename(typePart, typeFileOf(file));
          await rename(bodyPart, file).catch(async (error: unknown) => {
            if (!isTaken(error)) throw error;
            await rm(typeFileOf(file), { force: true }); // of a folder it would stay for ever
            throw pathTaken(error);
          });
          await syncFolder(dirname(file));
        } finally {
          for (const part of written) await rm(part, { force: true });
        }
      }),

    get: async (path) =>
      await inTurn(path, async () => {
        const file = join(root, path);
        if (!(await isInside(root, dirname(path)))) return undefined;
        // First what may fail: nobody would close the file then.
        const contentType = await orNothing(readFile(typeFileOf(file), 'utf8'), ['ENOENT', 'ENOTDIR']);
        const opened = await openFile(file);
        if (opened === undefined) return undefined;
        return {
          body: opened.handle.createReadStream(),
          contentType: contentType ?? UNKNOWN_TYPE,
          bytes: opened.bytes,
        };
      }),

    delete: async (path) =>
      await inTurn(path, async () => {
        const file = join(root, path);
        if (!(await isInside(root, dirname(path)))) return;
        await orNothing(unlink(file), ['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM']);
        await rm(typeFileOf(file), { force: true });
        await removeEmpty(root, dirname(path));
      }),

    link: links.make,
    checkLink: links.check,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Its real path, so that what is below can be compared with it. */
async function openFolder(folder: string): Promise<string> {
  try {
    await mkdir(join(folder, PARTS_FOLDER), { recursive: true, mode: FOLDER_MODE });
    const root = await realpath(folder);
    const probe = join(root, PARTS_FOLDER, randomUUID());
    await (await open(probe, 'wx', FILE_MODE)).close();
    await unlink(probe);
    return root;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The folder of STORAGE or DATA_DIR cannot be written: ${reason}`, { cause: error });
  }
}

/** Undefined for what is no file: a folder, a link, a pipe. The caller closes the handle. */
async function openFile(file: string): Promise<{ handle: FileHandle; bytes: number } | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK; // a pipe would hold us up
  const handle = await orNothing(open(file, flags), ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO']);
  if (handle === undefined) return undefined;
  try {
    const found = await handle.stat();
    if (found.isFile()) return { handle, bytes: found.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

async function sweep(parts: string, beforeMs: number): Promise<void> {
  for (const name of await readdir(parts)) {
    const part = join(parts, name);
    const found = await orNothing(stat(part), ['ENOENT']);
    if (found !== undefined && found.mtimeMs < beforeMs) await rm(part, { force: true });
  }
}

function isTaken(error: unknown): boolean {
  return ['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '');
}
