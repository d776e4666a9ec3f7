import type { Key } from '../../src/core/access/key.ts';

/** Returns a key with all scopes, and without limits unless given. */
export function keyWith(given: Partial<Key> = {}): Key {
  return {
    id: 'shop',
    scopes: new Set(['capture', 'sign', 'jobs', 'mcp', 'usage']),
    signingSecrets: [],
    templatesOnly: false,
    deniedFields: new Set(),
    ...given,
  };
}
