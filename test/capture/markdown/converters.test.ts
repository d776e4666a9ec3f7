import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  vi.resetModules();
});

it('are read again when they could not be read', async () => {
  vi.resetModules(); // another file may have had them read
  const { readConverters } = await import('../../../src/capture/markdown/converters.ts');
  vi.spyOn(files, 'readFile').mockRejectedValue(new Error('EMFILE'));
  syncBuiltinESMExports();
  await expect(readConverters()).rejects.toThrow('EMFILE');

  vi.restoreAllMocks();
  syncBuiltinESMExports();

  expect(await readConverters()).toContain('Readability');
});
