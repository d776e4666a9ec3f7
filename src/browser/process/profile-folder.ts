import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasOwnerEnded, ownerTag } from '../../processes/process-owner.ts';

/** Full Chrome would show a PDF in its viewer and capture the viewer. This makes it a download, which is refused. */
const PREFERENCES = { plugins: { always_open_pdf_externally: true } };

const PREFIX = 'capture-service-profile-';

/** Creates a private profile folder for one browser, named after its owner. The caller removes it with `removeProfileFolder`. */
export async function createProfileFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${ownerTag()}`));
  await mkdir(join(folder, 'Default'));
  await writeFile(join(folder, 'Default', 'Preferences'), JSON.stringify(PREFERENCES));
  return folder;
}

/** Removes a folder made by `createProfileFolder`. Call it when the browser has ended, because a dying process still writes. */
export async function removeProfileFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/**
 * Removes the profile folders whose owner has ended, and returns their number. Call it before the first browser starts. A folder that an
 * orphaned browser still writes into is left to the next start.
 */
export async function sweepProfileFolders(): Promise<number> {
  const names = await readdir(tmpdir());
  const orphans = names.filter((name) => name.startsWith(PREFIX) && hasOwnerEnded(name.slice(PREFIX.length)));
  const removals = await Promise.allSettled(orphans.map((name) => removeProfileFolder(join(tmpdir(), name))));
  return removals.filter(({ status }) => status === 'fulfilled').length;
}
