import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

const VIEWER = 'swagger-ui-dist';

/** What the build takes out of packages, with its place in dist/: the viewer of the reference, and its licences. */
export const COPIED_PACKAGE_FILES = Object.fromEntries(
  ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'].map(
    (name) => [join(VIEWER, name), join('playground', 'viewer', name)],
  ),
);

const COPIED = /\.(html|css|svg)$/;

/** The files of src/ that are laid into dist/ as they are. */
export function listCopied(source) {
  const entries = readdirSync(source, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && COPIED.test(entry.name));
  return files.map((entry) => relative(source, join(entry.parentPath ?? entry.path, entry.name)));
}

/** What a file of src/ becomes in dist/. */
export function outputsOf(source) {
  if (source.endsWith('.d.ts')) return [];
  if (COPIED.test(source)) return [source];
  if (!source.endsWith('.ts')) return [];
  const script = source.replace(/ts$/, 'js');
  return source.startsWith('playground') ? [script] : [script, source.replace(/ts$/, 'd.ts')];
}
