import { execFile } from 'node:child_process';
import { chmod, cp, lchown, lstat, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { errorCode } from '../../ground/errors.ts';
import { makeFolders } from '../../ground/make-folders.ts';
import { isAbandoned, ownerTag } from '../../processes/process-owner.ts';

const UNPACK_TIMEOUT_MS = 120_000; // time limit for unpacking, which takes 1.5 s on two cores (measured 2026-11-20)
const STAGING = '.tmp-';

/**
 * Runs in another process with its own TMPDIR: the package unpacks to os.tmpdir() and trusts existing files there. In a
 * shared /tmp anyone could plant a program.
 */
const UNPACK_SCRIPT = `
  import { fileURLToPath } from 'node:url';
  const entry = process.argv[1];
  const { default: chromium, inflate } = await import(entry);
  await chromium.executablePath();
  await inflate(fileURLToPath(new URL('../bin/al2023.tar.br', entry)));
`;

/**
 * Font configuration: the fonts of the machine, then the font of the package, wherever its folder is. The package font
 * gets another name, so it is used only for letters that no other font has. Under its own name, "Open Sans", pages that
 * name it got text 4 % narrower than in a browser that uses the fonts of the machine.
 */
const FONTS_CONF = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <match target="scan">
    <test name="file" compare="contains"><string>/fonts/fonts/Open_Sans/</string></test>
    <edit name="family" mode="assign_replace"><string>Capture Service Fallback</string></edit>
    <edit name="fullname" mode="delete_all" />
    <edit name="postscriptname" mode="delete_all" />
  </match>
</fontconfig>
`;

/**
 * Dictionaries for `hyphens: auto`. The headless shell reads them from a folder beside its program; the package has
 * none.
 */
const HYPHENATION = fileURLToPath(new URL('../../../../dist/hyphen-data', import.meta.url));

const run = promisify(execFile);

/**
 * Unpacks the browser of `@sparticuz/chromium` and returns `folder`, which appears complete or not at all. If another
 * process is faster, its folder is used.
 * @param entry main module of the package
 * @throws Error with the system's `code` if the place is not writable, otherwise with a message for the operator
 */
export async function unpackBrowser(entry: string, folder: string): Promise<string> {
  const parent = dirname(folder);
  makeFolders(parent);
  const staging = await mkdtemp(join(parent, `${basename(folder)}${STAGING}${ownerTag()}`));
  try {
    await unpackInto(staging, entry);
    await makeOurs(staging);
    await moveIntoPlace(staging, folder);
    return folder;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/**
 * Returns a folder in the shared temporary folder that only this user can write to. It is kept for the next start.
 * @throws Error if another user owns something of that name
 */
export async function privateTemporaryFolder(): Promise<string> {
  const owner = process.geteuid?.();
  const folder = join(tmpdir(), `capture-service-${owner}`);
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (!isAlreadyThere(error)) throw error;
  });
  // lstat, because a planted link could lead to a browser of an attacker.
  const found = await lstat(folder);
  if (found.isDirectory() && found.uid === owner && (found.mode & 0o077) === 0) return folder;
  throw new Error(`${folder} is not a private folder of this user; remove it, or set TMPDIR to another folder.`);
}

async function unpackInto(staging: string, entry: string): Promise<void> {
  const args = ['--input-type=module', '--eval', UNPACK_SCRIPT, pathToFileURL(entry).href];
  try {
    await run(process.execPath, args, { env: { TMPDIR: staging }, timeout: UNPACK_TIMEOUT_MS });
    await writeFile(join(staging, 'fonts', 'fonts.conf'), FONTS_CONF);
    await cp(HYPHENATION, join(staging, basename(HYPHENATION)), { recursive: true });
  } catch (error) {
    throw new Error(
      `The browser that came with the npm packages could not be unpacked to ${dirname(staging)}; free 300 MB there ` +
        'and run npm ci, or install Chromium.',
      { cause: error },
    );
  }
}

/** Archives keep owner and mode: as root, the files would belong to user 1001. */
async function makeOurs(staging: string): Promise<void> {
  const entries = await readdir(staging, { recursive: true });
  // The permissions of the folder itself come last: until then, other users can't reach its content.
  for (const path of [...entries.map((entry) => join(staging, entry)), staging]) {
    const { mode } = await stat(path);
    await lchown(path, process.geteuid?.() ?? -1, process.getegid?.() ?? -1);
    // Root may unpack the browser and another user may run it, so everyone can read and execute it. Only the owner can
    // write to it.
    await chmod(path, (mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

async function moveIntoPlace(staging: string, folder: string): Promise<void> {
  try {
    await rename(staging, folder);
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  }
}

/**
 * Removes folders of processes that were killed while they unpacked: each has 220 MB. Another process may remove them
 * at the same time.
 */
export async function removeAbandoned(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  await Promise.allSettled(
    names.map(async (name) => {
      const [, tag] = name.split(STAGING);
      const path = join(parent, name);
      if (tag !== undefined && (await isAbandoned(path, tag, 2 * UNPACK_TIMEOUT_MS)))
        await rm(path, { recursive: true, force: true, maxRetries: 3 });
    }),
  );
}

function isAlreadyThere(error: unknown): boolean {
  return ['EEXIST', 'ENOTEMPTY'].includes(errorCode(error) ?? '');
}
