import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { syncFolder } from '../../../src/parts/storage/folder/folders.ts';

const { platform } = process;

describe('syncFolder', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('syncs a folder, and reports that it is missing', async () => {
    await expect(syncFolder(tmpdir())).resolves.toBeUndefined();
    await expect(syncFolder('/nowhere')).rejects.toThrow('ENOENT');
  });

  it('does nothing on Windows, which refuses it after the file is in place', async () => {
    vi.stubGlobal('process', Object.create(process, { platform: { value: 'win32' } }));

    await expect(syncFolder('/nowhere')).resolves.toBeUndefined();
    vi.unstubAllGlobals();
    expect(process.platform).toBe(platform);
  });
});
