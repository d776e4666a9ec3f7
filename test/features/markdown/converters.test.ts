import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  vi.resetModules();
});

it('markdown converters are loaded again after a failure', async () => {
  vi.resetModules(); // another test file may have loaded them
  const { readConverters } = await import('../../../src/features/markdown/markdown.ts');
  vi.spyOn(files, 'readFile').mockRejectedValue(new Error('EMFILE'));
  syncBuiltinESMExports();
  await expect(readConverters()).rejects.toThrow('EMFILE');

  vi.restoreAllMocks();
  syncBuiltinESMExports();

  expect(await readConverters()).toContain('Readability');
});
