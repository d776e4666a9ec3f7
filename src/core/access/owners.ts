import { DEFAULT_KEY } from './key.ts';
import type { KeyRing } from './key-ring.ts';

/** The part of the key ring that decides whether jobs and stored results still have a valid key. */
export type Owners = Pick<KeyRing, 'isRequired' | 'byId'>;

/**
 * True while jobs and stored results of a key may be used: the key is in the file, enabled and not expired. Without
 * authentication there are no keys, and everything new belongs to `default`.
 */
export function isOwnerValid({ isRequired, byId }: Owners, owner: string): boolean {
  return byId(owner) !== undefined || (owner === DEFAULT_KEY && !isRequired);
}

/** Folder with the namespace of each key. No path of a client contains `~`, so none leads into a namespace. */
const OWNERS_FOLDER = '~owners';
const IN_NAMESPACE = new RegExp(`^${OWNERS_FOLDER}/([a-z0-9_-]{1,63})/`);

/**
 * Returns the place of a stored file in the namespace of its key. Files of `default` are at their paths.
 * @param path a path of a client or of `ownPath`
 */
export function namespacedPath(owner: string, path: string): string {
  return owner === DEFAULT_KEY ? path : `${OWNERS_FOLDER}/${owner}/${path}`;
}

/** Reverse of `namespacedPath`. */
export function parseNamespacedPath(place: string): { readonly owner: string; readonly path: string } {
  const [start = '', owner = DEFAULT_KEY] = IN_NAMESPACE.exec(place) ?? [];
  return { owner, path: place.slice(start.length) };
}
