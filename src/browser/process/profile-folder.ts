import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Full Chrome would show a PDF in its viewer and capture the viewer. This makes it a download, which is refused. */
const PREFERENCES = { plugins: { always_open_pdf_externally: true } };

const PREFIX = 'capture-service-profile-';

/**
 * Creates a private profile folder for a browser. Its name contains our process id, so that a later start can tell
 * whether the owner still runs. The caller removes it with `removeProfileFolder`.
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
 * Removes profile folders of processes that no longer run. Returns how many there were. Call it before the first
 * browser starts: a folder with our own process id is then from an earlier run, as in containers, where ids repeat.
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

/** True if a process other than this one has the id. */
function isOther(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
