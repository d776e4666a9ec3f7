import { lstat, mkdir, open, realpath, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, StorageProblem } from '../../../core/ground/errors.ts';
import { makeFolders } from '../../../core/ground/make-folders.ts';
import { pathTaken, storageReason } from '../storage-problem.ts';

/** Permissions of folders: the operator's group may read them. `parts.ts` has the permissions of files. */
export const FOLDER_MODE = 0o750;

/**
 * True if each part of the path is a real folder: no symbolic link leads out of the root. Compares no names, because
 * some file systems ignore letter case.
 */
export async function isInside(root: string, folder: string): Promise<boolean> {
  let path = root;
  for (const part of folder.split('/')) {
    path = join(path, part);
    const found = await orNothing(lstat(path), ['ENOENT', 'ENOTDIR']);
    if (found?.isDirectory() !== true) return false;
  }
  return true;
}

const TRIES = 20;

/**
 * Creates a folder, then runs work in it. Tries both again if a concurrent deletion removes the folder while it is
 * empty.
 */
export async function inFolder(root: string, folder: string, work: () => Promise<void>): Promise<void> {
  for (let left = TRIES; ; left--) {
    try {
      await makeFolder(root, folder);
      await work();
      return;
    } catch (error) {
      if (left === 0 || errorCode(error) !== 'ENOENT') throw error;
    }
  }
}

/** Creates the folders of a path one by one: `recursive` would follow links. */
async function makeFolder(root: string, folder: string): Promise<void> {
  if (await isInside(root, folder)) return;
  let made = root;
  for (const part of folder.split('/')) {
    made = join(made, part);
    await orNothing(mkdir(made, FOLDER_MODE), ['EEXIST']);
    const found = await lstat(made);
    if (found.isSymbolicLink()) {
      throw new StorageProblem('the path contains a symbolic link', { isRetryable: false });
    }
    if (!found.isDirectory()) throw pathTaken();
  }
}

/** Removes empty folders, because folders by date accumulate. */
export async function removeEmpty(root: string, folder: string): Promise<void> {
  for (let left = folder; left !== '.'; left = dirname(left)) {
    try {
      await rmdir(join(root, left));
    } catch {
      return; // the folder is not empty, or another process was first
    }
  }
}

/**
 * Syncs the folder. Otherwise a crash of the machine may lose the new name. Windows can't sync folders: there it is an
 * EPERM, after the file is in place.
 */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/** Returns undefined if the call fails with one of these system codes. */
export async function orNothing<T>(work: Promise<T>, codes: readonly string[]): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codes.includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/**
 * Returns the real path of the storage folder, and creates the folder if it is missing. Called for each operation, so
 * that a folder that was away or not writable works again as soon as it is back.
 * @throws StorageProblem that names the cause.
 */
export async function openRoot(folder: string): Promise<string> {
  try {
    const root = await orNothing(realpath(`${folder}/`), ['ENOENT']);
    if (root !== undefined) return root;
    makeFolders(folder, FOLDER_MODE);
    return await realpath(`${folder}/`);
  } catch (error) {
    throw folderProblem(error);
  }
}

/** Describes why the folder cannot be used, without its path. */
export function folderProblem(cause: unknown): StorageProblem {
  const isTaken = ['EEXIST', 'ENOTDIR'].includes(errorCode(cause) ?? '');
  const reason = isTaken ? 'a file exists where a folder is needed' : storageReason(cause);
  const message = `the folder of STORAGE or DATA_DIR cannot be written: ${reason}`;
  return new StorageProblem(message, { cause, isRetryable: true });
}
