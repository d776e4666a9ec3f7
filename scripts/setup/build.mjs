import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { DICTIONARY_FILES } from '../hyphenation/build-dictionaries.mjs';
import { guideOutputs, listGuides } from '../guides/build-guides.mjs';
import { outputsOf } from './copied-files.mjs';
import { readText } from './package-lock.mjs';
import { SetupError, run, showOutput } from './run.mjs';

const CONFIGURATION = [
  'tsconfig.json',
  'tsconfig.build.json',
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/page-code.mjs',
  'scripts/guides/build-guides.mjs',
  'scripts/guides/guide.html',
  'scripts/setup/copied-files.mjs',
  'scripts/hyphenation/build-dictionaries.mjs',
  'scripts/hyphenation/dictionary.mjs',
];

/** True if dist/ matches the current sources, compiler settings and packages. */
export function isBuilt(root) {
  if (readText(stampFile(root)) !== hashSources(root)) return false;
  return listOutputs(root).every((output) => existsSync(join(root, 'dist', output)));
}

/** Builds dist/ from src/ and removes files without a source. @throws SetupError if it does not compile */
export async function buildService(root, { report, node, addHolder }) {
  const startedAt = Date.now();
  const sources = hashSources(root); // before compiling, so a source saved during the build makes it stale
  rmSync(stampFile(root), { force: true });
  const { exitCode, output } = await run(node, [join(root, 'scripts', 'build.mjs')], {
    cwd: root,
    report,
    task: 'building',
    onStart: addHolder,
  });
  if (exitCode !== 0) {
    showOutput(output);
    throw new SetupError('the service does not compile; the errors of the compiler are above.');
  }
  removeStale(root);
  writeFileSync(stampFile(root), sources);
  report(`built in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

/** Hashes the content, because a checkout changes the time of every file. */
function hashSources(root) {
  const hash = createHash('sha256');
  for (const path of [
    ...CONFIGURATION,
    ...listGuides(root),
    ...listSources(root).map((source) => join('src', source)),
  ]) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

function listSources(root) {
  return listFiles(join(root, 'src')).sort();
}

/** Returns the files that belong into dist/. */
function listOutputs(root) {
  return [...listSources(root).flatMap(outputsOf), ...guideOutputs(root), ...DICTIONARY_FILES];
}

function removeStale(root) {
  const dist = join(root, 'dist');
  const outputs = new Set(listOutputs(root));
  for (const file of listFiles(dist)) {
    if (outputs.has(file) || file.startsWith('.setup-')) continue;
    rmSync(join(dist, file), { force: true });
    removeIfEmpty(dirname(join(dist, file)));
  }
}

function removeIfEmpty(folder) {
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

/** Returns the paths of files inside the folder. */
function listFiles(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)));
}

function stampFile(root) {
  return join(root, 'dist', '.setup-stamp');
}
