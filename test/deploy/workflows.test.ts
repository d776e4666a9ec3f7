import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, '.github/workflows');
const workflows = readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')] as const);
const { scripts, version } = z
  .object({ scripts: z.record(z.string(), z.string()), version: z.string() })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));

describe.each(workflows)('the workflow %s', (_name, text) => {
  it('pins each action by the digest of a commit, and keeps no credentials', () => {
    const uses = [...text.matchAll(/uses: (\S+)(.*)/g)];

    expect(uses.length).toBeGreaterThan(0);
    for (const [, action, comment] of uses) {
      expect(action).toMatch(/@[0-9a-f]{40}$/);
      expect(comment).toMatch(/^ # \S/);
    }
    expect(text.match(/persist-credentials: false/g)).toHaveLength(text.match(/actions\/checkout@/g)?.length ?? 0);
  });

  it('may only read, unless a job asks for more', () => {
    expect(text).toMatch(/^permissions:\n {2}contents: read\n\n/m);
  });

  it('runs scripts that exist', () => {
    const names = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => name);

    expect(names.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

describe('the release', () => {
  const text = readFileSync(join(FOLDER, 'release.yml'), 'utf8');

  it('can be repeated after a failure in the middle', () => {
    expect(text).toMatch(/if npm view "\$name" version .*; then continue; fi/);
    expect(text).toMatch(/if gh release view .*; then\n\s+gh release upload .* --clobber/);
  });

  it('moves latest only for the highest version without a suffix', () => {
    expect(text).toMatch(/if \[ "\$version" = "\$newest" \]; then latest=\(--tag "\$IMAGE:latest"\); fi/);
  });
});

describe('npm run release:notes', () => {
  it('prints the changes of the version of all packages', () => {
    const { status, stdout } = releaseNotes(`v${version}`);

    expect(status).toBe(0);
    expect(stdout).toMatch(/### Added\n\n- /);
    expect(stdout).not.toContain('## [');
  });

  it('fails for a tag of another version', () => {
    const { status, stderr } = releaseNotes('v99.0.0');

    expect(status).toBe(1);
    expect(stderr).toContain(`the tag has 99.0.0, package.json has ${version}`);
  });
});

function releaseNotes(tag: string) {
  return spawnSync(process.execPath, [join(ROOT, 'scripts/release-notes.mjs'), tag], { encoding: 'utf8' });
}
