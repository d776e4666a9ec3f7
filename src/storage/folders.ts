import { lstat, mkdir, open, realpath, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { validationError } from '../errors.ts';
import { errorCode, StorageProblem } from './storage-problem.ts';

/** For the operator's group too. */
export const FOLDER_MODE = 0o750;

/** Whether the folder is there and is what its path says: no link leads out of the root. */
export async function isInside(root: string, folder: string): Promise<boolean> {
  const wanted = join(root, folder);
  return (await orNothing(realpath(`${wanted}/`), ['ENOENT', 'ENOTDIR', 'ELOOP'])) === wanted;
}

/** Makes the folders of a path one by one: all at once would follow links. */
export async function makeFolder(root: string, folder: string): Promise<void> {
  if (await isInside(root, folder)) return;
  let made = root;
  for (const part of folder.split('/')) {
    made = join(made, part);
    await orNothing(mkdir(made, FOLDER_MODE), ['EEXIST']);
    const found = await lstat(made);
    if (found.isSymbolicLink()) {
      throw new StorageProblem('the path leads over a symbolic link', { isPassing: false });
    }
    if (!found.isDirectory()) throw pathTaken();
  }
}

/** Folders by date are many in the end. */
export async function removeEmpty(root: string, folder: string): Promise<void> {
  for (let left = folder; left !== '.'; left = dirname(left)) {
    try {
      await rmdir(join(root, left));
    } catch {
      return; // something is in it, or somebody else was first
    }
  }
}

/** Without it a crash of the machine may lose the new name. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/** For a path that can't be what it should. */
export function pathTaken(cause?: unknown): Error {
  return validationError(
    'store_path: is taken by other files: what is a folder of some cannot be a file, nor the other way round',
    cause,
  );
}

/** Undefined where it fails by one of these codes of the system. */
export async function orNothing<T>(work: Promise<T>, codes: readonly string[]): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codes.includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}
