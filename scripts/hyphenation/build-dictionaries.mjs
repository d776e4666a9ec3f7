import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hyphenationDictionary } from './dictionary.mjs';

/** Folder in dist/, with the name that Chrome's headless shell looks for beside its program. */
const FOLDER = 'hyphen-data';
/** The languages of Chrome, in its names for files: BCP 47 tags in small letters. */
const LANGUAGES =
  'af as be bg bn cs cy da de-1901 de-1996 de-ch-1901 el-monoton en-gb en-us es et eu fr ga gl gu hi hr hu hy it ka kn la lt lv ml mn-cyrl mr mul-ethi nb nl nn or pa pt ru sk sl sq sv ta te tk uk'.split(
    ' ',
  );
const MANIFEST = join(FOLDER, 'manifest.json');

/** Files in dist/. */
export const DICTIONARY_FILES = [MANIFEST, ...LANGUAGES.map(fileOf)];

/**
 * Writes the dictionaries for `hyphens: auto` from the patterns of the package `hyphen`, unless they are there: it
 * takes 8 s.
 */
export function buildDictionaries(root) {
  const dist = join(root, 'dist');
  const manifest = `${JSON.stringify({ patterns: 'hyph-utf8, by the npm package hyphen', source: hashSource(root) })}\n`;
  const isComplete = DICTIONARY_FILES.every((file) => existsSync(join(dist, file)));
  if (isComplete && readFileSync(join(dist, MANIFEST), 'utf8') === manifest) return;
  mkdirSync(join(dist, FOLDER), { recursive: true });
  const require = createRequire(join(root, 'package.json'));
  for (const language of LANGUAGES) {
    const dictionary = hyphenationDictionary(require(`hyphen/patterns/${language}.js`));
    writeFileSync(join(dist, fileOf(language)), dictionary);
  }
  writeFileSync(join(dist, MANIFEST), manifest);
}

function fileOf(language) {
  return join(FOLDER, `hyph-${language.replace('-monoton', '')}.hyb`);
}

function hashSource(root) {
  const hash = createHash('sha256');
  const files = ['./dictionary.mjs', './build-dictionaries.mjs'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  for (const file of [...files, join(root, 'node_modules', 'hyphen', 'package.json')]) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}
