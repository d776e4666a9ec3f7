import { execFile } from 'node:child_process';
import { access, constants, open, readFile, realpath, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../../ground/errors.ts';
import { privateTemporaryFolder, removeAbandoned, unpackBrowser } from './unpack-browser.ts';

/** The browser from the npm package, verified to start. */
export interface EmbeddedBrowser {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Increase this version when other files are unpacked or their content changes, so that folders of older releases are
 * not used.
 */
const UNPACKED_REVISION = 3;
const PACKAGE = '@sparticuz/chromium';
const START_TIMEOUT_MS = 20_000; // `--version` takes 12 ms; a cold disk may need seconds to read 200 MB
const run = promisify(execFile);

/**
 * Returns the headless shell of the optional package `@sparticuz/chromium`, unpacked at first use (1.5 s). Undefined if
 * the package is not installed or has no build for this machine.
 * @throws Error with a message for the operator if it can't be unpacked or does not start
 */
export async function findEmbeddedBrowser(onUnpack?: () => void): Promise<EmbeddedBrowser | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const entry = resolvePackage();
  return entry === undefined ? undefined : await openPackage(entry, onUnpack);
}

/**
 * Like `findEmbeddedBrowser`, for the package in this folder. Undefined if the folder is none, or has no build for this
 * machine.
 */
export async function embeddedBrowserIn(folder: string, onUnpack?: () => void): Promise<EmbeddedBrowser | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const { name } = await readManifest(folder).catch((): { name?: unknown } => ({}));
  if (name !== PACKAGE) return undefined;
  return await openPackage(createRequire(join(folder, 'package.json')).resolve(PACKAGE), onUnpack);
}

async function openPackage(entry: string, onUnpack: (() => void) | undefined): Promise<EmbeddedBrowser> {
  const packageFolder = dirname(dirname(entry));
  const name = `chromium-${await readVersion(packageFolder)}-${UNPACKED_REVISION}`;
  const besidePackages = join(folderOfPackages(packageFolder), '.cache', 'capture-service', name);
  await removeAbandoned(dirname(besidePackages));
  const folder = (await isUnpacked(besidePackages))
    ? besidePackages
    : await unpack(entry, besidePackages, { name, onUnpack });
  return prove(folder);
}

/** Returns the folder `node_modules` that has the package, under this name or another. */
function folderOfPackages(packageFolder: string): string {
  const parent = dirname(packageFolder);
  return basename(parent).startsWith('@') ? dirname(parent) : parent;
}

async function unpack(
  entry: string,
  besidePackages: string,
  { name, onUnpack }: { readonly name: string; readonly onUnpack: (() => void) | undefined },
): Promise<string> {
  onUnpack?.();
  try {
    return await unpackBrowser(entry, besidePackages);
  } catch (error) {
    if (!isNotWritable(error)) throw error;
  }
  // An installed service often can't write to the folder of its packages.
  const parent = await privateTemporaryFolder();
  await removeAbandoned(parent);
  const folder = join(parent, name);
  return (await isUnpacked(folder)) ? folder : unpackBrowser(entry, folder);
}

/** The folder is renamed when it is complete, so the presence of the program is enough. */
async function isUnpacked(folder: string): Promise<boolean> {
  return (await readProgramFile(join(folder, 'chromium'))).kind === 'binary';
}

async function prove(folder: string): Promise<EmbeddedBrowser> {
  const path = join(folder, 'chromium');
  const environment = { FONTCONFIG_FILE: join(folder, 'fonts', 'fonts.conf') };
  // The libraries of the machine get its security updates. Those of the package are for machines without NSS or expat.
  const withLibraries = { ...environment, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') };
  const failure = await tryStart(path, environment);
  if (failure === undefined) return { path, environment };
  if ((await tryStart(path, withLibraries)) === undefined) return { path, environment: withLibraries };
  throw new Error(
    `The browser that came with the npm packages does not start on this machine (${failure}); ` +
      'install Chromium or set BROWSER_EXECUTABLE to the full path of a Chrome or Chromium.',
  );
}

/** Undefined if the program starts; otherwise the first line of its output. */
async function tryStart(path: string, environment: Record<string, string>): Promise<string | undefined> {
  try {
    await run(path, ['--version'], { env: environment, timeout: START_TIMEOUT_MS, killSignal: 'SIGKILL' });
    return undefined;
  } catch (error) {
    const lines = (error instanceof Error ? error.message : String(error)).split('\n');
    return lines[1]?.trim() || lines[0] || 'it printed nothing';
  }
}

function resolvePackage(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(PACKAGE);
  } catch (error) {
    if (errorCode(error) === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

async function readVersion(packageFolder: string): Promise<string> {
  const { version } = await readManifest(packageFolder);
  if (typeof version === 'string') return version;
  throw new Error(`The package in ${packageFolder} has no version; run npm ci to install it again.`);
}

async function readManifest(packageFolder: string): Promise<Readonly<Record<string, unknown>>> {
  return Object(JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')));
}

function isNotWritable(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '');
}

/** The kind of file at the path of a program. */
type ProgramFile =
  { readonly kind: 'missing' | 'not-executable' } | { readonly kind: 'script' | 'binary'; readonly path: string };

/**
 * Reads the file behind all links. Detects scripts by their first bytes, because Debian's /usr/bin/chromium is a script
 * that stays the parent of the browser: killing it leaves the whole browser behind (measured 2026-11, Chromium 156).
 * Returns the path of the file, never of a link.
 */
export async function readProgramFile(path: string): Promise<ProgramFile> {
  const file = await realpath(path).catch(() => undefined); // a dangling link counts as no file
  if (file === undefined) return { kind: 'missing' };
  if (!(await isExecutableFile(file))) return { kind: 'not-executable' };
  return { kind: (await startsLikeScript(file)) ? 'script' : 'binary', path: file };
}

async function isExecutableFile(path: string): Promise<boolean> {
  if (!(await stat(path)).isFile()) return false;
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function startsLikeScript(path: string): Promise<boolean> {
  // A program can be executable but not readable. Then it is no script, because scripts must be read to run.
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.subarray(0, bytesRead).toString('latin1') === '#!';
  } finally {
    await file.close();
  }
}
