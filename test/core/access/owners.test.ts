import { describe, expect, it } from 'vitest';
import { namespacedPath, parseNamespacedPath } from '../../../src/core/access/owners.ts';
import { isStoredPath } from '../../../src/core/capture/request/result-path.ts';
import { isLinkedPath, ownPath } from '../../../src/parts/storage/stored-path.ts';

describe('the namespace of a key', () => {
  const LONGEST = 'k'.repeat(63);

  it.each(['default', 'shop', 'a_b-9', LONGEST])('is recognized by its places: %s', (owner) => {
    for (const path of ['a.png', 'shop/a.png', ownPath('days', '2026/11/22/a.png'), ownPath('jobs', 'a.png')])
      expect(parseNamespacedPath(namespacedPath(owner, path))).toEqual({ owner, path });
  });

  it('keeps the places of default as they were', () => {
    expect(namespacedPath('default', 'a/b.png')).toBe('a/b.png');
  });

  it('cannot be reached by a path of a client, whatever its letter case', () => {
    const place = namespacedPath('shop', 'a.png');
    const paths = [place, place.toUpperCase(), `x/../${place}`, place.replace('~', '%7E')];

    expect(paths.map(isStoredPath)).toEqual(Array(4).fill(false));
  });

  it.each([
    '~owners/shop/~owners/blog/a.png',
    '~owners/shop/../blog/a.png',
    '~owners/SHOP/a.png',
    '~OWNERS/shop/a.png',
    '~owners/shop',
    '~owners//a.png',
    '~owners/shop/~key',
    `~owners/${LONGEST}k/a.png`,
  ])('has no place such as %s', (place) => {
    expect(isLinkedPath(parseNamespacedPath(place).path)).toBe(false);
  });
});
