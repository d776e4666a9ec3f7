import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

const COPIED = /\.(html|css|svg)$/;

/** Files of src/ that are copied into dist/ unchanged. */
export function listCopied(source) {
  const entries = readdirSync(source, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && COPIED.test(entry.name));
  return files.map((entry) => relative(source, join(entry.parentPath ?? entry.path, entry.name)));
}

/** Returns the path in dist/ of a file of src/. */
export function outputsOf(source) {
  if (source.endsWith('.d.ts')) return [];
  if (COPIED.test(source)) return [source];
  return source.endsWith('.ts') ? [source.replace(/ts$/, 'js')] : [];
}
