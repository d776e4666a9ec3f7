import { describe, expect, it } from 'vitest';
import { isStoredPath } from '../../../src/core/capture/request/result-path.ts';

describe('isStoredPath', () => {
  it.each(['a', 'a/b.pdf', '2026/11/22/0b8e-4_a.png', '.hidden', 'A'.repeat(200), `${'a/'.repeat(255)}aa`])(
    'accepts %s',
    (path) => {
      expect(isStoredPath(path)).toBe(true);
    },
  );

  it.each([
    ['an empty path', ''],
    ['the parent folder', '..'],
    ['a path through the parent folder', 'a/../b'],
    ['two dots in a name', 'a..b'],
    ['an absolute path', '/etc/passwd'],
    ['a trailing slash', 'a/'],
    ['an empty segment', 'a//b'],
    ['a segment that names its own folder', 'a/./b'],
    ['white space', 'a b'],
    ['a line break at the end', 'a\n'],
    ['a percent escape', 'a%2e%2e'],
    ['a backslash', 'a\\b'],
    ['a null character', 'a\0b'],
    ['the folder next to the files', 'a~type'],
    ['a non-ASCII letter', 'ä'],
    ['more than 512 characters', `${'a/'.repeat(256)}a`],
    ['a segment of more than 200', 'a'.repeat(201)],
  ])('refuses %s', (_, path) => {
    expect(isStoredPath(path)).toBe(false);
  });
});
