import { existsSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import {
  findLeftOut,
  hasNpmFinished,
  hasRequiredPackages,
  npmNote,
  readPackageLock,
  readText,
  stampFor,
} from './package-lock.mjs';
import { SetupError, run, showOutput } from './run.mjs';

const IS_WINDOWS = process.platform === 'win32';
const NODE_MAJOR = 24; // package.json, "engines"
// A user's own npm settings may leave these out, but without them nothing can be built or run.
const INSTALL_FLAGS = ['--include=dev', '--include=optional'];
const QUIET_FLAGS = ['--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];

/** Whether what package-lock.json lists is installed, to the end, for this kind of machine. */
export function areInstalled(root) {
  const lock = readPackageLock(root);
  if (readText(stampFile(root)) !== stampFor(lock)) return false;
  return findNode(root) !== undefined && hasRequiredPackages(root, lock);
}

/**
 * Installs what package-lock.json lists. The stamp is removed first and written last, so that an interrupted
 * install is noticed the next time. @throws SetupError
 */
export async function installPackages(root, { say, addHolder }) {
  const lock = readPackageLock(root);
  const startedAt = Date.now();
  rmSync(stampFile(root), { force: true });
  const npm = (args, path) => runNpm(args, { root, path, say, addHolder });

  if (!hasNpmFinished(root, lock)) {
    say('installing packages (npm ci)');
    rmSync(npmNote(root), { force: true }); // older npm keeps it through an interrupted install
    const { exitCode, output } = await npm(['ci'], pathWithoutPackages(root));
    if (exitCode !== 0) failInstall(exitCode, output);
  }
  const node = findNode(root);
  if (node === undefined) failWithoutNode();
  if (findLeftOut(root, lock).length > 0) await installLeftOut(root, lock, { node, npm, say });
  writeFileSync(stampFile(root), stampFor(lock));
  say(`packages installed in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

/** Has the next set-up ask npm again for optional packages that it left out; cheap, and does nothing if it has them all. */
export function retryLeftOut(root) {
  if (findLeftOut(root, readPackageLock(root)).length > 0) rmSync(stampFile(root), { force: true });
}

/** The Node to run the service with: the one among the packages, else our own if it is new enough. */
export function findNode(root) {
  // A link to nothing until its install script ran. On Windows a script lies there.
  const place = IS_WINDOWS ? ['node', 'bin', 'node.exe'] : ['.bin', 'node'];
  const packaged = join(root, 'node_modules', ...place);
  if (existsSync(packaged)) return packaged;
  return Number.parseInt(process.versions.node, 10) >= NODE_MAJOR ? process.execPath : undefined;
}

/**
 * npm leaves out, without a word, optional packages that don't name the Node it runs on: on Node 20 the embedded
 * browser (npm 11.19, measured 2026-11-20). A short run under the Node just installed brings them. When they are
 * still missing that is no failure yet: there may be another browser.
 */
async function installLeftOut(root, lock, { node, npm, say }) {
  const path = [dirname(realpathSync(node)), pathWithoutPackages(root)].join(delimiter);
  const { exitCode, output } = await npm(['install', '--no-save'], path);
  const leftOut = findLeftOut(root, lock);
  if (leftOut.length === 0) return;
  if (exitCode !== 0) showOutput(output);
  say(`npm did not install the optional ${leftOut.join(', ')}`);
}

function runNpm(args, { root, path, say, addHolder }) {
  return run('npm', [...args, ...INSTALL_FLAGS, ...QUIET_FLAGS], {
    cwd: root,
    env: { ...process.env, PATH: path },
    shell: IS_WINDOWS, // npm is a script there
    say,
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
    throw new SetupError('package-lock.json does not fit package.json; run npm install, then this again.');
  }
  throw new SetupError(
    "the packages could not be installed, npm's own words are above; check the network and npm's registry setting, then run this again.",
  );
}

function failWithoutNode() {
  throw new SetupError(
    'npm did not run the install script of the package "node", which brings Node 24 (package.json approves it in ' +
      'allowScripts); run npm rebuild node --ignore-scripts=false, or put Node 24 or newer on PATH.',
  );
}

/** npm must not run on a Node inside the folder that it is about to empty. */
function pathWithoutPackages(root) {
  const packages = join(root, 'node_modules');
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.filter((folder) => !folder.startsWith(packages)).join(delimiter);
}

function stampFile(root) {
  return join(root, 'node_modules', '.setup-stamp');
}
