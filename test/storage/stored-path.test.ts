import { describe, expect, it } from 'vitest';
import { isStoredPath } from '../../src/storage/stored-path.ts';

describe('isStoredPath', () => {
  it.each(['a', 'a/b.pdf', '2026/11/22/0b8e-4_a.png', '.hidden', 'A'.repeat(200), `${'a/'.repeat(255)}aa`])(
    'accepts %s',
    (path) => {
      expect(isStoredPath(path)).toBe(true);
    },
  );

  it.each([
    ['nothing', ''],
    ['the folder above', '..'],
    ['a way up', 'a/../b'],
    ['two dots in a name', 'a..b'],
    ['an absolute path', '/etc/passwd'],
    ['an end that names a folder', 'a/'],
    ['an empty part', 'a//b'],
    ['a part that names its own folder', 'a/./b'],
    ['white space', 'a b'],
    ['a line break at the end', 'a\n'],
    ['a percent escape', 'a%2e%2e'],
    ['a backslash', 'a\\b'],
    ['a null', 'a\0b'],
    ['what is beside the files', 'a~type'],
    ['a letter beyond ASCII', 'ä'],
    ['more than 512 characters', `${'a/'.repeat(256)}a`],
    ['a part of more than 200', 'a'.repeat(201)],
  ])('refuses %s', (_, path) => {
    expect(isStoredPath(path)).toBe(false);
  });
});
