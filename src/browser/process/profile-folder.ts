import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Full Chrome would show a PDF in a viewer of its own, where a capture is of the viewer: it is a download instead, which is refused. */
const PREFERENCES = { plugins: { always_open_pdf_externally: true } };

const PREFIX = 'capture-service-profile-';

/**
 * A new, private profile folder for one browser. Its name carries our process id, so that a later start can tell
 * whether its owner still lives. The caller removes it with `removeProfileFolder`.
 */
export async function createProfileFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  await mkdir(join(folder, 'Default'));
  await writeFile(join(folder, 'Default', 'Preferences'), JSON.stringify(PREFERENCES));
  return folder;
}

/** Removes a folder made by `createProfileFolder`; a dying Chrome may still write into it, hence the retries. */
export async function removeProfileFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/**
 * Removes the profile folders of processes that no longer run, and gives back how many there were. For the start, before any
 * browser: our own id on a folder is then that of an earlier run, as in containers, where ids repeat.
 */
export async function sweepProfileFolders(): Promise<number> {
  const names = await readdir(tmpdir());
  const orphans = names.filter((name) => name.startsWith(PREFIX) && !isOther(ownerOf(name)));
  await Promise.allSettled(orphans.map((name) => removeProfileFolder(join(tmpdir(), name))));
  return orphans.length;
}

function ownerOf(name: string): number {
  return Number.parseInt(name.slice(PREFIX.length), 10);
}

/** True when a process other than this one runs under the id. */
function isOther(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
