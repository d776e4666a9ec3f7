import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isAbandoned, ownerTag } from '../../processes/process-owner.ts';

/** Full Chrome would show a PDF in its viewer and capture the viewer. This makes it a download, which is refused. */
const PREFERENCES = { plugins: { always_open_pdf_externally: true } };

const PREFIX = 'capture-service-profile-';
/**
 * Interval at which the folder's modification time is updated. It shows services in other containers that the folder is
 * in use.
 */
const MARK_EVERY_MS = 60_000;
/** Age of the modification time at which a folder of another container counts as abandoned. */
const UNMARKED_LIFETIME_MS = 10 * MARK_EVERY_MS;

/** Where Chrome looks for a certificate database. The profile folder is its home. */
const DATABASE = join('.pki', 'nssdb', 'cert9.db');

/**
 * Creates a private profile folder for one browser, named after its owner. The caller removes it with
 * `removeProfileFolder`.
 * @param trusted database of additional certificate authorities
 */
export async function createProfileFolder(trusted?: Buffer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${ownerTag()}`));
  try {
    await mkdir(join(folder, 'Default'));
    await writeFile(join(folder, 'Default', 'Preferences'), JSON.stringify(PREFERENCES));
    if (trusted !== undefined) {
      await mkdir(join(folder, dirname(DATABASE)), { recursive: true });
      await writeFile(join(folder, DATABASE), trusted);
    }
    return folder;
  } catch (error) {
    await removeProfileFolder(folder);
    throw error;
  }
}

/** Updates the folder's modification time every minute, until the returned function is called. */
export function keepProfileFolder(folder: string): () => void {
  const mark = (): void => {
    const now = new Date();
    utimes(folder, now, now).catch(() => undefined); // the browser has ended, and its folder is removed
  };
  const timer = setInterval(mark, MARK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

/**
 * Removes a folder made by `createProfileFolder`. Call it when the browser has ended, because a dying process still
 * writes.
 */
export async function removeProfileFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/**
 * Removes the profile folders whose owner has ended, and returns their number. Call it before the first browser starts.
 * Two kinds of folders stay until a later start: those that an orphaned browser still writes to, and those that another
 * container used in the last ten minutes.
 */
export async function sweepProfileFolders(): Promise<number> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX));
  const removals = await Promise.allSettled(
    names.map(async (name) => {
      const folder = join(tmpdir(), name);
      const isOrphan = await isAbandoned(folder, name.slice(PREFIX.length), UNMARKED_LIFETIME_MS);
      if (isOrphan) await removeProfileFolder(folder);
      return isOrphan;
    }),
  );
  return removals.filter((removal) => removal.status === 'fulfilled' && removal.value).length;
}
