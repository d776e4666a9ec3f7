// Builds dist/: compiles the service, compiles the playground with browser types, bundles page code, copies pages and
// styles, converts guides and hyphenation patterns.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildDictionaries } from './hyphenation/build-dictionaries.mjs';
import { bundlePageCode, isPageCode } from './page-code.mjs';
import { buildGuides } from './guides/build-guides.mjs';
import { listCopied } from './setup/copied-files.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

// The set-up relies on its stamp and does not know of a manual build.
rmSync(join(root, 'dist', '.setup-stamp'), { force: true });
for (const project of ['tsconfig.build.json', 'src/programs/playground/tsconfig.json']) {
  const { status } = spawnSync(process.execPath, [compiler, '-p', project], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
const files = readdirSync(join(root, 'src'), { recursive: true }).filter((file) => isPageCode(join(root, 'src', file)));
await Promise.all(
  files.map(async (file) => {
    const code = await bundlePageCode(join(root, 'src', file));
    writeFileSync(join(root, 'dist', file.replace(/ts$/, 'js')), code);
  }),
);
for (const path of listCopied(join(root, 'src'))) copy(join('src', path), path);
await buildGuides(root);
buildDictionaries(root);

function copy(from, to) {
  const target = join(root, 'dist', to);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join(root, from), target);
}
