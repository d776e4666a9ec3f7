import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbandoned, ownerTag } from '../../../core/processes/process-owner.ts';
import { errorCode } from '../../../core/ground/errors.ts';
import { FOLDER_MODE, orNothing } from './folders.ts';

/** Folder for files that are being written. No stored path contains `~`. */
const PARTS_FOLDER = '~parts';
/** File mode: other programs of the operator's group may read the files. */
export const FILE_MODE = 0o640;
/** Lifetime of parts whose writer is unknown: it ran on another machine, in another container or before a restart. */
const PART_LIFETIME_MS = 3_600_000;

/**
 * Writes a synced part, named after this process. The caller renames or removes it. Creates the folder if it is
 * missing.
 */
export async function writePart(root: string, bytes: Uint8Array): Promise<string> {
  const part = join(root, PARTS_FOLDER, `${ownerTag()}${randomUUID()}`);
  try {
    await using file = await open(part, 'wx', FILE_MODE).catch(async (error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
      await mkdir(join(root, PARTS_FOLDER), { recursive: true, mode: FOLDER_MODE });
      return await open(part, 'wx', FILE_MODE);
    });
    await file.writeFile(bytes);
    await file.sync();
    return part;
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined); // reports the first error
    throw error;
  }
}

/**
 * Removes the parts of processes that have ended. Parts of running processes stay. Parts of other machines stay for an
 * hour.
 */
export async function sweepParts(root: string, nowMs: number): Promise<void> {
  const parts = join(root, PARTS_FOLDER);
  for (const name of (await orNothing(readdir(parts), ['ENOENT'])) ?? []) {
    const part = join(parts, name);
    if (await isAbandoned(part, name, PART_LIFETIME_MS, nowMs)) await rm(part, { force: true });
  }
}
