import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtempDisposable, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

const setUp = () => promisify(execFile)(process.execPath, ['scripts/setup.mjs'], { cwd: ROOT });

describe('the set-up', () => {
  it('does nothing the second time, so that `npm start` takes a second', async () => {
    await setUp(); // `npm test` has done it already

    const { stdout, stderr } = await setUp();

    expect(stdout + stderr).toMatch(/^setup: browser: [^\n]+\n$/);
  });
});

const inSetup = async (script: string): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: ROOT,
  });
  return stdout.trim();
};

describe('the set-up after an accident', () => {
  it.each(['', '{"packages": {', '{}', 'null'])("installs again if npm's note is cut: %j", async (note) => {
    await using root = await mkdtempDisposable(join(tmpdir(), 'setup-test-'));
    await mkdir(join(root.path, 'node_modules/a'), { recursive: true });
    await writeFile(join(root.path, 'node_modules/a/package.json'), '{}');
    await writeFile(join(root.path, 'node_modules/.package-lock.json'), note);

    const hasFinished = await inSetup(`
      import { hasNpmFinished } from './scripts/setup/package-lock.mjs';
      const packages = { '': {}, 'node_modules/a': { version: '1.0.0' } };
      console.log(hasNpmFinished(${JSON.stringify(root.path)}, { text: '', packages }));`);

    expect(hasFinished).toBe('false');
  });

  it('uses the running Node if the one of the packages does not run, as without glibc', async () => {
    await using root = await mkdtempDisposable(join(tmpdir(), 'setup-test-'));
    await mkdir(join(root.path, 'node_modules/.bin'), { recursive: true });
    await writeFile(join(root.path, 'node_modules/.bin/node'), 'no program', { mode: 0o755 });

    const node = await inSetup(`
      import { findNode } from './scripts/setup/install.mjs';
      console.log(findNode(${JSON.stringify(root.path)}));`);

    expect(node).toBe(process.execPath);
  });

  it('runs before any package is installed', async () => {
    await using root = await mkdtempDisposable(join(tmpdir(), 'setup-test-'));
    for (const name of ['scripts', 'src', 'docs', 'package.json', 'tsconfig.json', 'tsconfig.build.json'])
      await cp(join(ROOT, name), join(root.path, name), { recursive: true });

    const set = promisify(execFile)(process.execPath, ['scripts/setup.mjs'], { cwd: root.path });

    await expect(set).rejects.toMatchObject({ stderr: expect.stringMatching(/^setup: package-lock.json is missing/) });
  });

  it.each([
    ['cut', (file: string) => writeFile(file, 'module.exp')],
    ['removed', (file: string) => rm(file)],
  ])('notices that a file of a package was %s', async (_what, damage) => {
    await using root = await mkdtempDisposable(join(tmpdir(), 'setup-test-'));
    const file = join(root.path, 'node_modules/a/index.js');
    await mkdir(join(root.path, 'node_modules/a'), { recursive: true });
    await mkdir(join(root.path, 'node_modules/.cache'));
    await writeFile(join(root.path, 'node_modules/a/package.json'), '{}');
    await writeFile(file, 'module.exports = 1;');
    await writeFile(join(root.path, 'package-lock.json'), '{"packages": {"": {}, "node_modules/a": {}}}');
    const areInstalled = `
      import { areInstalled } from './scripts/setup/install.mjs';
      console.log(areInstalled(${JSON.stringify(root.path)}));`;
    await inSetup(`
      import { writeFileSync } from 'node:fs';
      import { measureFiles, readPackageLock, stampFor } from './scripts/setup/package-lock.mjs';
      const root = ${JSON.stringify(root.path)};
      writeFileSync(root + '/node_modules/.setup-stamp', stampFor(readPackageLock(root)) + '\\n' + measureFiles(root));`);
    await writeFile(join(root.path, 'node_modules/.cache/result'), 'caches may change');

    expect(await inSetup(areInstalled)).toBe('true');
    await damage(file);
    expect(await inSetup(areInstalled)).toBe('false');
  });
});
