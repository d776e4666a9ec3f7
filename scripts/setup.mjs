// Runs before `npm start` and `npm test`: installs packages, builds, finds a browser, each only if it is missing or
// stale. Runs on the machine's own Node, which may be older than 24, and needs no package.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBrowser } from './setup/browser.mjs';
import { buildService, isBuilt } from './setup/build.mjs';
import { withFolderLock } from './setup/folder-lock.mjs';
import { areInstalled, findNode, installPackages, retryLeftOut } from './setup/install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const quiet = process.argv.includes('--quiet');
const buildOnly = process.argv.includes('--build-only');

try {
  if (!areInstalled(root) || !isBuilt(root)) await installAndBuild();
  if (!buildOnly) await prepareBrowser();
} catch (error) {
  console.error(`setup: ${error.message}${describeFix(error.code)}`); // one sentence and the fix, without a stack
  process.exitCode = 1;
}

async function installAndBuild() {
  const dist = join(root, 'dist');
  mkdirSync(dist, { recursive: true });
  // Two at once, for example `npm start` and `npm test`, would delete each other's packages.
  await withFolderLock(join(dist, '.setup-lock'), report, async ({ addHolder }) => {
    if (!areInstalled(root)) await installPackages(root, { report, addHolder });
    if (!isBuilt(root)) await buildService(root, { report, addHolder, node: findNode(root) });
  });
}

async function prepareBrowser() {
  try {
    const { description, wasUnpacked } = await findBrowser(root, { report, node: findNode(root) });
    if (!quiet || wasUnpacked) report(`browser: ${description}`);
  } catch (error) {
    retryLeftOut(root);
    throw error;
  }
}

/** A SetupError contains its fix. Errors of the file system have a code and no fix. */
function describeFix(code) {
  if (code === undefined) return '';
  return code === 'ENOSPC'
    ? '; free some space on the disk.'
    : '; make this folder writable for your user, or run the command as its owner.';
}

function report(line) {
  // npm pack and npm run sign print their own result on standard output.
  (buildOnly || quiet ? console.error : console.log)(`setup: ${line}`);
}
