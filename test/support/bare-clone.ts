import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const COPIED = ['scripts', 'dist', 'package.json', 'package-lock.json'];
const GUIDES = ['docs', 'README.md', 'SECURITY.md', 'UPGRADING.md', 'CHANGELOG.md'];
const LINKED = ['src', 'tsconfig.json', 'tsconfig.build.json', ...GUIDES];
const NOTES = ['.setup-stamp', '.package-lock.json'];
const LEFT_OUT = ['@sparticuz', '.cache'];

/** A clone with installed packages, but without the browser from the packages. */
export interface BareClone extends AsyncDisposable {
  readonly folder: string;
  /** An empty home folder, without a browser of the system or of Puppeteer's cache. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Creates a clone of this repository that shares its packages. The caller disposes of it. */
export async function createBareClone(): Promise<BareClone> {
  const folder = await mkdtemp(join(tmpdir(), 'bare-clone-'));
  for (const name of COPIED) await cp(join(ROOT, name), join(folder, name), { recursive: true });
  for (const name of LINKED) await symlink(join(ROOT, name), join(folder, name));
  const [packages, home] = [join(folder, 'node_modules'), join(folder, 'home')];
  await Promise.all([mkdir(packages), mkdir(home)]);
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (LEFT_OUT.includes(name)) continue;
    // npm may rewrite its records of installed packages.
    if (NOTES.includes(name)) await cp(join(ROOT, 'node_modules', name), join(packages, name));
    else await symlink(join(ROOT, 'node_modules', name), join(packages, name));
  }
  // The set-up counts the files of the packages, and here are links.
  const stamp = join(packages, '.setup-stamp');
  const [hash = ''] = (await readFile(stamp, 'utf8')).split('\n');
  await writeFile(stamp, hash);
  return {
    folder,
    environment: { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}
