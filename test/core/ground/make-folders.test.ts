import { mkdtempDisposable, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolders } from '../../../src/core/ground/make-folders.ts';

describe('makeFolders', () => {
  it('creates the missing folders of a path, with a mode', async () => {
    await using root = await mkdtempDisposable(join(tmpdir(), 'make-folders-test-'));
    const path = join(root.path, 'a/b/c');

    makeFolders(path, 0o700);
    makeFolders(path, 0o700);

    expect([(await stat(path)).mode & 0o777, (await stat(join(root.path, 'a'))).mode & 0o777]).toEqual([0o700, 0o700]);
  });

  it('throws at once where no folder can be: below a file and below /proc', async () => {
    await using root = await mkdtempDisposable(join(tmpdir(), 'make-folders-test-'));
    await writeFile(join(root.path, 'file'), '');

    expect(() => makeFolders(join(root.path, 'file/a/b'))).toThrow('ENOTDIR');
    expect(() => makeFolders(join(root.path, 'file'))).toThrow('EEXIST');
    expect(() => makeFolders('/proc/nope/a')).toThrow('ENOENT');
  });
});
