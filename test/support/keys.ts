import { type Key, SCOPES } from '../../src/core/access/key.ts';
import type { KeyRing } from '../../src/core/access/key-ring.ts';

/** The keys of a service without authentication. */
export const NO_KEYS: KeyRing = {
  isRequired: false,
  byToken: () => undefined,
  byId: () => undefined,
  acceptsLinks: () => false,
  reload: () => undefined,
  close: () => undefined,
};

/** Returns a key with all scopes and without limits. */
export function newKey(id: string, given: Partial<Key> = {}): Key {
  return {
    id,
    scopes: new Set(SCOPES),
    signingSecrets: [],
    templatesOnly: false,
    deniedFields: new Set(),
    ...given,
  };
}

/** A key ring for tests. The token of a key is `token-of-<id>`. */
export interface TestRing extends KeyRing {
  /** Ends a key, as if it were removed from the file. */
  readonly remove: (id: string) => void;
}

export function ringOf(...ids: readonly string[]): TestRing {
  const keys = new Map(ids.map((id) => [id, newKey(id)]));
  return {
    isRequired: true,
    byToken: (token) => keys.get(token.replace(/^token-of-/, '')),
    byId: (id) => keys.get(id),
    acceptsLinks: () => true,
    remove: (id) => keys.delete(id),
    reload: () => undefined,
    close: () => undefined,
  };
}
