import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import {
  findLeftOut,
  hasNpmFinished,
  hasRequiredPackages,
  measureFiles,
  npmNote,
  readPackageLock,
  readText,
  stampFor,
} from './package-lock.mjs';
import { SetupError, run, showOutput } from './run.mjs';

const IS_WINDOWS = process.platform === 'win32';
const NODE_MAJOR = 24; // package.json, "engines"
// A user's npm settings may omit these kinds of packages, but build and service need them.
const INSTALL_FLAGS = ['--include=dev', '--include=optional'];
const QUIET_FLAGS = ['--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];

/** True if all packages of package-lock.json are completely installed for this kind of machine. */
export function areInstalled(root) {
  const lock = readPackageLock(root);
  if (!hasStamp(root, lock) || isDamaged(root)) return false;
  return findNode(root) !== undefined && hasRequiredPackages(root, lock);
}

/**
 * Installs the packages of package-lock.json. The stamp is removed first and written last, so the next run detects an
 * interrupted install. @throws SetupError
 */
export async function installPackages(root, { report, addHolder }) {
  const lock = readPackageLock(root);
  const startedAt = Date.now();
  if (hasStamp(root, lock) && isDamaged(root)) {
    report('files of the packages were changed or cut: they are installed again');
    rmSync(npmNote(root), { force: true });
  }
  rmSync(stampFile(root), { force: true });
  const npm = (args, path) => runNpm(args, { root, path, report, addHolder });

  if (!hasNpmFinished(root, lock)) {
    report('installing packages (npm ci)');
    rmSync(npmNote(root), { force: true }); // older npm versions keep it after an interrupted install
    const { exitCode, output } = await npm(['ci'], pathWithoutPackages(root));
    if (exitCode !== 0) failInstall(exitCode, output);
  }
  const node = findNode(root);
  if (node === undefined) failWithoutNode();
  if (findLeftOut(root, lock).length > 0) await installLeftOut(root, lock, { node, npm, report });
  writeFileSync(stampFile(root), `${stampFor(lock)}\n${measureFiles(root)}`);
  report(`packages installed in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

/** Makes the next set-up request missing optional packages again. Cheap, and without effect if none is missing. */
export function retryLeftOut(root) {
  if (findLeftOut(root, readPackageLock(root)).length > 0) rmSync(stampFile(root), { force: true });
}

/** Returns the Node for the service: the one of the packages, or the running one if it is new enough. */
export function findNode(root) {
  // A broken link until its install script has run. On Windows this is a script.
  const place = IS_WINDOWS ? ['node', 'bin', 'node.exe'] : ['.bin', 'node'];
  const packaged = join(root, 'node_modules', ...place);
  // It exists but does not run on systems without glibc, such as Alpine.
  if (existsSync(packaged) && spawnSync(packaged, ['--version']).status === 0) return packaged;
  return Number.parseInt(process.versions.node, 10) >= NODE_MAJOR ? process.execPath : undefined;
}

/**
 * Installs optional packages that npm silently omits because they don't support the Node that npm runs on. On Node 20
 * this is the embedded browser (npm 11.19, measured 2026-11-20). A short run under the newly installed Node installs
 * them. Missing ones are not an error, because the machine may have another browser.
 */
async function installLeftOut(root, lock, { node, npm, report }) {
  const path = [dirname(realpathSync(node)), pathWithoutPackages(root)].join(delimiter);
  const { exitCode, output } = await npm(['install', '--no-save'], path);
  const leftOut = findLeftOut(root, lock);
  if (leftOut.length === 0) return;
  if (exitCode !== 0) showOutput(output);
  report(`npm did not install the optional ${leftOut.join(', ')}`);
}

function runNpm(args, { root, path, report, addHolder }) {
  return run('npm', [...args, ...INSTALL_FLAGS, ...QUIET_FLAGS], {
    cwd: root,
    env: { ...process.env, PATH: path },
    shell: IS_WINDOWS, // npm is a script there
    report,
    task: 'installing packages',
    onStart: addHolder,
  });
}

function failInstall(exitCode, output) {
  if (exitCode === -1 && output.includes('ENOENT')) {
    throw new SetupError('npm is not on PATH; install Node 24 with npm.');
  }
  const [words] = output.split('npm error Clean install a project'); // then a page of npm's options
  showOutput(words);
  if (output.includes('package.json and package-lock.json')) {
    throw new SetupError('package-lock.json does not match package.json; run npm install, then run this again.');
  }
  throw new SetupError(
    "the packages could not be installed, and npm's output is above; check the network and npm's registry setting, then run this again.",
  );
}

function failWithoutNode() {
  throw new SetupError(
    'npm did not run the install script of the package "node", which installs Node 24 (package.json approves it in ' +
      'allowScripts); run npm rebuild node --ignore-scripts=false, or put Node 24 or newer on PATH.',
  );
}

/** Finds a Node outside of node_modules, because npm empties that folder. */
function pathWithoutPackages(root) {
  const packages = join(root, 'node_modules');
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.filter((folder) => !folder.startsWith(packages)).join(delimiter);
}

function hasStamp(root, lock) {
  return readText(stampFile(root))?.split('\n')[0] === stampFor(lock);
}

/** True if a file of the packages has another size than after the installation. */
function isDamaged(root) {
  const measured = readText(stampFile(root))?.split('\n')[1]; // earlier versions wrote none
  return measured !== undefined && measured !== measureFiles(root);
}

function stampFile(root) {
  return join(root, 'node_modules', '.setup-stamp');
}
