// Prints the section of the changelog for a tag: `npm run release:notes -- v0.1.0`. Fails if the tag, the packages, the
// image and the changelog do not have the same version.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (path) => readFileSync(join(root, path), 'utf8');
const [tag = ''] = process.argv.slice(2);

const versions = {
  'the tag': tag.replace(/^v/, ''),
  'package.json': JSON.parse(read('package.json')).version,
  'clients/javascript/package.json': JSON.parse(read('clients/javascript/package.json')).version,
  Dockerfile: /^ARG VERSION=(.*)$/m.exec(read('Dockerfile'))?.[1],
  'clients/python/pyproject.toml': /^version = "(.*)"$/m.exec(read('clients/python/pyproject.toml'))?.[1],
};
const notes = read('CHANGELOG.md')
  .split(/^## /m)
  .find((section) => section.startsWith(`[${versions['the tag']}]`));
const problem =
  new Set(Object.values(versions)).size > 1
    ? `The versions differ: ${Object.entries(versions)
        .map(([place, version]) => `${place} has ${version}`)
        .join(', ')}`
    : notes === undefined
      ? `CHANGELOG.md has no section [${versions['the tag']}]`
      : undefined;
if (problem === undefined) {
  process.stdout.write(notes.slice(notes.indexOf('\n')).trim().concat('\n'));
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
