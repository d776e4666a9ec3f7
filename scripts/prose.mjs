// Runs `npm run prose`: checks the language of documents, comments, messages and names. Rules and terms are in prose/.
import { globSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkNames, checkProse } from './prose/check-prose.mjs';
import { proseOf } from './prose/prose-of.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const DOCUMENTS = ['*.md', 'docs/**/*.md'];
const SOURCES = ['{src,test,scripts,bench}/**/*.{ts,mts,mjs}'];

const complaints = [];
for (const file of globSync([...DOCUMENTS, ...SOURCES], { cwd: root }).toSorted()) {
  if (file.startsWith('scripts/prose/')) continue; // lists the terms that it forbids
  const text = readFileSync(join(root, file), 'utf8');
  const isDocument = extname(file) === '.md';
  const { passages, names } = isDocument ? documentOf(text) : proseOf(text);
  for (const { line, message } of checkNames(names)) complaints.push(`${file}:${line} ${message}`);
  for (const passage of passages) {
    for (const { line, message } of await checkProse(passage))
      complaints.push(`${file}:${passage.line + line - 1} ${message}`);
  }
}

for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) {
  console.error(`prose: ${complaints.length} problems`);
  process.exitCode = 1;
}

function documentOf(text) {
  return { passages: [{ line: 1, ext: '.md', text }], names: [] };
}
